// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/show/trace_event_writer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "analyze/show/overview.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/file_builder.h"
#include "unit/fxt/support/random_records.h"
#include "unit/fxt/support/vectors.h"
#include "unit/support/json.h"

namespace analyze {
namespace {

using fxt::Argument;
using fxt::EventType;
using fxt::StringRef;
using fxt::ThreadRef;
using nlohmann::json;
using testing::RecordingParts;

json Convert(std::span<const std::byte> bytes, TraceEventOptions options = {}) {
  text::TextWriter out;
  TraceEventWriter writer(out, options);
  fxt::MemorySource source(bytes);
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) EXPECT_TRUE(writer.Add(reader).ok());
  EXPECT_TRUE(writer.Finish().ok());
  return testing_support::ParseJson(out.text());
}

// The events of a phase, metadata of names apart.
std::vector<json> OfPhase(const json& trace, const std::string& phase) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == phase) found.push_back(event);
  }
  return found;
}

// The lines of one event in the ftrace text.
std::vector<std::string> SystemLines(const json& trace, const std::string& event) {
  std::vector<std::string> found;
  if (!trace.contains("systemTraceEvents")) return found;
  std::istringstream text(trace["systemTraceEvents"].get<std::string>());
  for (std::string line; std::getline(text, line);) {
    if (line.find("] .... ") != std::string::npos &&
        line.find(": " + event + ": ") != std::string::npos)
      found.push_back(line);
  }
  return found;
}

TEST(TraceEventWriterTest, ARecordingIsWhole) {
  RecordingParts file = RecordingParts::Sound();
  const json trace = Convert(file.Bytes());
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
  EXPECT_TRUE(trace["systemTraceEvents"].get<std::string>().starts_with("# tracer: nop\n#\n"));
  EXPECT_EQ(SystemLines(trace, "tracing_mark_write").size(), 1u);
  EXPECT_EQ(trace["metadata"]["clock-domain"], "LINUX_CLOCK_MONOTONIC");

  const json complete = OfPhase(trace, "X").at(0);
  EXPECT_EQ(complete["name"], "step");
  EXPECT_EQ(complete["cat"], "app");
  EXPECT_EQ(complete["ts"], 1000005.0);
  EXPECT_EQ(complete["dur"], 0.5);
  EXPECT_EQ(complete["pid"], 100);
  EXPECT_EQ(complete["tid"], 100);
  EXPECT_EQ(complete["args"]["n"], 1);
  EXPECT_EQ(OfPhase(trace, "B").size(), 1u);
  EXPECT_EQ(OfPhase(trace, "E").size(), 1u);
  EXPECT_EQ(OfPhase(trace, "b").at(0)["id"], "0x4d");
  EXPECT_EQ(OfPhase(trace, "e").at(0)["id"], "0x4d");
  EXPECT_EQ(OfPhase(trace, "s").at(0)["id"], "0x4e");
  EXPECT_EQ(OfPhase(trace, "f").at(0)["bp"], "e");
  const json counter = OfPhase(trace, "C").at(0);
  EXPECT_EQ(counter["id"], "0x5");
  EXPECT_EQ(counter["args"]["n"], 1);

  bool log_seen = false;
  for (const json& instant : OfPhase(trace, "i")) {
    if (instant["name"] == "log") {
      log_seen = true;
      EXPECT_EQ(instant["s"], "g");
      EXPECT_EQ(instant["args"]["message"], "a message");
    } else {
      EXPECT_EQ(instant["s"], "t");
    }
  }
  EXPECT_TRUE(log_seen);

  std::map<std::string, std::set<std::string>> names;
  for (const json& event : OfPhase(trace, "M")) {
    names[event["name"]].insert(event["args"]["name"].get<std::string>());
  }
  EXPECT_TRUE(names["process_name"].contains("app"));
  EXPECT_TRUE(names["thread_name"].contains("worker"));
}

// Perfetto refuses any other form, and reads no \u escapes.
TEST(TraceEventWriterTest, WritesSwitchesAndWakeupsAsFtraceText) {
  RecordingParts file = RecordingParts::Sound();
  const json trace = Convert(file.Bytes());
  const auto switches = SystemLines(trace, "sched_switch");
  ASSERT_EQ(switches.size(), 6u);
  EXPECT_EQ(switches[0],
            "<idle>-0 (-----) [000] .... 1.000001000: sched_switch: prev_comm=swapper/0 prev_pid=0 "
            "prev_prio=120 prev_state=R ==> next_comm=app next_pid=100 next_prio=120");
  const auto wakeups = SystemLines(trace, "sched_waking");
  ASSERT_EQ(wakeups.size(), 1u);
  EXPECT_EQ(wakeups[0],
            "app-100 (100) [001] .... 1.000002000: sched_waking: comm=worker pid=101 prio=120 "
            "target_cpu=001");
}

