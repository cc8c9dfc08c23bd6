// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/trace_event_importer.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <utility>

#include "fxt/reader.h"
#include "import/trace_event/trace_event_stats.h"
#include "unit/import/trace_event/example_json.h"
#include "unit/import/trace_event/imported.h"
#include "unit/support/json.h"

namespace importer {
namespace {

using nlohmann::json;
using testing::BackToJson;
using testing::ExpectSound;
using testing::Import;
using testing::Imported;

json RoundTrip(std::string_view text) {
  Imported imported;
  Import(text, imported);
  EXPECT_EQ(imported.error, "");
  ExpectSound(imported);
  return BackToJson(imported);
}

// Events by phase and time; names of tasks by their own phase.
std::multimap<std::pair<std::string, double>, json> ByPhase(const json& events) {
  std::multimap<std::pair<std::string, double>, json> found;
  for (const json& event : events) {
    found.emplace(std::pair(event["ph"].get<std::string>(), event.value("ts", 0.0)), event);
  }
  return found;
}

// The only event of a file, after import and `fxt json`.
json Only(const std::string& event) {
  const json back = RoundTrip("[" + event + "]");
  for (const json& each : back["traceEvents"]) {
    if (each["ph"] != "M") return each;
  }
  return {};
}

TEST(TraceEventImporterTest, EveryPhaseSurvives) {
  const std::string text = testing::EveryPhase();
  const json before = testing_support::ParseJson(text);
  const json after = RoundTrip(text);
  const auto found = ByPhase(after["traceEvents"]);
  for (const json& event : before["traceEvents"]) {
    const std::string phase = event["ph"];
    if (phase == "M") continue;
    SCOPED_TRACE(event.dump());
    const auto [first, last] = found.equal_range({phase, event["ts"].get<double>()});
    const auto same = std::find_if(first, last, [&](const auto& entry) {
      return phase == "E" || entry.second["name"] == event["name"];
    });
    ASSERT_NE(same, last);
    const json& back = same->second;
    for (const char* field :
         {"pid", "tid", "cat", "name", "dur", "tts", "cname", "scope", "id2", "stack"}) {
      if (!event.contains(field)) continue;
      EXPECT_EQ(back.value(field, json()), event[field]) << field;
    }
    for (const char* field : {"s", "id", "bp"}) {
      if (!event.contains(field)) continue;
      EXPECT_EQ(back.value(field, json()), event[field]) << field;
    }
    EXPECT_EQ(back["args"], event.value("args", json::object()));
  }
}

TEST(TraceEventImporterTest, FramesOfStacksSurvive) {
  const json after = RoundTrip(testing::EveryPhase());
  bool seen = false;
  for (const json& event : after["traceEvents"]) {
    if (event["name"] != "inner") continue;
    seen = true;
    const json frames = after["stackFrames"];
    const json leaf = frames[event["sf"].get<std::string>()];
    EXPECT_EQ(leaf["name"], "leaf");
    EXPECT_FALSE(leaf.contains("category"));
    EXPECT_EQ(frames[leaf["parent"].get<std::string>()],
              (json{{"name", "main"}, {"category", "app"}}));
    EXPECT_EQ(leaf["parent"], event["esf"]);
  }
  EXPECT_TRUE(seen);
}

TEST(TraceEventImporterTest, NamesLabelsAndSortIndexesSurvive) {
  const json after = RoundTrip(testing::EveryPhase());
  std::map<std::string, json> metadata;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "M" && event["pid"] == 7) metadata[event["name"]] = event["args"];
  }
  EXPECT_EQ(metadata["process_name"]["name"], "program");
  EXPECT_EQ(metadata["process_labels"]["labels"], "busy");
  EXPECT_EQ(metadata["process_sort_index"]["sort_index"], -1);
  EXPECT_EQ(metadata["thread_name"]["name"], "main");
  EXPECT_EQ(metadata["thread_sort_index"]["sort_index"], 4);
  EXPECT_EQ(metadata["num_cpus"]["number"], 2);
}

