#include "run/proc_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lakegauge::run {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Optional;

constexpr double kTicks = 100;

TEST(ProcStat, GivesSecondsOfEachKindAndTheCoresOnLine) {
  const auto cpu = ParseStat(
      "cpu  1000 20 300 4000 50 6 7 80 9 1\ncpu0 500 10 150 2000 25 3 3 40 0 0\n"
      "cpu1 500 10 150 2000 25 3 4 40 0 0\nintr 5 1 2\nctxt 99\nbtime 1\n",
      kTicks);
  ASSERT_TRUE(cpu);
  EXPECT_THAT(cpu->user, Optional(10.0));
  EXPECT_THAT(cpu->nice, Optional(0.2));
  EXPECT_THAT(cpu->system, Optional(3.0));
  EXPECT_THAT(cpu->idle, Optional(40.0));
  EXPECT_THAT(cpu->iowait, Optional(0.5));
  EXPECT_THAT(cpu->irq, Optional(0.06));
  EXPECT_THAT(cpu->softirq, Optional(0.07));
  EXPECT_THAT(cpu->steal, Optional(0.8));
  EXPECT_EQ(cpu->cores, 2);
}

TEST(ProcStat, KernelsBeforeIowaitAndStealSayNothingOfThem) {
  const auto cpu = ParseStat("cpu 1 2 3 4\ncpu0 1 2 3 4\n", kTicks);
  ASSERT_TRUE(cpu);
  EXPECT_THAT(cpu->idle, Optional(0.04));
  EXPECT_EQ(cpu->iowait, std::nullopt);
  EXPECT_EQ(cpu->steal, std::nullopt);
}

TEST(ProcStat, FieldsOfLaterKernelsAreSkipped) {
  const auto cpu = ParseStat("cpu 1 2 3 4 5 6 7 8 9 10 11 12 13\ncpu0 1\ncpu10 1\n", kTicks);
  ASSERT_TRUE(cpu);
  EXPECT_THAT(cpu->steal, Optional(0.08));
  EXPECT_EQ(cpu->cores, 2);
}

TEST(ProcStat, WithoutACpuLineThereIsNothing) {
  EXPECT_FALSE(ParseStat("", kTicks));
  EXPECT_FALSE(ParseStat("cpu\nintr 1\n", kTicks));
  EXPECT_FALSE(ParseStat("cpu0 1 2 3 4\n", kTicks));
  EXPECT_FALSE(ParseStat("cpu x y\n", kTicks));
}

