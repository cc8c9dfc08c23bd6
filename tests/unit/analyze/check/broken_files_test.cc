// SPDX-License-Identifier: BSD-2-Clause
// Files that are wrong in one known way each, and exactly the findings they have to get.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "analyze/check/checker.h"
#include "analyze/check/rules.h"
#include "unit/analyze/recording_parts.h"

namespace analyze {
namespace {

using fxt::Argument;
using fxt::EventType;
using fxt::KoidValue;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;
using testing::RecordingParts;

constexpr uint64_t kInlineOne = uint64_t{0x8001};

std::vector<std::string> FindingsOf(RecordingParts& file, bool recorder_rules = true,
                                    std::optional<size_t> max_table_bytes = std::nullopt) {
  fxt::MemorySource source(file.Bytes());
  CheckOptions options;
  if (max_table_bytes) options.max_table_bytes = *max_table_bytes;
  options.recorder_rules = recorder_rules;
  std::vector<std::string> findings;
  const CheckResult result = CheckTrace(source, options, [&](const Finding& finding) {
    const std::string label = file.LabelAt(finding.offset);
    findings.push_back(std::string(finding.rule) + " at " +
                       (label.empty() ? std::to_string(finding.offset) : label));
    EXPECT_FALSE(finding.message.empty());
  });
  EXPECT_EQ(result.errors + result.warnings, findings.size());
  EXPECT_EQ(result.unreadable, "");
  return findings;
}

struct Broken {
  const char* what;
  std::function<void(RecordingParts&)> damage;
  std::vector<std::string> findings;  // "rule at label", in order