TEST(TraceEventImporterTest, SamplesAndPropertiesSurvive) {
  const json after = RoundTrip(testing::EveryPhase());
  ASSERT_EQ(after["samples"].size(), 1u);
  json sample = after["samples"][0];
  EXPECT_EQ(after["stackFrames"][sample["sf"].get<std::string>()]["name"], "leaf");
  sample.erase("sf");
  EXPECT_EQ(sample,
            (json{{"cpu", 0}, {"tid", 8}, {"ts", 50.5}, {"name", "cycles"}, {"weight", 3}}));
  EXPECT_EQ(after["otherData"], (json{{"version", "1"}}));
  EXPECT_EQ(after["controllerTraceDataKey"], "traceEvents");
}

TEST(TraceEventImporterTest, ReadsTimesOfPerfSamples) {
  const json sample = {{"timestamp", 39'715'533'958'207},
                       {"pid", 5},
                       {"tid", 6},
                       {"comm", "sh"},
                       {"callchain", {{{"ip", "0x1"}, {"symbol", "f"}}}}};
  const json after = RoundTrip(json{{"traceEvents", json::array()}, {"samples", {sample}}}.dump());
  EXPECT_EQ(after["samples"], (json{sample}));
}

TEST(TraceEventImporterTest, KeepsArgumentsNamedLikeFields) {
  const json args = {
      {".id", "x"}, {"(more)", {{"a", 1}}}, {"..ph", 2}, {"", json::array()}, {"a\nb", {1}}};
  const json event = {{"ph", "i"}, {"ts", 1},     {"pid", 1},
                      {"tid", 1},  {"name", "x"}, {"args", args}};
  EXPECT_EQ(Only(event.dump())["args"], args);
  const json text = {{"ph", "i"}, {"ts", 1},     {"pid", 1},
                     {"tid", 1},  {"name", "x"}, {"args", "__stripped__"}};
  EXPECT_EQ(Only(text.dump())["args"], "__stripped__");
}

TEST(TraceEventImporterTest, NamesIdleTasks) {
  const json after = RoundTrip(
      R"([{"ph":"M","name":"thread_name","pid":"P","tid":"T","args":{"name":"n"}},{"ph":"i","ts":1,"pid":1,"tid":1}])");
  bool seen = false;
  for (const json& event : after["traceEvents"]) {
    seen |= event["name"] == "thread_name" && event["pid"] == "P" && event["tid"] == "T" &&
            event["args"]["name"] == "n";
  }
  EXPECT_TRUE(seen);
}

TEST(TraceEventImporterTest, ConvertsSystemTextToSwitches) {
  EXPECT_EQ(RoundTrip(testing::EveryPhase())["systemTraceEvents"],
            "# tracer: nop\n#\n"
            "<idle>-0 (-----) [000] .... 0.000060000: tracing_mark_write: trace_event_clock_sync: "
            "parent_ts=0.000060000\n"
            "main-8 (7) [001] .... 0.000060000: sched_switch: prev_comm=main prev_pid=8 "
            "prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120\n"
            "<idle>-0 (-----) [001] .... 0.000070000: sched_waking: comm=main pid=8 prio=120 "
            "target_cpu=001\n");
}

TEST(TraceEventImporterTest, ReadsTheOutputOfFxtJson) {
  const json once = RoundTrip(testing::EveryPhase());
  const json twice = RoundTrip(once.dump());
  EXPECT_EQ(ByPhase(once["traceEvents"]).size(), ByPhase(twice["traceEvents"]).size());
  EXPECT_EQ(once["systemTraceEvents"], twice["systemTraceEvents"]);
}

TEST(TraceEventImporterTest, ReportsWhatItImported) {
  Imported imported;
  Import(testing::EveryPhase(), imported);
  EXPECT_EQ(imported.stats.events, 36u);
  EXPECT_EQ(imported.stats.phases['X'], 2u);
  EXPECT_EQ(imported.stats.switches, 1u);
  EXPECT_EQ(imported.stats.wakeups, 1u);
  EXPECT_EQ(imported.stats.samples, 1u);
  EXPECT_EQ(imported.stats.system_events.at("other"), 1u);
  EXPECT_NE(StatsText(imported.stats).find("36 events"), std::string::npos);
  EXPECT_EQ(Notes(imported.stats).size(), 1u);
}

