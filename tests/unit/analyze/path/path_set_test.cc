// SPDX-License-Identifier: BSD-2-Clause
// Renderers of critical paths.
#include "analyze/path/path_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "analyze/document/render.h"
#include "analyze/path/path_comparison.h"
#include "analyze/path/path_document.h"
#include "analyze/path/path_text.h"
#include "analyze/path/path_tracks.h"
#include "facts/read_loop.h"
#include "path/path_reader.h"
#include "tables/rows/schema.h"
#include "text/json_document.h"
#include "unit/measure/trace_script.h"
#include "unit/tables/table_rows.h"

namespace analyze {
namespace {

using measure::testing::TraceScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr uint64_t kUs = 1000;

// Ten requests of 100 us on thread "app" 7, each of which waits 40 us for "worker" 8; the last one
// waits 1 ms longer for "hog" 9, which has the CPU.
class Requests : public TraceScript {
 public:
  Requests() {
    Name(7, "app").Name(8, "worker").Name(9, "hog");
    uint64_t t = 1000 * kUs;
    Session(t).Switch(t, 0, 0, "S", 7).Switch(t, 1, 0, "S", 8);
    for (int i = 0; i < 10; ++i) {
      t += 100 * kUs;
      Begin(t, 7, "app", "request");
      Switch(t + 30 * kUs, 0, 7, "S", 9);
      Wake(t + 70 * kUs, 7, 8).Switch(t + 70 * kUs, 0, 9, "R", 7);
      if (i == 9) {
        Switch(t + 80 * kUs, 0, 7, "R+", 9);
        t += 1000 * kUs;
        Switch(t + 80 * kUs, 0, 9, "R", 7);
      }
      End(t + 100 * kUs, 7, "app", "request");
      t += 100 * kUs;
    }
    Switch(t, 0, 7, "S", 0).Switch(t + 1, 1, 8, "S", 0);
  }
};

class PathSetTest : public ::testing::Test {
 protected:
  PathSetTest() {
    path::PathOptions options;
    options.wants_span = [](std::string_view, std::string_view, bool) { return true; };
    reader_.emplace(options,
                    [this](const path::Request& request, std::span<const path::Part> parts) {
                      set_.Add(request, parts);
                    });
    fxt::MemorySource source(trace_.bytes());
    fxt::Reader records(source);
    facts::ReadRecords(records, *reader_);
    reader_->Finish();
    set_.SetBuilder(reader_->builder());
  }