TEST(TraceEventWriterTest, FtraceTextKeepsLinuxStatesAndNeedsNoUnicodeEscapes) {
  fxt::testing::FileBuilder file;
  const Argument process{StringRef::Inline("process"), fxt::KoidValue{1}};
  file.Add(fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                             2,
                             StringRef::Inline("a\x1b\"\\\n\xff"),
                             {&process, 1}});
  const Argument state{StringRef::Inline("state"), StringRef::Inline("D")};
  file.Add(fxt::Event{EventType::kInstant,
                      5,
                      ThreadRef::Inline(1, 2),
                      StringRef::Inline("sched"),
                      StringRef::Inline("linux_state"),
                      {&state, 1},
                      0});
  file.Add(fxt::LegacyContextSwitch{5, 0, fxt::ThreadState::kBlocked, ThreadRef::Inline(1, 2),
                                    ThreadRef::Inline(1, 3), 120, 100});
  text::TextWriter out;
  TraceEventWriter writer(out, {});
  fxt::MemorySource source(file.bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) ASSERT_TRUE(writer.Add(reader).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const size_t at = out.text().find("systemTraceEvents");
  ASSERT_NE(at, std::string_view::npos);
  const std::string_view json_text = out.text().substr(at);
  for (size_t i = 0; i + 1 < json_text.size(); ++i) {
    if (json_text[i] != '\\') continue;
    EXPECT_NE(std::string_view("\"\\/bfnrt").find(json_text[i + 1]), std::string_view::npos) << i;
    ++i;
  }
  const auto switches = SystemLines(testing_support::ParseJson(out.text()), "sched_switch");
  ASSERT_EQ(switches.size(), 1u);
  EXPECT_NE(switches[0].find(" prev_state=D ==> "), std::string::npos) << switches[0];
}

TEST(TraceEventWriterTest, CpuSlicesAreASliceForEachTimeOnACpu) {
  RecordingParts file = RecordingParts::Sound();
  const json plain = Convert(file.Bytes());
  const json trace = Convert(file.Bytes(), {.cpu_slices = true});
  EXPECT_EQ(SystemLines(trace, "sched_switch").size(), SystemLines(plain, "sched_switch").size());
  std::vector<json> slices;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] != "M" && event["cat"] == "sched" && event["name"] != "linux_state") {
      slices.push_back(event);
    }
  }
  // The worker on CPU 1, the first thread on CPU 0 up to the loss, and the worker there at the end.
  ASSERT_EQ(slices.size(), 6u);
  EXPECT_EQ(slices[0]["ph"], "B");
  EXPECT_EQ(slices[0]["name"], "worker");
  EXPECT_EQ(slices[0]["tid"], 1);
  EXPECT_EQ(slices[0]["ts"], 1000003.0);
  EXPECT_EQ(slices[0]["args"]["pid"], 100);
  EXPECT_EQ(slices[1]["ph"], "E");
  EXPECT_EQ(slices[1]["ts"], 1000013.0);
  EXPECT_EQ(slices[1]["args"], slices[0]["args"]);
  EXPECT_EQ(slices[2]["tid"], 0);
  EXPECT_EQ(slices[2]["name"], "app");
  EXPECT_EQ(slices[3]["ts"], 1000014.0);
  EXPECT_EQ(slices[4]["tid"], 0);
  EXPECT_EQ(slices[4]["name"], "worker");
}