TEST(TraceEventImporterTest, KeepsNanoseconds) {
  // A double cannot hold these digits.
  Imported imported;
  Import(R"([{"ph":"X","ts":1700000000123456.789,"dur":0.001,"pid":1,"tid":1,"name":"x"}])",
         imported);
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  uint64_t begin = 0;
  uint64_t end = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr || event->type != fxt::EventType::kDurationComplete) continue;
    begin = event->timestamp;
    end = event->payload;
  }
  EXPECT_EQ(begin, 1'700'000'000'123'456'789u);
  EXPECT_EQ(end, begin + 1);
}

TEST(TraceEventImporterTest, SortsEvents) {
  const json after = RoundTrip(R"([
    {"ph":"i","ts":3,"pid":1,"tid":1,"name":"c"},{"ph":"i","ts":1,"pid":1,"tid":2,"name":"a"},
    {"ph":"i","ts":2,"pid":1,"tid":1,"name":"b"}])");
  std::string names;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "i") names += event["name"].get<std::string>();
  }
  EXPECT_EQ(names, "abc");
}

TEST(TraceEventImporterTest, SortsManyEventsThroughAFile) {
  std::string text = "[";
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    text += fmt::format(
        R"({{"ph":"X","ts":{},"dur":1,"pid":1,"tid":{},"name":"e{}","args":{{"n":{}}}}},)",
        random() % 100'000, 1 + i % 3, i % 7, i);
  }
  Imported in_memory, through_file;
  Import(text, in_memory);
  Import(text, through_file, false, 1);
  EXPECT_EQ(in_memory.stats.spilled_runs, 0u);
  EXPECT_GT(through_file.stats.spilled_runs, 2u);
  ExpectSound(through_file);
  EXPECT_TRUE(std::ranges::equal(in_memory.sink.bytes(), through_file.sink.bytes()));
}

TEST(TraceEventImporterTest, BindsAFlowEndToTheNextSpan) {
  const json after = RoundTrip(R"([
    {"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"from"},
    {"ph":"s","cat":"c","id":1,"ts":1,"pid":1,"tid":1,"name":"f"},
    {"ph":"f","cat":"c","id":1,"ts":3,"pid":1,"tid":2,"name":"f"},
    {"ph":"X","ts":5,"dur":1,"pid":1,"tid":2,"name":"to"}])");
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] != "f") continue;
    // As in the JSON, although the record has the time of the span.
    EXPECT_EQ(event["ts"], 3.0);
    EXPECT_FALSE(event.contains("bp"));
  }
}

TEST(TraceEventImporterTest, GivesAnEndTheNamesOfItsBegin) {
  const json after = RoundTrip(R"([{"ph":"B","cat":"c","name":"x","ts":1,"pid":1,"tid":1},
    {"ph":"B","cat":"c","name":"y","ts":2,"pid":1,"tid":1},
    {"ph":"E","ts":3,"pid":1,"tid":1},{"ph":"E","ts":4,"pid":1,"tid":1}])");
  std::string ends;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "E") ends += event["name"].get<std::string>();
  }
  EXPECT_EQ(ends, "yx");
}

TEST(TraceEventImporterTest, SeparatesEqualThreadNumbersOfProcesses) {
  const json after = RoundTrip(R"([{"ph":"i","ts":1,"pid":10,"tid":1,"name":"a"},
    {"ph":"i","ts":2,"pid":20,"tid":1,"name":"b"},{"ph":"i","ts":3,"pid":"Main","tid":"x","name":"c"},
    {"ph":"i","ts":4,"pid":-5,"tid":0,"name":"d"}])");
  std::map<std::string, json> events;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "i") events[event["name"]] = event;
  }
  EXPECT_EQ(events["a"]["pid"], 10);
  EXPECT_EQ(events["a"]["tid"], 1);
  EXPECT_EQ(events["b"]["pid"], 20);
  EXPECT_EQ(events["b"]["tid"], 1);
  EXPECT_EQ(events["d"]["pid"], -5);
  EXPECT_EQ(events["d"]["tid"], 0);
}