  friend std::ostream& operator<<(std::ostream& out, const Broken& broken) {
    return out << broken.what;
  }
};

fxt::Event Instant(uint64_t time, ThreadRef thread, std::string_view category,
                   std::string_view name, std::span<const Argument> arguments = {}) {
  return {EventType::kInstant,     time,      thread, StringRef::Inline(category),
          StringRef::Inline(name), arguments, 0};
}

constexpr uint64_t kStart = 1'000'000'000;
constexpr uint64_t kEnd = 2'000'000'000;
const ThreadRef kAppRef = ThreadRef::Inline(testing::kApp, testing::kApp);
const ThreadRef kWorkerRef = ThreadRef::Inline(testing::kApp, testing::kWorker);
const ThreadRef kIdle0Ref = ThreadRef::Inline(0, testing::kIdle0);

fxt::LegacyContextSwitch SwitchAtEnd(ThreadRef outgoing, uint8_t outgoing_priority,
                                     ThreadRef incoming, uint8_t incoming_priority,
                                     ThreadState state = ThreadState::kNew) {
  return {kEnd, 0, state, outgoing, incoming, outgoing_priority, incoming_priority};
}

std::vector<Broken> FormatCases() {
  return {
      {"reserved bit of a thread record",
       [](RecordingParts& f) { f.At("thread app")[0] |= uint64_t{1} << 40; },
       {"reserved-bits at thread app"}},
      {"reserved bit of the initialization record",
       [](RecordingParts& f) { f.At("init")[0] |= uint64_t{1} << 63; },
       {"reserved-bits at init"}},
      {"reserved bit of a provider section",
       [](RecordingParts& f) { f.At("section")[0] |= uint64_t{1} << 60; },
       {"reserved-bits at section"}},
      {"reserved bit of a string record",
       [](RecordingParts& f) { f.At("string app")[0] |= uint64_t{1} << 47; },
       {"reserved-bits at string app"}},
      {"reserved bits of a log record",
       [](RecordingParts& f) { f.At("log")[0] |= uint64_t{1} << 31 | uint64_t{1} << 50; },
       {"reserved-bits at log"}},
      {"reserved bit of a wakeup",
       [](RecordingParts& f) { f.At("wakeup worker")[0] |= uint64_t{1} << 50; },
       {"reserved-bits at wakeup worker"}},
      {"reserved bit of a kernel object",
       [](RecordingParts& f) { f.At("app thread")[0] |= uint64_t{1} << 44; },
       {"reserved-bits at app thread"}},
      {"reserved bit of a blob",
       [](RecordingParts& f) { f.At("branches")[0] |= uint64_t{1} << 56; },
       {"reserved-bits at branches"}},
      {"reserved bits of a koid argument",
       [](RecordingParts& f) { f.At("idle0")[4] |= uint64_t{5} << 32; },
       {"reserved-bits at idle0"}},
      {"padding of a string record",
       [](RecordingParts& f) { f.At("string sched")[1] |= uint64_t{'x'} << 56; },
       {"padding at string sched"}},
      {"padding of an inline event name",
       [](RecordingParts& f) { f.At("begin")[2] |= uint64_t{1} << 32; },
       {"padding at begin"}},
      {"padding of a log message",
       [](RecordingParts& f) { f.At("log").back() |= uint64_t{1} << 63; },
       {"padding at log"}},
      {"a word too many in an initialization record",
       [](RecordingParts& f) {
         f.At("init").push_back(0);
         f.At("init")[0] += 0x10;
       },
       {"trailing-words at init"}},
      {"a word too many in an argument",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         const size_t argument = counter.size() - 3;
         counter.insert(counter.begin() + static_cast<long>(argument) + 2, 0);
         counter[argument] += 0x10;
         counter[0] += 0x10;
       },
       {"argument-size at counter"}},
      {"an event that refers to an undefined string",
       [](RecordingParts& f) {
         f.At("end")[0] = (f.At("end")[0] & ~(uint64_t{0xffff} << 32)) | uint64_t{99} << 32;
       },
       {"undefined-string at end"}},
      {"a string that is defined behind its use",
       [](RecordingParts& f) {
         const auto words = f.At("string app");
         f.Remove("string app").AddWords("string app", words);
       },
       {"undefined-string at begin", "undefined-string at complete",
        "undefined-string at async begin", "undefined-string at flow begin",
        "undefined-string at flow end", "undefined-string at async end", "undefined-string at end",
        "undefined-string at counter"}},
      {"a switch that refers to an undefined thread",
       [](RecordingParts& f) {
         // Idle of CPU 0 stays what it was, so that nothing else is wrong.
         f.Add("odd", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
         f.Add("wake", fxt::Log{kEnd, ThreadRef::Indexed(200), "m"});
         f.Add("instant", Instant(kEnd, ThreadRef::Inline(0, 0), "log", "m"));
       },
       {"undefined-thread at wake", "recorder-unnamed at wake"}},
      {"a section of a provider without info",
       [](RecordingParts& f) { f.Add("other", fxt::ProviderSection{9}); },
       {"unknown-provider at other"}},
      {"an outgoing thread that is running",
       [](RecordingParts& f) {
         f.At("last switch")[0] = (f.At("last switch")[0] & ~(uint64_t{0xf} << 24)) | 1 << 24;
       },
       {"thread-state at last switch"}},
      {"an outgoing thread in a state without a name",
       [](RecordingParts& f) { f.At("last switch")[0] |= uint64_t{0xf} << 24; },
       {"thread-state at last switch"}},
      {"a string that is not UTF-8",
       [](RecordingParts& f) { f.At("string app")[1] = 0xff6161; },
       {"utf-8 at string app"}},
      {"a log message that is not UTF-8",
       [](RecordingParts& f) { f.At("log")[2] |= 0xff; },
       {"utf-8 at log"}},
      {"a complete event that ends before it begins",
       [](RecordingParts& f) { f.At("complete").back() = 5; },
       {"event-times at complete"}},
      {"a duration end without a begin",
       [](RecordingParts& f) { f.Remove("begin"); },
       {"unmatched-end at end"}},
      {"an async end without a begin",
       [](RecordingParts& f) { f.Remove("async begin"); },
       {"unmatched-end at async end"}},
      {"a flow end without a begin",
       [](RecordingParts& f) { f.Remove("flow begin"); },
       {"unmatched-flow at flow end"}},
      {"branches: more than are there",
       [](RecordingParts& f) { f.At("branches")[2] = 1 | uint64_t{2} << 16; },
       {"last-branch at branches"}},
      {"branches: fewer than are there",
       [](RecordingParts& f) { f.At("branches")[2] = 1; },
       {"last-branch at branches"}},
      {"branches: reserved field",
       [](RecordingParts& f) { f.At("branches")[2] |= uint64_t{1} << 32; },
       {"last-branch at branches"}},
      {"branches: named after another CPU",
       [](RecordingParts& f) { f.At("branches")[2] = 2 | uint64_t{1} << 16; },
       {"last-branch at branches"}},
      {"an unknown record type",
       [](RecordingParts& f) { f.AddWords("unknown", {0x1c}); },
       {"unknown-type at unknown"}},
      {"an unknown argument type",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         counter[counter.size() - 3] |= 0xf;
       },
       {"unknown-type at counter"}},
      {"an argument of size 0",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         counter[counter.size() - 3] &= ~uint64_t{0xfff0};
       },
       {"malformed at counter"}},
      {"a name that is longer than its record",
       [](RecordingParts& f) {
         f.AddWords("bad", {0x24 | 1 << 24 | (kInlineOne + 30) << 48, kEnd});
       },
       {"malformed at bad"}},
      {"a file that is cut in its last record",
       [](RecordingParts& f) { f.AddWords("cut", {0x28}); },
       {"truncated at cut"}},
      {"a record of size 0",
       [](RecordingParts& f) {
         f.AddWords("zero", {0x08});
         f.AddWords("never read", {0x1c});
       },
       {"framing at zero"}},
  };
}

