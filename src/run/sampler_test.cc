#include "run/sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "run/testing/tiny_experiment.h"

namespace lakegauge::run {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::Optional;
namespace fs = std::filesystem;

constexpr int64_t kSecond = 1'000'000'000;

// A machine of two cores on which somebody else uses one from the second look on.
class LoadedMachine : public SnapshotSource {
 public:
  explicit LoadedMachine(Clock& clock) : clock_(clock) {}
  Snapshot Take() override {
    Snapshot s;
    s.time_ns = s.utc_ns = clock_.NowNs();
    s.cpu = CpuTimes{static_cast<double>(s.time_ns) / kSecond, 0, 0, 100, 0, 0, 0, 0, 2};
    s.ours.user_s = 1;
    s.ours.system_s = 0;
    const std::scoped_lock lock(mutex_);
    ++looks_;
    looked_.notify_all();
    return s;
  }
  void AwaitLooks(int looks) {
    std::unique_lock lock(mutex_);
    looked_.wait(lock, [&] { return looks_ >= looks; });
  }

 private:
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable looked_;
  int looks_ = 0;
};

class SamplerTest : public testing::Test {
 protected:
  std::unique_ptr<Sampler> Open(Clock& clock) {
    auto machine = std::make_unique<LoadedMachine>(clock);
    machine_ = machine.get();
    auto sampler = Sampler::Open(home_.path() + "/spool", 2, std::move(machine), clock,
                                 [this](const std::vector<Disturbance>& found) {
                                   told_.insert(told_.end(), found.begin(), found.end());
                                   return tell_;
                                 });
    EXPECT_TRUE(sampler.ok()) << sampler.error().message;
    return std::move(*sampler);
  }
  std::vector<record::Sample> Spooled() {
    auto stored = record::ReadSampleSpool(home_.path() + "/spool/samples.2.arrows");
    EXPECT_TRUE(stored.ok()) << stored.error().message;
    return stored->samples;
  }

  TemporaryFolder home_;
  LoadedMachine* machine_ = nullptr;
  std::vector<Disturbance> told_;
  Status tell_;
};

TEST_F(SamplerTest, EachSampleIsInTheSpoolOnceItWasTaken) {
  FakeClock clock;
  const auto sampler = Open(clock);
  ASSERT_TRUE(sampler->TakeOne().ok());
  const auto samples = Spooled();
  ASSERT_FALSE(samples.empty());
  EXPECT_EQ(samples[0],
            (record::Sample{2, kSecond, "machine", "cores", "", record::SampleKind::kGauge, 2}));
}

TEST_F(SamplerTest, WhatOthersTookIsWrittenWithTheNextSample) {
  FakeClock clock;
  const auto sampler = Open(clock);
  const record::Sample of_store{2, 5, "store1", "up", "", record::SampleKind::kGauge, 1};
  sampler->Put({of_store});
  ASSERT_TRUE(sampler->TakeOne().ok());
  ASSERT_TRUE(sampler->TakeOne().ok());
  EXPECT_THAT(Spooled(), testing::Contains(of_store).Times(1));
}

TEST_F(SamplerTest, ADisturbanceIsToldWithTheStretchItWasIn) {
  FakeClock clock;
  const auto sampler = Open(clock);
  ASSERT_TRUE(sampler->TakeOne().ok());
  clock.Advance(kSecond);
  ASSERT_TRUE(sampler->TakeOne().ok());
  EXPECT_THAT(told_, ElementsAre(Disturbance{"load", kSecond, 2 * kSecond, 0.5,
                                             "other programs used 1.00 of 2 cores"}));
  EXPECT_EQ(sampler->disturbances(), 1);
}

TEST_F(SamplerTest, TheThreadTakesOneASecondAndOneAtItsEnd) {
  FakeClock clock(/*auto_advance=*/false);
  const auto sampler = Open(clock);
  sampler->Start();
  machine_->AwaitLooks(1);
  clock.Advance(kSecond);
  machine_->AwaitLooks(2);
  clock.Advance(kSecond);
  machine_->AwaitLooks(3);
  ASSERT_TRUE(sampler->Stop().ok());
  EXPECT_EQ(sampler->taken(), 4);
  std::vector<int64_t> times;
  for (const record::Sample& s : Spooled()) {
    if (s.metric == "cores") times.push_back(s.time_ns / kSecond);
  }
  EXPECT_THAT(times, ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(Spooled(), testing::Contains(Field(&record::Sample::source, "sampler")).Times(4));
}

TEST_F(SamplerTest, WhatCannotBeWrittenEndsTheSamplingAndIsSaidAtItsEnd) {
  FakeClock clock(/*auto_advance=*/false);
  tell_ = MakeError(ErrorCode::kOutOfSpace, "the disk is full");
  const auto sampler = Open(clock);
  sampler->Start();
  machine_->AwaitLooks(1);
  clock.Advance(kSecond);
  machine_->AwaitLooks(2);
  const Status end = sampler->Stop();
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().message, "the disk is full");
}

// A machine out of files, as containers and other kernels show it.
class MachineFolder {
 public:
  explicit MachineFolder(const std::string& home) : home_(home) {
    Write("proc/stat", "cpu 100 0 50 800 5 1 1 3\ncpu0 50 0 25 400 2 0 0 1\n");
    Write("proc/meminfo", "MemTotal: 1000 kB\n");
    Write("proc/self/stat", Stat(10, 20, 30, 40));
    Write("proc/self/io", "read_bytes: 100\nwrite_bytes: 7\n");
  }
  void Write(const std::string& file, const std::string& text) const {
    fs::create_directories(fs::path(home_ + "/" + file).parent_path());
    std::ofstream(home_ + "/" + file) << text;
  }
  static std::string Stat(int user, int system, int waited_user, int waited_system) {
    return "1 (x) R 1 1 1 0 -1 0 0 0 0 0 " + std::to_string(user) + " " + std::to_string(system) +
           " " + std::to_string(waited_user) + " " + std::to_string(waited_system) +
           " 20 0 3 0 5 100 2\n";
  }
  Snapshot Take() const {
    FakeClock clock;
    return OpenMachine(clock, home_ + "/proc", home_ + "/sys")->Take();
  }

