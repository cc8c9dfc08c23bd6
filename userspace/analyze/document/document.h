// SPDX-License-Identifier: BSD-2-Clause
// The content of a report, apart from how it is shown. The builder of a command makes it once;
// render.h turns it into text, Markdown and JSON, and analyze/page puts the JSON into a page.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace analyze::document {

// A typed value. Lists and objects keep the order of their parts.
struct Value {
  struct Hex {
    uint64_t number = 0;
  };
  // Buckets of a histogram: least and greatest length (ns), and the count.
  using Buckets = std::vector<std::array<uint64_t, 3>>;
  using Numbers = std::vector<double>;
  using List = std::vector<Value>;
  using Member = std::pair<std::string, Value>;
  using Object = std::vector<Member>;

  std::variant<std::monostate, bool, uint64_t, int64_t, double, Hex, std::string, Buckets, Numbers,
               List, Object>
      of;
  bool own_line = false;  // JSON begins a line with it

  Value() = default;  // null
  Value(bool value) : of(value) {}
  Value(uint64_t value) : of(value) {}
  Value(uint32_t value) : of(uint64_t{value}) {}
  Value(int64_t value) : of(value) {}
  Value(int32_t value) : of(int64_t{value}) {}
  Value(double value) : of(value) {}
  Value(Hex value) : of(value) {}
  Value(std::string value) : of(std::move(value)) {}
  Value(std::string_view value) : of(std::string(value)) {}
  Value(const char* value) : of(std::string(value)) {}
  Value(Buckets value) : of(std::move(value)) {}
  Value(Numbers value) : of(std::move(value)) {}
  Value(List value) : of(std::move(value)) {}
  Value(Object value) : of(std::move(value)) {}

  bool is_null() const { return std::holds_alternative<std::monostate>(of); }
  // Adds a member to an object.
  void Set(std::string_view key, Value value) {
    std::get<Object>(of).emplace_back(key, std::move(value));
  }
  // Adds an element to a list.
  void Append(Value value) { std::get<List>(of).push_back(std::move(value)); }
};

// The same value, on a line of its own in JSON.
inline Value OnOwnLine(Value value) {
  value.own_line = true;
  return value;
}

// The format of a value in text.
enum class Unit : uint8_t {
  kNone,      // as it is
  kCount,     // 1,234,567
  kNs,        // a length in ns, with three digits: 12.3ms
  kPercent,   // a number of percent
  kFraction,  // the same of a number between 0 and 1
};

// One value with its name: `label` in text, `key` in JSON. Without one of them it is left out
// there.
struct Field {
  std::string label;
  std::string key;
  Value value;
  Unit unit = Unit::kNone;
  std::string note = {};  // behind the value, in parentheses
};

// A line of text. Markdown makes a paragraph of it. JSON leaves it out.
struct Line {
  std::string text;
  std::string lead = {};  // stands before the text, with a colon
  bool strong = false;    // it is the conclusion
};

// A note that restricts the meaning of a report. JSON has it as a field.
struct Notes {
  std::vector<std::string> lines;
};

// A column is named by `head` in text and by `key` in JSON. Without one of them it is left out
// there.
struct Column {
  std::string head;
  std::string key = {};
  Unit unit = Unit::kNone;
  int decimals = 0;
  int width = 0;           // in text; 0: that of the value
  bool left = false;       // a name, aligned to the left; others are figures
  bool cut = false;        // wider values are cut
  bool rule = false;       // a vertical rule stands before it
  bool omit_null = false;  // JSON leaves null out
};

// Rows of typed cells, one for each column. JSON has them as a list of objects.
struct Table {
  std::string key = {};  // of its field in JSON; empty: not in JSON
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;
  size_t omitted = 0;    // rows that --top leaves out
  bool counted = false;  // JSON is {"total": N, "top": [...]}
};

// Items in order of importance, such as the findings of a comparison. Text has a heading and lines
// for each, Markdown a table and a list of causes. JSON has them as a field.
struct Ranking {
  struct Item {
    std::string heading;
    std::vector<std::string> lines;
    std::vector<Value> cells;  // for `columns`
    std::vector<std::string> causes;
  };
  std::vector<Column> columns;
  std::vector<Item> items;
  size_t omitted = 0;
};

using Block = std::variant<Field, Line, Notes, Table, Ranking>;

// Blocks on one subject. Text separates sections by an empty line, and leaves out those without
// any text.
struct Section {
  std::string title = {};
  std::vector<Block> blocks = {};
  bool in_markdown = true;

  void Add(Block block) { blocks.push_back(std::move(block)); }
};

struct Document {
  std::string title = {};  // of Markdown
  std::vector<Section> sections = {};

  // The new section, until the next one is added.
  Section& AddSection(std::string section_title = {}) {
    return sections.emplace_back(Section{.title = std::move(section_title)});
  }
};

}  // namespace analyze::document
