// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/fleet_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace exporting {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FleetSchema, CreatesRowsAndAViewForEachTable) {
  const auto statements = FleetStatements("fxt", "");
  EXPECT_EQ(statements.size(), 2 + 2 * AllFleetTables().size());
  for (const std::string& statement : statements) EXPECT_THAT(statement, Not(HasSubstr("_local")));
}

TEST(FleetSchema, CreatesLocalTablesOnEachServer) {
  const auto statements = FleetStatements("fxt", "us");
  EXPECT_EQ(statements.size(), 3 + 3 * AllFleetTables().size());
  EXPECT_THAT(statements[2], HasSubstr("Distributed(us, fxt, loads_local, cityHash64(host))"));
}

TEST(FleetSchema, ListsCommonColumnsOnce) {
  const std::string names = ColumnNames(FleetTableOf(tables::Table::kCaptures));
  EXPECT_EQ(names.find("host"), names.rfind("host"));
  EXPECT_EQ(names.find("block, load, chunk, day, host, label, capture, file"), 0U) << names;
}

}  // namespace
}  // namespace exporting