TEST(TraceEventImporterTest, KeepsMoreArgumentsThanARecordHolds) {
  json event = {{"ph", "i"}, {"ts", 1}, {"pid", 1}, {"tid", 1}, {"name", "x"}};
  for (int i = 0; i < 40; ++i) event["args"][fmt::format("a{:02}", i)] = i % 2 ? json(i) : json{i};
  EXPECT_EQ(Only(event.dump())["args"], event["args"]);
}

TEST(TraceEventImporterTest, KeepsCountersOfManySeries) {
  json event = {{"ph", "C"}, {"ts", 1}, {"pid", 1}, {"tid", 1}, {"name", "x"}};
  for (int i = 0; i < 40; ++i) event["args"][fmt::format("a{:02}", i)] = i;
  json together;
  const json after = RoundTrip("[" + event.dump() + "]");
  for (const json& each : after["traceEvents"]) {
    if (each["ph"] == "C") together.update(each["args"]);
  }
  EXPECT_EQ(together, event["args"]);
}

TEST(TraceEventImporterTest, CutsLongTexts) {
  Imported imported;
  const std::string text(100'000, 'x');
  Import(R"([{"ph":"i","ts":1,"pid":1,"tid":1,"name":"n","args":{"a":")" + text + R"(","b":")" +
             text + R"("}}])",
         imported);
  ExpectSound(imported);
  EXPECT_GT(imported.stats.cut_texts, 0u);
  EXPECT_EQ(imported.stats.refused, 0u);
}

TEST(TraceEventImporterTest, MovesNegativeTimes) {
  Imported imported;
  Import(R"([{"ph":"i","ts":-1.5,"pid":1,"tid":1,"name":"n"},{"ph":"i","ts":1,"pid":1,"tid":1}])",
         imported);
  EXPECT_EQ(imported.stats.moved, 1500);
  ExpectSound(imported);
}

TEST(TraceEventImporterTest, KeepsFlowsOfSpans) {
  const json after = RoundTrip(R"([
    {"ph":"X","ts":1,"dur":1,"pid":1,"tid":1,"name":"a","cat":"c","bind_id":"0x9","flow_out":true},
    {"ph":"X","ts":2,"dur":1,"pid":1,"tid":2,"name":"a","cat":"c","bind_id":"0x9","flow_in":true}])");
  // Fields of their spans again, restored from the flow records.
  std::string flows;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "M") continue;
    EXPECT_EQ(event["ph"], "X");
    EXPECT_EQ(event["bind_id"], "0x9");
    flows += event.contains("flow_out") ? "o" : event.contains("flow_in") ? "i" : "?";
  }
  EXPECT_EQ(flows, "oi");
}

TEST(TraceEventImporterTest, KeepsThreadAndProcessZero) {
  Imported imported;
  Import(R"([{"ph":"X","name":"x","ts":1,"dur":2,"pid":0,"tid":0},
             {"ph":"X","name":"y","ts":1,"dur":2,"pid":7,"tid":0},
             {"ph":"M","name":"thread_name","pid":0,"tid":0,"args":{"name":"zero"}}])",
         imported);
  ExpectSound(imported);
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  std::map<std::string, fxt::ThreadRef> threads;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event != nullptr) threads[std::string(event->name.text)] = event->thread;
  }
  EXPECT_EQ(threads.at("x").process, 0u);
  EXPECT_EQ(threads.at("x").thread, 0u);
  EXPECT_EQ(threads.at("y").process, 7u);
  EXPECT_NE(threads.at("y").thread, 0u);  // a koid identifies one thread
}

TEST(TraceEventImporterTest, ConvertsTextInCountersToNumbers) {
  const json args = Only(
      R"({"ph":"C","name":"n","ts":1,"pid":1,"tid":1,"args":{"a":"42","b":"-1.5","c":"x","d":7}})")
      ["args"];
  EXPECT_EQ(args["a"], 42);
  EXPECT_EQ(args["b"], -1.5);
  EXPECT_EQ(args["c"], "x");
  EXPECT_EQ(args["d"], 7);
}

