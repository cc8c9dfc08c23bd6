// SPDX-License-Identifier: BSD-2-Clause
#include "query/trace_views.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "query/database.h"
#include "support/temp_folder.h"
#include "unit/measure/trace_script.h"
#include "unit/query/text_rows.h"

namespace query {
namespace {

using Texts = std::vector<std::string>;

TEST(TraceViewsTest, ASpanHasItsStatesAndAWakeupTheSpanOfItsWaker) {
  measure::testing::TraceScript trace;
  trace.Name(7, "one").Name(8, "two").Session(90).Switch(100, 0, 0, "S", 7);
  trace.Begin(110, 7, "app", "work").Switch(130, 0, 7, "S", 8).Begin(140, 8, "app", "serve");
  trace.Wake(150, 7, 8).End(155, 8, "app", "serve").Switch(160, 0, 8, "S", 7);
  trace.End(190, 7, "app", "work").Switch(200, 0, 7, "S", 0);
  const testing_support::TempFolder folder;
  const std::string path = folder / "trace.fxt";
  const auto bytes = trace.bytes();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  auto database = Database::Open(path, {});
  ASSERT_TRUE(database.ok());
  const auto ask = [&](const std::string& statement) {
    testing::TextRows writer;
    EXPECT_TRUE((*database)->Run(statement, writer).ok()) << statement;
    return writer.rows;
  };
  EXPECT_EQ(ask("SELECT state, state_ts, state_ns FROM span_states WHERE name = 'work' ORDER BY "
                "state_ts"),
            (Texts{"running|110|20", "sleep|130|20", "wakeup|150|10", "running|160|30"}));
  EXPECT_EQ(ask("SELECT ts, tid, waker_tid, span_name FROM waker_spans"), (Texts{"150|7|8|serve"}));
  for (const TraceView& view : TraceViews()) {
    EXPECT_EQ(ask("SELECT count(*) FROM (" + std::string(view.select) + ")"),
              ask("SELECT count(*) FROM " + std::string(view.name)));
  }
}

}  // namespace
}  // namespace query
