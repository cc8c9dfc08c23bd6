// SPDX-License-Identifier: BSD-2-Clause
#include "model/script_functions.h"

#include <gtest/gtest.h>

#include <string>

namespace model {
namespace {

TEST(ScriptFunctionsTest, FindsAFunctionByAnyOfItsFrames) {
  ScriptFunctions functions;
  const uint64_t id = functions.Add({"commit", "app.py", 40});
  EXPECT_EQ(functions.Add({"commit", "app.py", 40}), id);
  const auto found = functions.Find(schema::ScriptFrame(id, 40, 44));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->name, "commit");
  EXPECT_EQ(found->file, "app.py");
  EXPECT_EQ(found->first_line, 40u);
  EXPECT_FALSE(functions.Find(schema::ScriptFunctionId("other", "app.py", 1)).has_value());
}

TEST(ScriptFunctionsTest, TakesNoMoreThanItsLimit) {
  ScriptFunctions functions;
  size_t bytes = 0;
  uint32_t line = 0;
  const std::string name(4000, 'f');
  while (functions.Add({name, "f.py", ++line}) != 0) bytes += name.size();
  EXPECT_LE(bytes, ScriptFunctions::kMaxBytes);
  // Existing entries are kept.
  EXPECT_NE(functions.Add({name, "f.py", 1}), 0u);
}

}  // namespace
}  // namespace model