std::vector<Broken> RecorderCases() {
  const auto drop_bits = [](uint64_t& word, unsigned first, unsigned last, uint64_t value) {
    word = (word & ~((~uint64_t{0} >> (63 - (last - first))) << first)) | value << first;
  };
  return {
      {"no initialization",
       [](RecordingParts& f) { f.Remove("init"); },
       {"recorder-preamble at string sched"}},
      {"another tick rate",
       [](RecordingParts& f) { f.After("init", "again", fxt::Initialization{1000}); },
       {"recorder-preamble at again"}},
      {"no section record",
       [](RecordingParts& f) { f.Remove("section"); },
       {"recorder-preamble at init"}},
      {"no session", [](RecordingParts& f) { f.Remove("session"); }, {"recorder-session at begin"}},
      {"out of time order",
       [](RecordingParts& f) { f.Swap("wakeup worker", "switch to app"); },
       {"recorder-time-order at switch to app"}},
      {"newer layout for a low CPU",
       [](RecordingParts& f) {
         f.Add("newer",
               fxt::ContextSwitch{kEnd, 0, ThreadState::kNew, testing::kIdle0, testing::kApp, {}});
       },
       {"recorder-switch-layout at newer"}},
      {"a koid of more than 32 bits",
       [](RecordingParts& f) {
         const auto odd = ThreadRef::Inline(testing::kApp, uint64_t{1} << 33);
         f.Add("event", Instant(kEnd, odd, "app", "event"));
       },
       {"recorder-koid at event", "recorder-unnamed at event"}},
      {"a thread without a name",
       [](RecordingParts& f) {
         f.Add("event", Instant(kEnd, ThreadRef::Inline(testing::kApp, 555), "app", "event"));
       },
       {"recorder-unnamed at event"}},
      {"a process without a name",
       [](RecordingParts& f) { f.Remove("app process"); },
       {"recorder-unnamed at app thread"}},
      {"a waker without a name",
       [](RecordingParts& f) {
         const Argument waker{StringRef::Inline("waker"), KoidValue{556}};
         f.Add("wakeup", fxt::ThreadWakeup{kEnd, 0, testing::kApp, {&waker, 1}});
       },
       {"recorder-unnamed at wakeup"}},
      {"a thread object whose process is a number",
       [](RecordingParts& f) {
         const Argument process{StringRef::Inline("process"), uint64_t{testing::kApp}};
         f.Replace(
             "worker thread",
             fxt::KernelObject{2, testing::kWorker, StringRef::Inline("worker"), {&process, 1}});
       },
       {"recorder-process at worker thread"}},
      {"a thread of another process than its object says",
       [](RecordingParts& f) {
         f.Replace("thread worker", fxt::ThreadRecord{3, 0, testing::kWorker});
       },
       {"recorder-idle at switch to worker", "recorder-idle at switch from worker",
        "recorder-idle at switch after loss", "recorder-idle at switch unseen before",
        "recorder-idle at last switch", "recorder-process at thread worker"}},
      {"a process in two: a leader that is of another process than its thread",
       [](RecordingParts& f) {
         // As from a list of tasks that has the thread first: 300 is of 1927, 1927 of another.
         constexpr fxt::Koid kOther = fxt::Koid{1} << 22 | 1927;
         const Argument first{StringRef::Inline("process"), KoidValue{1927}};
         const Argument second{StringRef::Inline("process"), KoidValue{kOther}};
         f.Add("first", fxt::KernelObject{1, 1927, StringRef::Inline("server"), {}});
         f.Add("thread", fxt::KernelObject{2, 300, StringRef::Inline("worker"), {&first, 1}});
         f.Add("second", fxt::KernelObject{1, kOther, StringRef::Inline("server"), {}});
         f.Add("leader", fxt::KernelObject{2, 1927, StringRef::Inline("server"), {&second, 1}});
         f.Add("event", Instant(kEnd, ThreadRef::Inline(kOther, 1927), "app", "event"));
       },
       {"recorder-split-process at leader"}},
      {"a command line that is cut to more than it was",
       [](RecordingParts& f) {
         const std::array arguments = {
             Argument{StringRef::Inline("cmdline"), StringRef::Inline("server --port 80")},
             Argument{StringRef::Inline("cmdline_cut"), uint64_t{16}}};
         f.Replace("app process",
                   fxt::KernelObject{1, testing::kApp, StringRef::Inline("app"), arguments});
       },
       {"recorder-cmdline at app process"}},
      {"a cut command line that is not there",
       [](RecordingParts& f) {
         const Argument cut{StringRef::Inline("cmdline_cut"), uint64_t{5000}};
         f.Replace("app process",
                   fxt::KernelObject{1, testing::kApp, StringRef::Inline("app"), {&cut, 1}});
       },
       {"recorder-cmdline at app process"}},
      {"idle with a priority",
       [&](RecordingParts& f) { drop_bits(f.At("switch to app")[0], 44, 51, 120); },
       {"recorder-idle at switch to app"}},
      {"the idle thread of another CPU",
       [](RecordingParts& f) {
         f.Add("odd", SwitchAtEnd(ThreadRef::Inline(0, testing::kIdle1), 0, kAppRef, 120));
       },
       {"recorder-idle at odd", "recorder-continuity at odd"}},
      {"a state that is not followed by its switch",
       [](RecordingParts& f) { f.Swap("state", "branches"); },
       {"recorder-linux-state at state"}},
      {"a state of another kind than its switch",
       [&](RecordingParts& f) { drop_bits(f.At("switch from worker")[0], 24, 27, 0); },
       {"recorder-linux-state at state"}},
      {"a state that Linux does not have",
       [](RecordingParts& f) {
         const Argument state{StringRef::Inline("state"), StringRef::Inline("Q")};
         f.Add("odd", Instant(kEnd, kAppRef, "sched", "linux_state", {&state, 1}));
       },
       {"recorder-linux-state at odd"}},
      {"a priority above 139",
       [&](RecordingParts& f) { drop_bits(f.At("switch to app")[0], 52, 59, 140); },
       {"recorder-priority at switch to app"}},
      {"a wakeup of a running thread",
       [](RecordingParts& f) {
         f.After("switch to worker", "wakeup",
                 fxt::ThreadWakeup{kStart + 3500, 0, testing::kApp, {}});
       },
       {"recorder-wakeup at wakeup"}},
      {"a waker that is no koid",
       [](RecordingParts& f) {
         const Argument waker{StringRef::Inline("waker"), uint64_t{testing::kApp}};
         f.Add("wakeup", fxt::ThreadWakeup{kEnd, 0, testing::kApp, {&waker, 1}});
       },
       {"recorder-wakeup at wakeup"}},
      {"a string index defined twice",
       [](RecordingParts& f) {
         f.After("string app", "again", fxt::StringRecord{4, "app"});
       },
       {"recorder-redefined at again"}},
      {"a thread index defined twice",
       [](RecordingParts& f) {
         f.After("thread app", "again", fxt::ThreadRecord{2, testing::kApp, testing::kApp});
       },
       {"recorder-redefined at again"}},
      {"a large record",
       [](RecordingParts& f) {
         f.Add("large", fxt::LargeBlob{StringRef::Inline("c"), StringRef::Inline("n"), {}});
       },
       {"recorder-large-record at large"}},
      {"a full buffer without a loss",
       [](RecordingParts& f) { f.Remove("lost").Remove("lost counter"); },
       {"recorder-loss at filled up", "recorder-continuity at switch after loss"}},
      {"a loss without its counter",
       [](RecordingParts& f) { f.Remove("lost counter"); },
       {"recorder-loss at lost"}},
      {"a loss without a CPU",
       [](RecordingParts& f) {
         const Argument category{StringRef::Inline("category"), StringRef::Inline("sched")};
         fxt::Event counter = Instant(kEnd, kAppRef, "fxt-record", "lost_events");
         counter.type = EventType::kCounter;
         counter.payload = ~uint64_t{0};
         f.Add("filled", fxt::ProviderEvent{1, 0});
         f.Add("loss", Instant(kEnd, kAppRef, "fxt-record", "lost_events", {&category, 1}));
         f.Add("counter 2", counter);
       },
       {"recorder-loss at loss"}},
      {"a gap in a CPU's switches",
       [](RecordingParts& f) { f.Remove("unseen"); },
       {"recorder-continuity at switch unseen before"}},
      {"a log record without its instant",
       [](RecordingParts& f) { f.Remove("log instant"); },
       {"recorder-log at log"}},
      {"a stack without addresses",
       [](RecordingParts& f) {
         const Argument stack{StringRef::Inline("stack"), fxt::PointerValue{7}};
         f.Add("stack", fxt::Event{.type = EventType::kInstant,
                                   .timestamp = kEnd,
                                   .thread = ThreadRef::Inline(testing::kApp, testing::kApp),
                                   .category = StringRef::Inline("stack"),
                                   .name = StringRef::Inline("on"),
                                   .arguments = {&stack, 1}});
       },
       {"recorder-stack at stack"}},
  };
}

