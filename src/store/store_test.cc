#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "base/files.h"
#include "profile/profile.h"
#include "store/faults.h"
#include "store/local_store.h"
#include "store/memory_store.h"
#include "store/recording.h"
#include "store/shaping.h"
#include "store/testing/conformance.h"

namespace lakegauge::store {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

struct Folders {
  ~Folders() {
    for (const auto& dir : made) fs::remove_all(dir);
  }
  std::vector<std::string> made;
};

// In memory where there is such a folder (the tests sync thousands of files); gone at the end.
std::string FreshFolder() {
  static Folders folders;
  static int counter = 0;
  const std::string parent = access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : ::testing::TempDir();
  const std::string dir =
      parent + "lg_store_" + std::to_string(getpid()) + "_" + std::to_string(counter++);
  fs::remove_all(dir);
  folders.made.push_back(dir);
  return dir;
}

FakeClock& SharedFakeClock() {
  static FakeClock clock;
  return clock;
}

record::RequestLog& SharedLog() {
  static record::RequestLog log;
  return log;
}

std::unique_ptr<Store> Shaped(std::unique_ptr<Store> inner, const char* profile) {
  return ShapeRequests(std::move(inner), *profile::LoadProfile(profile), 1, SharedFakeClock());
}

INSTANTIATE_TEST_SUITE_P(
    Stores, StoreConformance,
    ::testing::Values(
        StoreMaker{"Local", [] { return OpenLocalStore(FreshFolder()); }},
        StoreMaker{"Memory", [] { return MakeMemoryStore(); }},
        StoreMaker{"Recording", [] { return RecordRequests(MakeMemoryStore(), SharedLog()); }},
        StoreMaker{"ShapingOff", [] { return Shaped(MakeMemoryStore(), "local"); }},
        StoreMaker{"ShapingS3", [] { return Shaped(MakeMemoryStore(), "s3-standard"); }},
        StoreMaker{"ShapingPipe", [] { return Shaped(MakeMemoryStore(), "slow-object-store"); }},
        StoreMaker{"NoFaults", [] { return InjectFaults(MakeMemoryStore(), {}); }},
        StoreMaker{"LocalShapedRecorded",
                   [] {
                     return RecordRequests(Shaped(OpenLocalStore(FreshFolder()), "s3-express"),
                                           SharedLog(), SharedFakeClock());
                   }}),
    [](const auto& instance) { return instance.param.name; });

TEST(OpenStore, TakesFileAndMemAndNamesThem) {
  EXPECT_EQ((*OpenStore("file:/tmp/x/"))->Describe().uri, "file:/tmp/x");
  EXPECT_EQ((*OpenStore("file:///tmp/x"))->Describe().uri, "file:/tmp/x");
  EXPECT_EQ((*OpenStore("/tmp/x"))->Describe().uri, "file:/tmp/x");
  EXPECT_EQ((*OpenStore("some/where"))->Describe().uri,
            "file:" + fs::current_path().string() + "/some/where");
  EXPECT_EQ((*OpenStore("mem:"))->Describe().kind, "mem");
  EXPECT_EQ(OpenStore("ftp://x").error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(OpenStore("ftp://x").error().message, HasSubstr("allowed file: and mem:"));
  EXPECT_FALSE(OpenStore("file:").ok());
}

TEST(OpenStore, ANamedMemoryStoreIsTheSameForAll) {
  ASSERT_TRUE(WriteObject(**OpenStore("mem:shared"), {}, "k", "v").ok());
  EXPECT_EQ(*ReadObject(**OpenStore("mem:shared"), {}, "k"), "v");
  EXPECT_FALSE(ReadObject(**OpenStore("mem:"), {}, "k").ok());
}

TEST(LocalStore, WhatAKillLeftIsNeverListed) {
  const std::string dir = FreshFolder();
  const auto store = OpenLocalStore(dir);
  ASSERT_TRUE(WriteObject(*store, {}, "t/1", "x").ok());
  ASSERT_TRUE(WriteFileAtomically(dir + "/t/.lg-tmp-999-1", "half").ok());
  EXPECT_EQ(ListAll(*store, {}, "")->size(), 1u);
  EXPECT_FALSE(store->OpenRead({}, "t/.lg-tmp-999-1", {}).ok());
}

TEST(LocalStore, WhatAKilledWriterLeftGoesWithTheNextWriteAndWhatALivingOneWritesStays) {
  const std::string dir = FreshFolder();
  const auto store = OpenLocalStore(dir);
  const auto alive = store->OpenWrite({}, "t/alive");
  ASSERT_TRUE(alive.ok());
  int status = -1;
  const pid_t killed = fork();
  if (killed == 0) {
    (void)OpenLocalStore(dir)->OpenWrite({}, "t/killed")->release();
    _exit(0);
  }
  waitpid(killed, &status, 0);
  const auto entries = [&] {
    return std::distance(fs::directory_iterator(dir + "/t"), fs::directory_iterator());
  };
  ASSERT_EQ(entries(), 2);
  ASSERT_TRUE(WriteObject(*OpenLocalStore(dir), {}, "t/new", "x").ok());
  EXPECT_EQ(entries(), 2);
  ASSERT_TRUE((*alive)->Commit().ok());
  EXPECT_EQ(ListAll(*store, {}, "")->size(), 2u);
  EXPECT_EQ(entries(), 2);
}

TEST(LocalStore, AFolderIsNoObject) {
  const auto store = OpenLocalStore(FreshFolder());
  ASSERT_TRUE(WriteObject(*store, {}, "t/1", "x").ok());
  EXPECT_FALSE(store->Stat({}, "t")->has_value());
  EXPECT_EQ(store->OpenRead({}, "t", {}).error().code, ErrorCode::kNotFound);
  EXPECT_FALSE(store->Stat({}, "t/1/below")->has_value());
  EXPECT_EQ(store->OpenRead({}, "t/1/below", {}).error().code, ErrorCode::kNotFound);
}

TEST(LocalStore, TenThousandKeysInOneFolderAreListedWhole) {
  const std::string dir = FreshFolder();
  fs::create_directories(dir + "/t");
  for (int i = 0; i < 10'000; ++i) {
    const int fd = open((dir + "/t/" + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0644);
    ASSERT_GE(fd, 0);
    close(fd);
  }
  const auto all = ListAll(*OpenLocalStore(dir), {}, "t/");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 10'000u);
  EXPECT_TRUE(std::is_sorted(all->begin(), all->end(),
                             [](const auto& a, const auto& b) { return a.key < b.key; }));
  fs::remove_all(dir);
}

TEST(LocalStore, PermissionDeniedIsNamed) {
  const std::string dir = FreshFolder();
  const auto store = OpenLocalStore(dir);
  ASSERT_TRUE(WriteObject(*store, {}, "closed/1", "x").ok());
  ASSERT_EQ(chmod((dir + "/closed").c_str(), 0), 0);
  constexpr uid_t kNobody = 65534;
  const bool root = geteuid() == 0;
  ASSERT_EQ(root ? seteuid(kNobody) : 0, 0);
  const auto read = store->OpenRead({}, "closed/1", {});
  const auto list = store->List({}, "closed/", "");
  const auto write = store->OpenWrite({}, "closed/2");
  ASSERT_EQ(root ? seteuid(0) : 0, 0);
  ASSERT_FALSE(read.ok() || list.ok() || write.ok());
  EXPECT_EQ(read.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(list.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(write.error().code, ErrorCode::kPermissionDenied);
  chmod((dir + "/closed").c_str(), 0755);
}

TEST(LocalStore, AFullDiskIsAnErrorAndTheOldObjectStays) {
  const std::string dir = FreshFolder();
  fs::create_directories(dir);
  if (mount("tmpfs", dir.c_str(), "tmpfs", 0, "size=256k") != 0) {
    GTEST_SKIP() << "no right to mount a small file system";
  }
  {
    const auto store = OpenLocalStore(dir);
    EXPECT_TRUE(WriteObject(*store, {}, "k", "old").ok());
    const auto full = WriteObject(*store, {}, "k", std::string(1'000'000, 'x'));
    EXPECT_EQ(full.ok() ? ErrorCode::kInternal : full.error().code, ErrorCode::kOutOfSpace);
    EXPECT_EQ(*ReadObject(*store, {}, "k"), "old");
    EXPECT_TRUE(WriteObject(*store, {}, "k2", std::string(100'000, 'x')).ok());  // space came back
  }
  umount(dir.c_str());
}

TEST(Recording, EachRequestIsOneRecord) {
  record::RequestLog log;
  const auto store = RecordRequests(MakeMemoryStore(), log);
  RequestContext context;
  context.execution = 7;
  context.lane = 3;
  ASSERT_TRUE(WriteObject(*store, context, "k", "0123456789").ok());
  ASSERT_TRUE(store->Stat(context, "k").ok());
  ASSERT_TRUE(store->List(context, "", "").ok());
  const auto known = store->OpenRead(context, "k", {.size = 10});
  std::string out(4, '\0');
  ASSERT_TRUE((*known)->ReadAt(context, 8, std::as_writable_bytes(std::span(out))).ok());
  EXPECT_FALSE(store->OpenRead(context, "none", {}).ok());
  ASSERT_TRUE(store->CopyWithin(context, "k", "k2").ok());
  ASSERT_TRUE(store->Delete(context, "k").ok());
  const auto requests = log.Take();
  std::vector<std::string> seen;
  for (const auto& r : requests) {
    seen.push_back(std::string(record::OperationName(r.operation)) + " " + log.Key(r.key) + " " +
                   std::to_string(r.offset) + "+" + std::to_string(r.length) + " " +
                   std::to_string(r.bytes) + " " + std::to_string(r.status));
    EXPECT_EQ(r.execution, 7);
    EXPECT_EQ(r.lane, 3);
    EXPECT_EQ(r.thread, record::CurrentThread());
    EXPECT_GE(r.end_ns, r.start_ns);
    EXPECT_GE(r.cpu_end_ns, r.cpu_start_ns);
    EXPECT_EQ(r.asked_ns, -1);
  }
  EXPECT_THAT(seen, ::testing::ElementsAre("PUT k 0+10 10 0", "HEAD k 0+0 0 0", "LIST  0+1 0 0",
                                           "GET k 8+4 2 0", "HEAD none 0+0 0 -2", "COPY k 0+0 0 0",
                                           "DELETE k 0+0 0 0"));
  EXPECT_NE(requests[3].handle, 0);
}

TEST(Recording, TakesOverWhatShapingAskedFor) {
  FakeClock clock;
  record::RequestLog log;
  const auto profile = *profile::ParseProfile(
      "{name: p, description: d, source: s, first_byte: {GET: 7ms}, bandwidth: {stream: 1MB/s}}",
      "p");
  const auto store =
      RecordRequests(ShapeRequests(MakeMemoryStore(), profile, 1, clock), log, clock);
  ASSERT_TRUE(WriteObject(*store, {}, "k", std::string(1000, 'x')).ok());
  const auto reader = store->OpenRead({}, "k", {.size = 1000});
  std::string out(1000, '\0');
  ASSERT_TRUE((*reader)->ReadAt({}, 0, std::as_writable_bytes(std::span(out))).ok());
  const auto requests = log.Take();
  ASSERT_EQ(requests.size(), 2u);
  for (const auto& r : requests) {
    EXPECT_EQ(r.asked_first_ns, 7'000'000);
    EXPECT_EQ(r.asked_ns, 8'000'000);
    EXPECT_EQ(r.end_ns - r.start_ns, 8'000'000);
    EXPECT_EQ(r.first_byte_ns, r.start_ns + 7'000'000);
    EXPECT_EQ(r.lateness_ns, 0);
  }
}

TEST(Faults, AScriptHitsTheNthOperationOfItsKind) {
  FakeClock clock;
  FaultPlan plan;
  plan.scripted = {
      {.kind = Fault::Kind::kError, .operation = record::Operation::kGet, .nth = 2},
      {.kind = Fault::Kind::kTruncatedRead, .operation = record::Operation::kGet, .nth = 3},
      {.kind = Fault::Kind::kSlow, .operation = record::Operation::kGet, .nth = 4, .slow_ns = 500},
      {.kind = Fault::Kind::kDiskFull, .operation = record::Operation::kPut, .nth = 2}};
  const auto store = InjectFaults(MakeMemoryStore(), plan, clock);
  ASSERT_TRUE(WriteObject(*store, {}, "k", "0123456789").ok());
  EXPECT_EQ(WriteObject(*store, {}, "k", "other").error().code, ErrorCode::kOutOfSpace);
  const auto reader = store->OpenRead({}, "k", {});
  std::string out(10, '\0');
  const auto read = [&] {
    return (*reader)->ReadAt({}, 0, std::as_writable_bytes(std::span(out)));
  };
  EXPECT_EQ(*read(), 10u);
  EXPECT_EQ(read().error().http_status, 500);
  EXPECT_EQ(*read(), 5u);
  const int64_t before = clock.NowNs();
  EXPECT_EQ(*read(), 10u);
  EXPECT_EQ(clock.NowNs() - before, 500);
}

TEST(Faults, ASeededShareFailsAndTheSameSeedFailsTheSame) {
  const auto failures = [](uint64_t seed) {
    FaultPlan plan;
    plan.error_rate = 0.2;
    plan.seed = seed;
    const auto store = InjectFaults(MakeMemoryStore(), plan);
    std::string pattern;
    for (int i = 0; i < 1000; ++i) pattern += store->Stat({}, "k").ok() ? '.' : 'x';
    return pattern;
  };
  EXPECT_EQ(failures(1), failures(1));
  EXPECT_NE(failures(1), failures(2));
  const std::string pattern = failures(1);
  EXPECT_NEAR(static_cast<double>(std::count(pattern.begin(), pattern.end(), 'x')), 200, 40);
}

}  // namespace
}  // namespace lakegauge::store
