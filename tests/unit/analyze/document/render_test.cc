// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/render.h"

#include <gtest/gtest.h>

namespace analyze::document {
namespace {

Document Example() {
  Document document{.title = "a_title"};
  Section& head = document.AddSection();
  head.Add(Field{.label = "samples",
                 .key = "samples",
                 .value = uint64_t{1234567},
                 .unit = Unit::kCount,
                 .note = "2 empty"});
  head.Add(Field{.label = "", .key = "id", .value = Value::Hex{255}});
  head.Add(Field{.label = "kernel", .key = "", .value = "6.1"});
  head.Add(Notes{{"one\x1b note"}});
  Table table{.key = "threads",
              .columns = {{.head = "thread", .key = "name", .width = 8, .left = true, .cut = true},
                          {.head = "p50", .key = "p50_ns", .unit = Unit::kNs, .width = 7},
                          {.head = "busy",
                           .key = "",
                           .unit = Unit::kFraction,
                           .decimals = 1,
                           .width = 6,
                           .rule = true},
                          {.head = "", .key = "extra", .omit_null = true}},
              .rows = {}};
  table.rows.push_back({"a_long_name", uint64_t{1500}, 0.25, Value()});
  table.rows.push_back({"b", Value(), 1.0, Value(Value::List{Value(true), Value(int64_t{-1})})});
  document.AddSection("all threads").Add(std::move(table));
  document.AddSection("no text, no section").Add(Field{.label = "", .key = "empty", .value = {}});
  return document;
}

TEST(Render, TextShowsLabelsHeadsAndUnits) {
  EXPECT_EQ(RenderText(Example()),
            "samples           1,234,567  (2 empty)\n"
            "kernel         6.1\n"
            "note: one\\u001b note\n"
            "\n"
            "all threads\n"
            "thread       p50 |   busy\n"
            "a_long..  1.50us |  25.0%\n"
            "b              - | 100.0%\n");
}

TEST(Render, JsonShowsKeysInOrder) {
  EXPECT_EQ(RenderJson(Example()),
            "{\"samples\":1234567,\"id\":\"0xff\",\"threads\":[\n"
            "{\"name\":\"a_long_name\",\"p50_ns\":1500},\n"
            "{\"name\":\"b\",\"p50_ns\":null,\"extra\":[true,-1]}],\"empty\":null}");
}

TEST(Render, PrettyJsonIsTheSameIndented) {
  Document document;
  document.AddSection().Add(Field{
      .label = "",
      .key = "cpu",
      .value = Value::Object{{"id", Value::Hex{16}}, {"buckets", Value::Buckets{{1, 2, 3}}}}});
  EXPECT_EQ(RenderPrettyJson(document),
            "{\n  \"cpu\": {\n    \"id\": \"0x10\",\n    \"buckets\": [\n      [\n        1,\n"
            "        2,\n        3\n      ]\n    ]\n  }\n}");
}

TEST(Render, CountedTableHasItsTotal) {
  Document document;
  Table table{.key = "rows", .columns = {{.head = "n", .key = "n"}}, .rows = {{uint64_t{7}}}};
  table.omitted = 1200;
  table.counted = true;
  document.AddSection().Add(std::move(table));
  EXPECT_EQ(RenderJson(document), "{\"rows\":{\"total\":1201,\"top\":[\n{\"n\":7}]}}");
  EXPECT_EQ(RenderText(document), "n\n7\n  ... 1,200 more (--top 0)\n");
}

TEST(Render, RankingIsListInTextAndTableInMarkdown) {
  Document document{.title = "diff"};
  Section& section = document.AddSection();
  section.Add(Line{.text = "three captures are needed", .lead = "unconfirmed"});
  Ranking ranking{.columns = {{.head = ""}, {.head = "group", .left = true}, {.head = "change"}},
                  .items = {}};
  ranking.items.push_back({.heading = "app/<b>",
                           .lines = {"+3 ms/s"},
                           .cells = {uint64_t{1}, "app/<b>", "+3 ms/s"},
                           .causes = {"waited for x", "x ran more"}});
  ranking.omitted = 2;
  section.Add(std::move(ranking));
  Section& rest = document.AddSection("others");
  rest.in_markdown = false;
  rest.Add(Line{.text = "cron"});
  EXPECT_EQ(RenderText(document),
            "unconfirmed: three captures are needed\n 1. app/<b>\n      +3 ms/s\n"
            "and 2 more (--top 0)\n\nothers\ncron\n");
  EXPECT_EQ(RenderMarkdown(document),
            "### diff\n\n**Unconfirmed**: three captures are needed.\n\n"
            "| | group | change |\n|--:|---|--:|\n| 1 | app/&lt;b\\> | +3 ms/s |\n\n"
            "2 more are not shown.\n\nBecause:\n\n- 1: waited for x, and x ran more\n");
}

TEST(Render, ShortDurationHasThreeDigits) {
  EXPECT_EQ(ShortDuration(999), "999ns");
  EXPECT_EQ(ShortDuration(9'994), "9.99us");
  EXPECT_EQ(ShortDuration(9'996), "10.0us");
  EXPECT_EQ(ShortDuration(999'600), "1.00ms");
  EXPECT_EQ(ShortDuration(101'000'000'000), "101s");
}

TEST(Render, CutNameKeepsCharactersWhole) {
  EXPECT_EQ(CutName("abcdef", 6), "abcdef");
  EXPECT_EQ(CutName("abcdefg", 6), "abcd..");
  EXPECT_EQ(CutName("abc\xc3\xa4xyz", 6), "abc..");
}

}  // namespace
}  // namespace analyze::document