TEST(BrokenFilesTest, TheSoundRecordingHasNoFindings) {
  RecordingParts file = RecordingParts::Sound();
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

class BrokenFileTest : public ::testing::TestWithParam<Broken> {};

TEST_P(BrokenFileTest, GetsExactlyItsFindings) {
  RecordingParts file = RecordingParts::Sound();
  GetParam().damage(file);
  EXPECT_EQ(FindingsOf(file), GetParam().findings);
}

INSTANTIATE_TEST_SUITE_P(Format, BrokenFileTest, ::testing::ValuesIn(FormatCases()));
INSTANTIATE_TEST_SUITE_P(Recorder, BrokenFileTest, ::testing::ValuesIn(RecorderCases()));

// Every rule has a file that breaks it; those named here need more than a small file, and have
// tests of their own below.
TEST(BrokenFilesTest, EveryRuleIsBrokenOnce) {
  std::set<std::string> broken = {"string-length", "table-limit"};
  for (const auto& cases : {FormatCases(), RecorderCases()}) {
    for (const Broken& one : cases) {
      for (const std::string& finding : one.findings) {
        broken.insert(finding.substr(0, finding.find(" at ")));
      }
    }
  }
  for (const Rule& rule : Rules()) EXPECT_TRUE(broken.contains(std::string(rule.id))) << rule.id;
}

// The leader's last switch, then one of the other thread to show it running, and one of the leader
// that it has become.
void AddTakeOver(RecordingParts& file, ThreadState leader_ends_as) {
  file.Add("leader comes", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
  file.Add("leader goes", SwitchAtEnd(kAppRef, 120, kWorkerRef, 120, leader_ends_as));
  file.Add("leader again", SwitchAtEnd(kAppRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
}

TEST(BrokenFilesTest, AThreadThatTakesOverItsLeaderIsNoGap) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kDying);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

// The leader is still on its way out when its id goes over, and leaves by the other thread's.
TEST(BrokenFilesTest, ALeaderMayLeaveByTheIdOfWhoTookItOver) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  file.Add("leader once more", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
  RecordingParts lives = file;
  file.Add("leader ends", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kDead));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  lives.Add("no end", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
  EXPECT_EQ(FindingsOf(lives), (std::vector<std::string>{"recorder-continuity at no end",
                                                         "recorder-continuity at leader again"}));
}

TEST(BrokenFilesTest, ALeaderThatLivesIsNotTakenOver) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at leader again"});
}

TEST(BrokenFilesTest, ALeaderMayHaveEndedInAGap) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  const Argument other_cpu{StringRef::Inline("cpu"), int32_t{1}};
  file.Before("leader again", "gap",
              Instant(kEnd, kAppRef, "fxt-record", "unseen_switch", {&other_cpu, 1}));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
}

TEST(BrokenFilesTest, ALeaderMayHaveEndedInAGapThatIsDeclaredLater) {
  RecordingParts file = RecordingParts::Sound();
  AddTakeOver(file, ThreadState::kBlocked);
  const Argument other_cpu{StringRef::Inline("cpu"), int32_t{1}};
  const auto gap = Instant(kEnd, kAppRef, "fxt-record", "unseen_switch", {&other_cpu, 1});
  RecordingParts declared = file;
  declared.Add("gap", gap);
  EXPECT_EQ(FindingsOf(declared), std::vector<std::string>{});
  // Not when it begins behind the exec.
  file.Add("switch behind",
           fxt::LegacyContextSwitch{kEnd, 1, ThreadState::kNew,
                                    ThreadRef::Inline(0, testing::kIdle1), kWorkerRef, 0, 120});
  file.Add("gap", gap);
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at leader again"});
}

TEST(BrokenFilesTest, OnlyTheLeaderIsTakenOver) {
  RecordingParts file = RecordingParts::Sound();
  file.Add("worker comes", SwitchAtEnd(kIdle0Ref, 0, kWorkerRef, 120));
  file.Add("worker ends", SwitchAtEnd(kWorkerRef, 120, kAppRef, 120, ThreadState::kDying));
  file.Add("worker again", SwitchAtEnd(kWorkerRef, 120, kIdle0Ref, 0, ThreadState::kBlocked));
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"recorder-continuity at worker again"});
}