TEST(TraceEventImporterTest, KeepsTheLengthOfThreadStates) {
  const std::string event =
      R"({"ph":"T","name":"Running","cat":"state","ts":10,"dur":5,"pid":1,"tid":2})";
  Imported imported;
  Import("[" + event + "]", imported);
  ExpectSound(imported);
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  uint64_t length = 0;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* record = std::get_if<fxt::Event>(&reader.record());
    if (record != nullptr && record->type == fxt::EventType::kDurationComplete) {
      length = record->payload - record->timestamp;
    }
  }
  EXPECT_EQ(length, 5000u);
  const json after = Only(event);
  EXPECT_EQ(after["ph"], "T");
  EXPECT_EQ(after["dur"], 5.0);
}

TEST(TraceEventImporterTest, KeepsOverlappingCompleteEventsAsAsyncSpans) {
  const std::string text = R"([{"ph":"X","name":"a","ts":10,"dur":10,"pid":1,"tid":1},
      {"ph":"X","name":"b","cat":"c","ts":15,"dur":10,"pid":1,"tid":1,"args":{"n":1}},
      {"ph":"X","name":"inner","ts":16,"dur":2,"pid":1,"tid":1},
      {"ph":"X","name":"later","ts":40,"dur":1,"pid":1,"tid":1}])";
  Imported imported;
  Import(text, imported);
  ExpectSound(imported);
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  std::map<std::string, std::vector<std::pair<fxt::EventType, uint64_t>>> events;
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event != nullptr) {
      events[std::string(event->name.text)].emplace_back(event->type, event->timestamp);
    }
  }
  using Spans = std::vector<std::pair<fxt::EventType, uint64_t>>;
  EXPECT_EQ(events["b"],
            (Spans{{fxt::EventType::kAsyncBegin, 15'000}, {fxt::EventType::kAsyncEnd, 25'000}}));
  for (const char* name : {"a", "inner", "later"}) {
    ASSERT_EQ(events[name].size(), 1u) << name;
    EXPECT_EQ(events[name][0].first, fxt::EventType::kDurationComplete) << name;
  }
  EXPECT_EQ(imported.stats.overlapping, 1u);
  const json after = BackToJson(imported);
  size_t found = 0;
  for (const json& event : after["traceEvents"]) {
    EXPECT_EQ(event["ph"], "X");
    if (event["name"] != "b") continue;
    ++found;
    EXPECT_EQ(event["dur"], 10.0);
    EXPECT_EQ(event["cat"], "c");
    EXPECT_EQ(event["args"], (json{{"n", 1}}));
    EXPECT_FALSE(event.contains("id"));
  }
  EXPECT_EQ(found, 1u);
}

TEST(TraceEventImporterTest, KeepsOtherMetadataWithItsTask) {
  const std::string text = R"([{"ph":"M","name":"num_cpus","pid":7,"tid":8,"args":{"number":2}},
      {"ph":"M","name":"uptime","pid":7,"args":{"s":1.5}},
      {"ph":"X","name":"x","ts":1,"dur":1,"pid":7,"tid":8}])";
  Imported imported;
  Import(text, imported);
  ExpectSound(imported);
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  while (reader.Next() == fxt::ReadStatus::kRecord) {
    const auto* event = std::get_if<fxt::Event>(&reader.record());
    if (event == nullptr) continue;
    EXPECT_NE(event->name.text, "num_cpus");
  }
  const json after = BackToJson(imported);
  std::map<std::string, json> metadata;
  for (const json& event : after["traceEvents"]) {
    if (event["ph"] == "M") metadata[event["name"]] = event;
  }
  EXPECT_EQ(metadata.at("num_cpus")["args"], (json{{"number", 2}}));
  EXPECT_EQ(metadata.at("num_cpus")["tid"], 8);
  EXPECT_EQ(metadata.at("uptime")["args"], (json{{"s", 1.5}}));
  EXPECT_FALSE(metadata.at("uptime").contains("tid"));
}

TEST(TraceEventImporterTest, ImportsFtraceText) {
  Imported imported;
  Import(testing::FtraceText(), imported, true);
  ExpectSound(imported);
  const std::string text = BackToJson(imported)["systemTraceEvents"];
  EXPECT_NE(
      text.find("my [task]-12 (10) [003] .... 12.345678000: sched_switch: prev_comm=my [task] "
                "prev_pid=12 prev_prio=120 prev_state=S ==> next_comm=b=c next_pid=13 "
                "next_prio=98\n"),
      std::string::npos)
      << text;
}

}  // namespace
}  // namespace importer