TEST(Meminfo, GivesBytes) {
  const auto memory = ParseMeminfo(
      "MemTotal:       1000 kB\nMemFree:  200 kB\nMemAvailable:   700 kB\nCached: 300 kB\n"
      "SwapCached: 1 kB\nDirty: 4 kB\nSwapTotal: 50 kB\nSwapFree: 40 kB\nHugePages_Total:  0\n");
  EXPECT_THAT(memory.total_bytes, Optional(1'024'000.0));
  EXPECT_THAT(memory.available_bytes, Optional(716'800.0));
  EXPECT_THAT(memory.cached_bytes, Optional(307'200.0));
  EXPECT_THAT(memory.dirty_bytes, Optional(4096.0));
  EXPECT_THAT(memory.swap_free_bytes, Optional(40'960.0));
}

TEST(Meminfo, KernelsBeforeMemAvailableSayNothingOfIt) {
  const auto memory = ParseMeminfo("MemTotal: 1000 kB\nMemFree: 200 kB");
  EXPECT_EQ(memory.available_bytes, std::nullopt);
  EXPECT_THAT(memory.free_bytes, Optional(204'800.0));
}

TEST(Vmstat, GivesPagesSwappedAndMajorFaults) {
  const auto paging = ParseVmstat("nr_free_pages 9\npgmajfault 7\npswpin 3\npswpout 5\n");
  EXPECT_THAT(paging.swap_in_pages, Optional(3.0));
  EXPECT_THAT(paging.swap_out_pages, Optional(5.0));
  EXPECT_THAT(paging.major_faults, Optional(7.0));
}

TEST(Vmstat, AKernelWithoutSwapSaysNothingOfIt) {
  EXPECT_EQ(ParseVmstat("pgmajfault 7\n").swap_in_pages, std::nullopt);
}

TEST(Diskstats, GivesBytesOfWholeDisksInUse) {
  const auto disks = ParseDiskstats(
      " 254       0 vda 10 0 16 5 20 0 32 6 0 1500 11 3 0 8 1 2 3\n"
      " 254       1 vda1 9 0 14 5 20 0 32 6 0 1400 11\n"
      "   7       0 loop0 5 0 8 1 0 0 0 0 0 1 1\n"
      " 253       0 dm-0 5 0 8 1 0 0 0 0 0 1 1\n"
      " 252       0 zram0 5 0 8 1 0 0 0 0 0 1 1\n"
      "   8      16 sdb 0 0 0 0 0 0 0 0 0 0 0\n");
  ASSERT_THAT(disks, ElementsAre(Field(&DiskCounters::device, "vda")));
  EXPECT_EQ(disks[0].reads, 10);
  EXPECT_EQ(disks[0].read_bytes, 16 * 512);
  EXPECT_EQ(disks[0].writes, 20);
  EXPECT_EQ(disks[0].written_bytes, 32 * 512);
  EXPECT_EQ(disks[0].busy_s, 1.5);
}

TEST(Diskstats, PartitionsOfNvmeDisksAreKnownByTheirP) {
  const auto disks = ParseDiskstats(
      "259 0 nvme0n1 1 0 8 0 1 0 8 0 0 1 1\n259 1 nvme0n1p1 1 0 8 0 1 0 8 0 0 1 1\n"
      "259 2 nvme0n11 1 0 8 0 1 0 8 0 0 1 1\n");
  EXPECT_THAT(disks, ElementsAre(Field(&DiskCounters::device, "nvme0n1"),
                                 Field(&DiskCounters::device, "nvme0n11")));
}

TEST(Diskstats, APartitionWhoseDiskIsNotListedCounts) {
  EXPECT_THAT(ParseDiskstats("202 1 xvda1 1 0 8 0 1 0 8 0 0 1 1\n"),
              ElementsAre(Field(&DiskCounters::device, "xvda1")));
}

TEST(Diskstats, ShortLinesAreSkipped) {
  EXPECT_THAT(ParseDiskstats("8 1 sda1 1 2 3 4\n8 0\n\nnonsense\n"), IsEmpty());
}

TEST(NetDev, GivesBytesOfInterfacesInUse) {
  const auto networks = ParseNetDev(
      "Inter-|   Receive                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes packets\n"
      "    lo: 100 1 0 0 0 0 0 0 100 1 0 0 0 0 0 0\n"
      "  eth0:3820848576 5 0 0 0 0 0 0 4385594 6 0 0 0 0 0 0\n"
      "  ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
  ASSERT_EQ(networks.size(), 2u);
  EXPECT_EQ(networks[1].device, "eth0");
  EXPECT_EQ(networks[1].received_bytes, 3820848576);
  EXPECT_EQ(networks[1].sent_bytes, 4385594);
}

TEST(NetDev, AnAliasWithAColonInItsNameIsOneInterface) {
  const auto networks = ParseNetDev("eth0:1: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0\n");
  ASSERT_EQ(networks.size(), 1u);
  EXPECT_EQ(networks[0].device, "eth0:1");
}

constexpr char kStatLine[] =
    "1303 (a (b) c) R 1289 1289 28472 0 -1 4194304 99 0 12 0 150 50 30 20 20 0 7 0 1419823 3133440 "
    "396 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 1 1 1 1 1 1 1 0\n";

TEST(ProcessStat, GivesItsTimesWhateverItsNameHolds) {
  const auto process = ParseProcessStat(kStatLine, kTicks, 4096);
  ASSERT_TRUE(process);
  EXPECT_EQ(process->user_s, 1.5);
  EXPECT_EQ(process->system_s, 0.5);
  EXPECT_EQ(process->waited_user_s, 0.3);
  EXPECT_EQ(process->waited_system_s, 0.2);
  EXPECT_THAT(process->major_faults, Optional(12.0));
  EXPECT_THAT(process->threads, Optional(7.0));
  EXPECT_THAT(process->resident_bytes, Optional(396.0 * 4096));
}

TEST(ProcessStat, OfAProcessThatEndedMeanwhileIsNothing) {
  EXPECT_FALSE(ParseProcessStat("", kTicks, 4096));
  EXPECT_FALSE(ParseProcessStat("1303 (cat) R 1 2", kTicks, 4096));
}

TEST(ProcessIo, GivesWhatReachedStorage) {
  const auto io = ParseProcessIo(
      "rchar: 6976\nwchar: 0\nsyscr: 10\nsyscw: 0\nread_bytes: 4096\nwrite_bytes: 8192\n"
      "cancelled_write_bytes: 0\n");
  EXPECT_THAT(io.storage_read_bytes, Optional(4096.0));
  EXPECT_THAT(io.storage_written_bytes, Optional(8192.0));
}

TEST(ProcessIo, AFileThatMayNotBeReadSaysNothing) {
  EXPECT_EQ(ParseProcessIo("").storage_read_bytes, std::nullopt);
}

TEST(Children, AreNumbersBetweenBlanks) {
  EXPECT_THAT(ParseChildren("12 345 \n"), ElementsAre(12, 345));
  EXPECT_THAT(ParseChildren(""), IsEmpty());
  EXPECT_THAT(ParseChildren("-1 0 99999999\n"), IsEmpty());
}

TEST(Cpuinfo, GivesTheMeanOfTheCores) {
  EXPECT_THAT(ParseCpuinfoMhz("processor : 0\ncpu MHz\t\t: 2000.0\n\ncpu MHz\t\t: 3000.0\n"),
              Optional(2500.0));
}

TEST(Cpuinfo, OfAMachineThatDoesNotSayIsNothing) {
  EXPECT_EQ(ParseCpuinfoMhz("processor : 0\nBogoMIPS : 50.00\n"), std::nullopt);
  EXPECT_EQ(ParseCpuinfoMhz("cpu MHz : unknown\n"), std::nullopt);
}

TEST(CpuStat, KnowsBothVersionsOfControlGroups) {
  EXPECT_THAT(ParseThrottledSeconds("usage_usec 5\nnr_throttled 2\nthrottled_usec 1500000\n"),
              Optional(1.5));
  EXPECT_THAT(ParseThrottledSeconds("nr_periods 5\nnr_throttled 2\nthrottled_time 2500000000\n"),
              Optional(2.5));
  EXPECT_EQ(ParseThrottledSeconds("usage_usec 5\n"), std::nullopt);
}

TEST(Number, IsTheWholeTextOrNothing) {
  EXPECT_THAT(ParseNumber(" 2596122\n"), Optional(2596122.0));
  EXPECT_EQ(ParseNumber("12 kB"), std::nullopt);
  EXPECT_EQ(ParseNumber("<unsupported>"), std::nullopt);
  EXPECT_EQ(ParseNumber("nan"), std::nullopt);
  EXPECT_EQ(ParseNumber(""), std::nullopt);
}

}  // namespace
}  // namespace lakegauge::run