 private:
  const std::string home_;
};

TEST_F(SamplerTest, AMachineThatHidesMostOfItselfIsStillSampled) {
  const Snapshot s = MachineFolder(home_.path()).Take();
  ASSERT_TRUE(s.cpu);
  EXPECT_EQ(s.cpu->cores, 1);
  EXPECT_EQ(s.ours.processes, 1);
  EXPECT_EQ(s.mhz, std::nullopt);
  EXPECT_EQ(s.throttled_s, std::nullopt);
  EXPECT_EQ(s.paging.swap_in_pages, std::nullopt);
  EXPECT_TRUE(s.disks.empty());
}

TEST_F(SamplerTest, OurProcessesAreThisOneAndAllBelowIt) {
  const MachineFolder machine(home_.path());
  machine.Write("proc/self/task/1/children", "");
  machine.Write("proc/self/task/2/children", "7 8 ");
  machine.Write("proc/7/stat", MachineFolder::Stat(100, 0, 0, 0));
  machine.Write("proc/7/io", "read_bytes: 11\n");
  machine.Write("proc/7/task/7/children", "9\n");
  machine.Write("proc/9/stat", MachineFolder::Stat(1000, 0, 0, 0));  // 8 ended meanwhile
  const OurProcesses ours = machine.Take().ours;
  EXPECT_EQ(ours.processes, 3);
  EXPECT_THAT(ours.user_s, Optional(testing::DoubleNear(11.4, 1e-9)));
  EXPECT_THAT(ours.system_s, Optional(testing::DoubleNear(0.6, 1e-9)));
  EXPECT_THAT(ours.storage_read_bytes, Optional(111.0));
  EXPECT_THAT(ours.threads, Optional(9.0));
}

TEST_F(SamplerTest, FrequencyAndThrottlingComeFromSysWhereItHasThem) {
  const MachineFolder machine(home_.path());
  for (const std::string core : {"cpu0", "cpu1"}) {
    machine.Write("sys/devices/system/cpu/" + core + "/cpufreq/scaling_cur_freq",
                  core == "cpu0" ? "2000000\n" : "3000000\n");
    machine.Write("sys/devices/system/cpu/" + core + "/thermal_throttle/core_throttle_count",
                  "4\n");
  }
  machine.Write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  machine.Write("proc/self/cgroup", "1:memory:/m\n0::/job\n");
  machine.Write("sys/fs/cgroup/job/cpu.stat", "throttled_usec 250000\n");
  const Snapshot s = machine.Take();
  EXPECT_THAT(s.mhz, Optional(2500.0));
  EXPECT_THAT(s.thermal_throttles, Optional(8.0));
  EXPECT_THAT(s.throttled_s, Optional(0.25));
}

TEST_F(SamplerTest, ThisMachineIsRead) {
  const auto machine = OpenMachine(RealClock());
  const Snapshot first = machine->Take();
  const Snapshot second = machine->Take();
  ASSERT_TRUE(first.cpu);
  EXPECT_GE(first.cpu->cores, 1);
  EXPECT_GE(*second.cpu->user, *first.cpu->user);
  EXPECT_GE(second.ours.processes, 1);
  EXPECT_GT(second.ours.resident_bytes.value_or(0), 1 << 20);
  EXPECT_GT(second.time_ns, first.time_ns);
}

}  // namespace
}  // namespace lakegauge::run