  Requests trace_;
  PathSet set_;
  std::optional<path::PathReader> reader_;
};

TEST_F(PathSetTest, LeavesOutRequestsWithoutRoom) {
  PathSet small(1000);
  for (const auto& entry : set_.entries()) small.Add(entry.request, entry.parts());
  EXPECT_EQ(small.entries().size() + small.left_out(), 10U);
  EXPECT_GT(small.left_out(), 5U);
}

TEST_F(PathSetTest, RequestsWithoutAPathAreLeftOutAlone) {
  PathSet set;
  path::Request without = set_.entries()[0].request;
  without.has_path = false;
  set.Add(without, {});
  EXPECT_EQ(set.left_out(), 1U);
  EXPECT_FALSE(set.is_full());
  set.Add(set_.entries()[1].request, set_.entries()[1].parts());
  EXPECT_EQ(set.entries().size(), 1U);
}

TEST_F(PathSetTest, ComparesSlowWithMedian) {
  const PathComparison compared = ComparePaths(set_, 0.9);
  EXPECT_EQ(compared.all.count, 10U);
  EXPECT_EQ(compared.slow.count, 1U);
  EXPECT_EQ(compared.median.count, 9U);
  EXPECT_EQ(compared.p50, 100 * kUs);
  EXPECT_EQ(compared.slow.mean, 1100.0 * kUs);
  ASSERT_EQ(compared.rows.size(), 3U);
  EXPECT_EQ(compared.rows[0].thread, "app");
  EXPECT_EQ(compared.rows[0].what, "runnable: hog has the CPU");
  EXPECT_EQ(compared.rows[0].difference(), 1000.0 * kUs);
  double sum = 0;
  for (const auto& row : compared.rows) sum += row.median_ns;
  EXPECT_EQ(sum, compared.median.mean);
}

TEST_F(PathSetTest, TextNamesTheCauseFirst) {
  PathDocumentOptions options;
  options.file = "trace.fxt";
  options.slow_from = 0.9;
  const std::string text = document::RenderText(PathDocument(set_, options));
  EXPECT_THAT(text, StartsWith("1 slow requests take 1.000 ms longer than the median ones: +1.000 "
                               "ms: app, runnable: hog has the CPU"));
  // The waterfall of the slowest one.
  EXPECT_THAT(text, HasSubstr("0.030000 0.040000   worker 8 running for app 7"));
  EXPECT_THAT(text, HasSubstr("0.080000 1.000000 app 7      runnable: hog 9 has the CPU"));
  EXPECT_THAT(text, HasSubstr("         1.100000            in all"));
}

TEST_F(PathSetTest, JsonAddsUp) {
  text::TextWriter out;
  WritePathJson(out, set_);
  const auto document = text::ParseJson(out.text(), 8);
  ASSERT_TRUE(document.ok());
  const auto* requests = text::FindMember(*document, "requests");
  ASSERT_EQ(requests->Size(), 10U);
  for (const auto& request : requests->GetArray()) {
    uint64_t sum = 0;
    for (const auto& part : request["parts"].GetArray()) sum += part["ns"].GetUint64();
    EXPECT_EQ(sum, request["dur"].GetUint64());
  }
  const auto& last = (*requests)[9]["parts"];
  EXPECT_EQ(std::string(last[1]["thread"].GetString()), "worker");
  EXPECT_EQ(last[1]["tid"].GetUint64(), 8U);
  EXPECT_TRUE(last[1]["waited_for"].IsNull());
  EXPECT_EQ(std::string(last[3]["kind"].GetString()), "runnable");
  EXPECT_EQ(std::string(last[3]["waited_for"].GetString()), "hog 9");
}

TEST_F(PathSetTest, FoldedStacksAddUp) {
  text::TextWriter out;
  WritePathFolded(out, set_);
  EXPECT_EQ(out.text(),
            "request;app;runnable: hog has the CPU 1000000\n"
            "request;app;running 600000\n"
            "request;app;worker;running for app 400000\n");
}

class MemorySink final : public fxt::ByteSink {
 public:
  bool Write(std::span<const std::byte> records) override {
    bytes.insert(bytes.end(), records.begin(), records.end());
    return true;
  }
  std::vector<std::byte> bytes;
};

TEST_F(PathSetTest, TracksHaveRequestsAndParts) {
  MemorySink sink;
  const auto trace = trace_.bytes();
  sink.bytes.assign(trace.begin(), trace.end());
  ASSERT_TRUE(WritePathTracks(sink, set_, 2));
  namespace spans = tables::spans;
  const auto rows =
      tables::testing::RowsOf(sink.bytes, tables::Table::kSpans,
                              {spans::kDur, spans::kCategory, spans::kName, spans::kThread});
  ASSERT_EQ(rows.size(), 10U + 10U + 32U);
  EXPECT_EQ(rows[10], "100000 requests request path 1");
  EXPECT_EQ(rows[11], "30000 path app 7: running path 1");
  EXPECT_EQ(rows[12], "40000 path worker 8: running path 1");
}

TEST_F(PathSetTest, TablesHaveRequestsAndParts) {
  namespace requests = tables::requests;
  namespace parts = tables::path_parts;
  const auto rows =
      tables::testing::RowsOf(trace_.bytes(), tables::Table::kRequests,
                              {requests::kId, requests::kName, requests::kDur, requests::kTid});
  ASSERT_EQ(rows.size(), 10U);
  EXPECT_EQ(rows[9], "10 request 1100000 7");
  const auto path = tables::testing::RowsOf(
      trace_.bytes(), tables::Table::kPath,
      {parts::kRequest, parts::kDur, parts::kKind, parts::kTid, parts::kWaitedFor});
  ASSERT_EQ(path.size(), 32U);
  EXPECT_THAT(
      std::vector(path.end() - 5, path.end()),
      ElementsAre("10 30000 running 7 NULL", "10 40000 running 8 NULL", "10 10000 running 7 NULL",
                  "10 1000000 runnable 7 hog 9", "10 20000 running 7 NULL"));
}

}  // namespace
}  // namespace analyze