TEST(TraceEventWriterTest, ASliceEndsWhereALossBeginsAndNoneIsDrawnUpToAnUnseenSwitch) {
  constexpr uint64_t kUs = 1'000;
  const auto app = ThreadRef::Inline(testing::kApp, testing::kApp);
  const auto worker = ThreadRef::Inline(testing::kApp, testing::kWorker);
  const auto idle = ThreadRef::Inline(0, testing::kIdle0);
  const auto lost = ThreadRef::Inline((fxt::Koid{1020} << 22) + 4, fxt::Koid{1019} << 22);
  fxt::testing::FileBuilder file;
  file.Add(fxt::ProviderInfo{1, "fxt-record"});
  file.Add(fxt::ProviderSection{1});
  const auto add_switch = [&](uint64_t time, ThreadRef outgoing, ThreadRef incoming) {
    file.Add(fxt::LegacyContextSwitch{time * kUs, 0, fxt::ThreadState::kNew, outgoing, incoming,
                                      uint8_t{0}, static_cast<uint8_t>(incoming == idle ? 0 : 1)});
  };
  add_switch(10, idle, app);
  add_switch(20, app, lost);
  add_switch(30, lost, worker);
  add_switch(30, worker, app);
  const Argument cpu{StringRef::Inline("cpu"), int32_t{0}};
  file.Add(fxt::Event{EventType::kInstant,
                      50 * kUs,
                      app,
                      StringRef::Inline("fxt-record"),
                      StringRef::Inline("unseen_switch"),
                      {&cpu, 1},
                      0});
  add_switch(50, app, worker);
  add_switch(50, worker, app);
  add_switch(60, app, idle);
  const json trace = Convert(file.bytes(), {.cpu_slices = true});
  std::vector<std::string> slices;
  for (const json& event : OfPhase(trace, "B")) {
    slices.push_back(
        fmt::format("{} {}", event["args"]["tid"].get<uint64_t>(), event["ts"].get<double>()));
  }
  for (const json& event : OfPhase(trace, "E")) {
    slices.push_back(
        fmt::format("{} {}", event["args"]["tid"].get<uint64_t>(), event["ts"].get<double>()));
  }
  const std::string stand_in = fmt::format("{}", lost.thread);
  EXPECT_EQ(slices, (std::vector<std::string>{"100 10", stand_in + " 20", "100 50", "100 20",
                                              stand_in + " 30", "100 60"}));
}

TEST(TraceEventWriterTest, NumbersAndTextSurviveJson) {
  fxt::testing::FileBuilder file;
  const Argument arguments[] = {
      {StringRef::Inline("null"), fxt::NullValue{}},
      {StringRef::Inline("int32"), std::numeric_limits<int32_t>::min()},
      {StringRef::Inline("uint32"), std::numeric_limits<uint32_t>::max()},
      {StringRef::Inline("int64"), std::numeric_limits<int64_t>::min()},
      {StringRef::Inline("uint64"), std::numeric_limits<uint64_t>::max()},
      {StringRef::Inline("double"), 1234.5678},
      {StringRef::Inline("nan"), std::numeric_limits<double>::quiet_NaN()},
      {StringRef::Inline("string"), StringRef::Inline("he\xfflo \"\n")},
      {StringRef::Inline("pointer"), fxt::PointerValue{0xdeadbeefcafe}},
      {StringRef::Inline("koid"), fxt::KoidValue{12}},
      {StringRef::Inline("bool"), true},
  };
  file.Add(fxt::Event{EventType::kInstant, 1, ThreadRef::Inline(~uint64_t{0}, uint64_t{1} << 53),
                      StringRef::Inline("c\xff"), StringRef::Inline("n"), arguments, 0});
  const json event = Convert(file.bytes())["traceEvents"].at(0);
  EXPECT_EQ(event["pid"], "18446744073709551615");
  EXPECT_EQ(event["tid"], uint64_t{1} << 53);
  EXPECT_EQ(event["cat"], "c\xef\xbf\xbd");
  const json& args = event["args"];
  EXPECT_TRUE(args["null"].is_null());
  EXPECT_EQ(args["int32"], std::numeric_limits<int32_t>::min());
  EXPECT_EQ(args["uint32"], std::numeric_limits<uint32_t>::max());
  EXPECT_EQ(args["int64"], "-9223372036854775808");
  EXPECT_EQ(args["uint64"], "18446744073709551615");
  EXPECT_EQ(args["double"], 1234.5678);
  EXPECT_EQ(args["nan"], "NaN");
  EXPECT_EQ(args["string"], "he\xef\xbf\xbdlo \"\n");
  EXPECT_EQ(args["pointer"], "0xdeadbeefcafe");
  EXPECT_EQ(args["koid"], "#12");
  EXPECT_EQ(args["bool"], true);
}