TEST(BrokenFilesTest, FilesOfOthersAreHeldAgainstTheFormatAlone) {
  for (const Broken& one : RecorderCases()) {
    SCOPED_TRACE(one.what);
    RecordingParts file = RecordingParts::Sound();
    one.damage(file);
    EXPECT_EQ(FindingsOf(file, false), std::vector<std::string>{});
    // The recorder's name is what makes its rules apply.
    file.Replace("info", fxt::ProviderInfo{1, "other"});
    EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  }
}

TEST(BrokenFilesTest, AStringThatIsTooLong) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text(32'500, 'x');
  file.Add("long", fxt::StringRecord{50, text});
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{"string-length at long"});
}

TEST(BrokenFilesTest, MoreStringsThanAReaderKeeps) {
  RecordingParts file = RecordingParts::Sound();
  const std::string text(20'000, 'x');
  for (uint16_t i = 0; i < 4; ++i) {
    file.Add("string " + std::to_string(i), fxt::StringRecord{static_cast<uint16_t>(50 + i), text});
  }
  EXPECT_EQ(FindingsOf(file), std::vector<std::string>{});
  EXPECT_EQ(FindingsOf(file, true, 50'000),
            (std::vector<std::string>{"table-limit at string 2", "table-limit at string 3"}));
}

TEST(BrokenFilesTest, NoTraceIsUnreadable) {
  const std::string text = "asdfasdfasdfasdfasdf";
  fxt::MemorySource source(std::as_bytes(std::span(text.data(), text.size())));
  const CheckResult result = CheckTrace(source, {}, [](const Finding&) {});
  EXPECT_FALSE(result.unreadable.empty());
  EXPECT_FALSE(result.clean());
}

}  // namespace
}  // namespace analyze
