#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace lakegauge::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What a user is told of this command line; empty if it is right.
std::string ProblemOf(const std::string& line) {
  CLI::App app;
  app.name("lakegauge");
  app.require_subcommand(1);
  Context context;
  AddRun(app, context);
  AddList(app, context);
  AddGenerate(app, context);
  AddProfiles(app, context);
  try {
    app.parse(line);
  } catch (const CLI::ParseError& error) {
    return CommandLineProblem(app, error).message;
  }
  return "";
}

TEST(CommandLine, RightOnesHaveNoProblem) {
  EXPECT_EQ(ProblemOf("run e.yaml --quick --scale 0.01 --set a.b=1 --set c=2"), "");
  EXPECT_EQ(ProblemOf("list"), "");
}

TEST(CommandLine, AnUnknownSubcommandIsNamedWithTheNearest) {
  EXPECT_EQ(
      ProblemOf("rnu e.yaml"),
      "unknown subcommand 'rnu'; did you mean 'run'? (lakegauge --help shows what is allowed)");
  EXPECT_THAT(ProblemOf(""), HasSubstr("subcommand is required"));
}

TEST(CommandLine, AnUnknownOptionIsNamedWithTheNearest) {
  EXPECT_EQ(ProblemOf("run e.yaml --quik"),
            "unknown option '--quik'; did you mean '--quick'? (lakegauge run --help shows what is "
            "allowed)");
}

TEST(CommandLine, AnUnknownOptionIsWorseNewsThanAMissingArgument) {
  EXPECT_THAT(ProblemOf("run --bogus"), HasSubstr("unknown option '--bogus'"));
  EXPECT_THAT(ProblemOf("run"),
              AllOf(HasSubstr("experiment is required"), HasSubstr("run --help")));
}

TEST(CommandLine, OneArgumentTooManyIsShown) {
  EXPECT_THAT(ProblemOf("list all"), HasSubstr("one argument too many: 'all'"));
}

TEST(CommandLine, NumbersAreHeldAgainstWhatIsAllowed) {
  for (const char* scale : {"nan", "inf", "0", "-1", "0.001", "1x", ""}) {
    EXPECT_THAT(ProblemOf(std::string("run e.yaml --scale '") + scale + "'"),
                AllOf(HasSubstr("--scale"), Not(HasSubstr("0000000")), Not(HasSubstr("\n"))))
        << scale;
  }
  EXPECT_THAT(ProblemOf("generate --scale 0.001"),
              HasSubstr("found '0.001'; allowed a number from 0.01"));
  EXPECT_THAT(ProblemOf("run e.yaml --max-requests 1e3"), HasSubstr("allowed an integer from 1"));
  EXPECT_THAT(ProblemOf("run e.yaml --max-cost nan"), HasSubstr("allowed a number above 0"));
}

TEST(Limits, AreReadWithTheirUnits) {
  LimitOptions options;
  options.requests = 7;
  options.time = "2min";
  const auto limits = ReadLimits(options);
  ASSERT_TRUE(limits.ok());
  EXPECT_EQ(limits->max_requests, 7);
  EXPECT_EQ(limits->max_time_ns, 120'000'000'000);
}

TEST(Limits, ATimeOfNothingIsNotNoLimit) {
  LimitOptions options;
  options.time = "0s";
  const auto limits = ReadLimits(options);
  ASSERT_FALSE(limits.ok());
  EXPECT_THAT(limits.error().message, HasSubstr("--max-time: found '0s'"));
}

TEST(ExitStatus, TellsAMistakeFromAFailureFromAStop) {
  EXPECT_EQ(ExitStatusOf(ErrorCode::kInvalidArgument), kExitUsage);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kAlreadyExists), kExitUsage);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kOutOfSpace), kExitFailed);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kCorrupt), kExitFailed);
  EXPECT_EQ(ExitStatusOf(ErrorCode::kCancelled), kExitInterrupted);
}

TEST(FitColumns, CutsBetweenCharactersAndNeverBeyondTheWidth) {
  EXPECT_EQ(FitColumns("abcdef", 6), "abcdef");
  EXPECT_EQ(FitColumns("abcdef", 5), "abcde");
  EXPECT_EQ(FitColumns("käse", 2), "kä");
  EXPECT_EQ(FitColumns("käse", 1), "k");
  EXPECT_EQ(FitColumns("表が", 3), "表");
  EXPECT_EQ(FitColumns("", 3), "");
  EXPECT_EQ(FitColumns("x\xC3", 9), "x\xC3");
}

TEST(Fail, SaysEachProblemOnALineOfItsOwn) {
  testing::internal::CaptureStderr();
  const int status = Fail(MakeError(ErrorCode::kInvalidArgument, "e.yaml:1:1: a\ne.yaml:2:1: b"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "lakegauge: e.yaml:1:1: a\nlakegauge: e.yaml:2:1: b\n");
  EXPECT_EQ(status, kExitUsage);
}

}  // namespace
}  // namespace lakegauge::cli