// Phases of events whose types other tests do not have.
TEST(TraceEventWriterTest, EveryEventTypeHasItsPhase) {
  const std::pair<EventType, const char*> phases[] = {
      {EventType::kInstant, "i"},          {EventType::kCounter, "C"},
      {EventType::kDurationBegin, "B"},    {EventType::kDurationEnd, "E"},
      {EventType::kDurationComplete, "X"}, {EventType::kAsyncBegin, "b"},
      {EventType::kAsyncInstant, "n"},     {EventType::kAsyncEnd, "e"},
      {EventType::kFlowBegin, "s"},        {EventType::kFlowStep, "t"},
      {EventType::kFlowEnd, "f"}};
  for (const auto& [type, phase] : phases) {
    fxt::testing::FileBuilder file;
    file.Add(fxt::Event{type,
                        1,
                        ThreadRef::Inline(1, 2),
                        StringRef::Inline("c"),
                        StringRef::Inline("n"),
                        {},
                        HasPayload(type) ? ~uint64_t{0} : 0});
    const json event = Convert(file.bytes())["traceEvents"].at(0);
    EXPECT_EQ(event["ph"], phase);
    if (HasPayload(type) && type != EventType::kDurationComplete) {
      EXPECT_EQ(event["id"], "0xffffffffffffffff") << phase;
    }
  }
}

// The vectors' README says what trace2json makes of row B2.
TEST(TraceEventWriterTest, BranchesAreWhatTrace2jsonMakesOfThem) {
  for (const fxt::testing::Vector& vector : fxt::testing::LoadVectors()) {
    if (vector.id != "B2") continue;
    fxt::testing::FileBuilder file;
    file.Raw(vector.words);
    EXPECT_EQ(Convert(file.bytes())["lastBranch"],
              testing_support::ParseJson(R"({"records":[{"cpu":1,
        "aspace":4321,"event_time":1234,"branches":[{"from":0,"to":50,"info":0},
        {"from":100,"to":150,"info":69},{"from":200,"to":250,"info":138},
        {"from":300,"to":350,"info":207}]}]})"));
    return;
  }
  GTEST_SKIP() << "no vectors.tsv above the current directory";
}

TEST(TraceEventWriterTest, CountsAgreeWithTheSummary) {
  for (uint64_t seed = 200; seed < 206; ++seed) {
    fxt::testing::RandomRecords random(seed);
    fxt::testing::FileBuilder file;
    for (int i = 0; i < 400; ++i) {
      const fxt::Record record = random.Next();
      fxt::testing::CollectingSink sink;
      fxt::RecordBuffer buffer(sink);
      if (fxt::Encoder(buffer).Write(record) == fxt::EncodeStatus::kOk) file.Add(record);
    }
    const json trace = Convert(file.bytes());
    fxt::MemorySource source(file.bytes());
    fxt::Reader reader(source);
    const Overview summary = TakeOverview(reader);
    uint64_t timed_blobs = 0;
    fxt::MemorySource again(file.bytes());
    fxt::Reader second(again);
    while (second.Next() == fxt::ReadStatus::kRecord) {
      timed_blobs += std::holds_alternative<fxt::LargeBlobWithMetadata>(second.record());
    }
    uint64_t events = 0;
    for (const json& event : trace["traceEvents"]) events += event["ph"] != "M";
    EXPECT_EQ(events, summary.events() + summary.of(facts::RecordKind::kLog).count + timed_blobs);
    EXPECT_EQ(SystemLines(trace, "sched_switch").size(),
              summary.of(facts::RecordKind::kSwitch).count);
    EXPECT_EQ(SystemLines(trace, "sched_waking").size(),
              summary.of(facts::RecordKind::kWakeup).count);
  }
}

// Enough switches that they wait in a file.
TEST(TraceEventWriterTest, LongTracesAreSpooled) {
  fxt::testing::FileBuilder file;
  constexpr uint64_t kSwitches = 30'000;
  for (uint64_t i = 0; i < kSwitches; ++i) {
    file.Add(fxt::LegacyContextSwitch{i, 0, fxt::ThreadState::kBlocked, ThreadRef::Inline(1, 2),
                                      ThreadRef::Inline(1, 3), 1, 1});
  }
  const json trace = Convert(file.bytes());
  const auto switches = SystemLines(trace, "sched_switch");
  ASSERT_EQ(switches.size(), kSwitches);
  EXPECT_NE(switches.back().find(" 0.000029999: "), std::string::npos) << switches.back();
}

}  // namespace
}  // namespace analyze
