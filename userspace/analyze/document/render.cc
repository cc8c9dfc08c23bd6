// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/document/render.h"

#include <cctype>
#include <iterator>

#include "text/clean_text.h"
#include "text/json_writer.h"
#include "util/format_library.h"
#include "util/quantity.h"

namespace analyze::document {
namespace {

template <typename... Kinds>
struct Overloaded : Kinds... {
  using Kinds::operator()...;
};
template <typename... Kinds>
Overloaded(Kinds...) -> Overloaded<Kinds...>;

// --- text

double NumberOf(const Value& value) {
  if (const auto* number = std::get_if<uint64_t>(&value.of)) return static_cast<double>(*number);
  if (const auto* number = std::get_if<int64_t>(&value.of)) return static_cast<double>(*number);
  return std::get<double>(value.of);
}

std::string ValueText(const Value& value, Unit unit, int decimals) {
  if (value.is_null()) return "-";
  if (const auto* text = std::get_if<std::string>(&value.of)) return text::CleanText(*text);
  switch (unit) {
    case Unit::kCount:
      return util::FormatCount(std::get<uint64_t>(value.of));
    case Unit::kNs:
      return ShortDuration(std::get<uint64_t>(value.of));
    case Unit::kPercent:
      return fmt::format("{:.{}f}%", NumberOf(value), decimals);
    case Unit::kFraction:
      return fmt::format("{:.{}f}%", 100 * NumberOf(value), decimals);
    case Unit::kNone:
      break;
  }
  if (const auto* number = std::get_if<uint64_t>(&value.of)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<int64_t>(&value.of)) return fmt::format("{}", *number);
  return fmt::format("{:.{}f}", std::get<double>(value.of), decimals);
}

class TextRenderer {
 public:
  std::string Render(const Document& document) {
    std::string all;
    for (const Section& section : document.sections) {
      text_.clear();
      for (const Block& block : section.blocks) {
        std::visit([this](const auto& one) { Add(one); }, block);
      }
      if (text_.empty()) continue;
      if (!all.empty()) all += '\n';
      if (!section.title.empty()) all += text::CleanText(section.title) + "\n";
      all += text_;
    }
    return all;
  }

 private:
  void AddLine(std::string_view line) {
    text_ += text::CleanText(line);
    text_ += '\n';
  }

  void Add(const Field& field) {
    if (field.label.empty()) return;
    const bool number = !std::holds_alternative<std::string>(field.value.of);
    const std::string value = ValueText(field.value, field.unit, 0);
    AddLine(fmt::format("{:<14} {:>{}}{}{}{}", field.label, value, number ? 12 : 0,
                        field.note.empty() ? "" : "  (", field.note,
                        field.note.empty() ? "" : ")"));
  }

  void Add(const Line& line) {
    AddLine(line.lead.empty() ? line.text : line.lead + ": " + line.text);
  }

  void Add(const Notes& notes) {
    for (const std::string& note : notes.lines) AddLine("note: " + note);
  }

  void Add(const Table& table) {
    std::string heads;
    bool any = false;
    for (const Column& column : table.columns) {
      if (!column.head.empty()) AddCell(heads, column, column.head, any);
    }
    if (!any || table.rows.empty()) return;
    AddLine(heads);
    for (const std::vector<Value>& row : table.rows) {
      std::string line;
      any = false;
      for (size_t i = 0; i < row.size(); ++i) {
        const Column& column = table.columns[i];
        if (column.head.empty()) continue;
        std::string cell = ValueText(row[i], column.unit, column.decimals);
        if (column.cut) cell = CutName(std::move(cell), static_cast<size_t>(column.width));
        AddCell(line, column, cell, any);
      }
      AddLine(line);
    }
    if (table.omitted != 0) {
      AddLine(fmt::format("  ... {} more (--top 0)", util::FormatCount(table.omitted)));
    }
  }
  static void AddCell(std::string& line, const Column& column, std::string_view cell, bool& any) {
    if (any) line += column.rule ? " | " : " ";
    any = true;
    auto to = std::back_inserter(line);
    column.left ? fmt::format_to(to, "{:<{}}", cell, column.width)
                : fmt::format_to(to, "{:>{}}", cell, column.width);
  }

  void Add(const Ranking& ranking) {
    for (size_t i = 0; i < ranking.items.size(); ++i) {
      AddLine(fmt::format("{:2}. {}", i + 1, ranking.items[i].heading));
      for (const std::string& line : ranking.items[i].lines) AddLine("      " + line);
    }
    if (ranking.omitted != 0) AddLine(fmt::format("and {} more (--top 0)", ranking.omitted));
  }

  std::string text_;  // of the section
};

// --- Markdown

std::string MarkdownText(std::string_view text) {
  std::string out;
  for (const char c : text::CleanText(text)) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      if (std::string_view("\\`*_{}[]()#+!|~>@").find(c) != std::string_view::npos) out += '\\';
      out += c;
    }
  }
  return out;
}

class MarkdownRenderer {
 public:
  std::string Render(const Document& document) {
    text_ = "### " + MarkdownText(document.title) + "\n";
    for (const Section& section : document.sections) {
      if (!section.in_markdown) continue;
      if (!section.title.empty()) text_ += "\n" + MarkdownText(section.title) + "\n";
      for (const Block& block : section.blocks) {
        std::visit([this](const auto& one) { Add(one); }, block);
      }
    }
    return std::move(text_);
  }

 private:
  void Add(const Field&) {}

  void Add(const Line& line) {
    if (!line.lead.empty()) {
      std::string lead = line.lead;
      lead[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(lead[0])));
      text_ += "\n**" + MarkdownText(lead) + "**: " + MarkdownText(line.text) + ".\n";
    } else if (line.strong) {
      text_ += "\n**" + MarkdownText(line.text) + "**\n";
    } else {
      text_ += "\n" + MarkdownText(line.text) + "\n";
    }
  }

  void Add(const Notes& notes) {
    if (!notes.lines.empty()) text_ += '\n';
    for (const std::string& note : notes.lines) text_ += "- " + MarkdownText(note) + "\n";
  }

  void Add(const Table& table) {
    if (table.rows.empty()) return;
    AddHeads(table.columns);
    for (const std::vector<Value>& row : table.rows) {
      text_ += '|';
      AddCells(table.columns, row);
    }
  }

  void Add(const Ranking& ranking) {
    if (ranking.items.empty()) return;
    AddHeads(ranking.columns);
    for (const Ranking::Item& item : ranking.items) {
      text_ += '|';
      AddCells(ranking.columns, item.cells);
    }
    if (ranking.omitted != 0) text_ += fmt::format("\n{} more are not shown.\n", ranking.omitted);
    bool any = false;
    for (size_t i = 0; i < ranking.items.size(); ++i) {
      const std::vector<std::string>& causes = ranking.items[i].causes;
      if (causes.empty()) continue;
      if (!any) text_ += "\nBecause:\n\n";
      any = true;
      text_ += fmt::format("- {}:", i + 1);
      for (size_t c = 0; c < causes.size(); ++c) {
        text_ += (c == 0 ? " " : ", and ") + MarkdownText(causes[c]);
      }
      text_ += '\n';
    }
  }

  void AddHeads(const std::vector<Column>& columns) {
    std::string marks = "|";
    text_ += "\n|";
    for (const Column& column : columns) {
      text_ += column.head.empty() ? " |" : " " + MarkdownText(column.head) + " |";
      marks += column.left ? "---|" : "--:|";
    }
    text_ += "\n" + marks + "\n";
  }
  void AddCells(const std::vector<Column>& columns, const std::vector<Value>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      const std::string cell = ValueText(cells[i], columns[i].unit, columns[i].decimals);
      text_ += " " + (columns[i].left ? MarkdownText(cell) : cell) + " |";
    }
    text_ += '\n';
  }

  std::string text_;
};

// --- JSON

class JsonRenderer {
 public:
  JsonRenderer(fmt::memory_buffer& out, text::JsonStyle style)
      : json_(out, style), compact_(style == text::JsonStyle::kCompact) {}

  void Render(const Document& document) {
    json_.BeginObject();
    for (const Section& section : document.sections) {
      for (const Block& block : section.blocks) {
        if (const auto* field = std::get_if<Field>(&block)) {
          if (!field->key.empty()) WriteMember(field->key, field->value);
        } else if (const auto* table = std::get_if<Table>(&block)) {
          if (!table->key.empty()) WriteTable(*table);
        }
      }
    }
    json_.EndObject();
  }

  void Write(const Value& value) {
    std::visit(Overloaded{
                   [&](std::monostate) { json_.Null(); },
                   [&](bool is) { json_.Bool(is); },
                   [&](uint64_t number) { json_.Unsigned(number); },
                   [&](int64_t number) { json_.Signed(number); },
                   [&](double number) { json_.Double(number); },
                   [&](const Value::Hex& hex) { json_.Hex(hex.number); },
                   [&](const std::string& text) { json_.String(text); },
                   [&](const Value::Buckets& buckets) {
                     json_.BeginArray();
                     for (const auto& [least, greatest, count] : buckets) {
                       json_.BeginArray();
                       json_.Unsigned(least).Unsigned(greatest).Unsigned(count);
                       json_.EndArray();
                     }
                     json_.EndArray();
                   },
                   [&](const Value::Numbers& numbers) {
                     json_.BeginArray();
                     for (const double number : numbers) json_.Double(number);
                     json_.EndArray();
                   },
                   [&](const Value::List& list) {
                     json_.BeginArray();
                     for (const Value& one : list) {
                       if (one.own_line) BeginLine();
                       Write(one);
                     }
                     json_.EndArray();
                   },
                   [&](const Value::Object& object) {
                     json_.BeginObject();
                     for (const auto& [key, one] : object) WriteMember(key, one);
                     json_.EndObject();
                   },
               },
               value.of);
  }

 private:
  void WriteMember(std::string_view key, const Value& value) {
    if (value.own_line) BeginLine();
    json_.Key(key);
    Write(value);
  }

  void WriteTable(const Table& table) {
    json_.Key(table.key);
    if (table.counted) {
      json_.BeginObject();
      json_.Key("total").Unsigned(table.rows.size() + table.omitted);
      json_.Key("top");
    }
    json_.BeginArray();
    for (const std::vector<Value>& row : table.rows) {
      BeginLine();
      json_.BeginObject();
      for (size_t i = 0; i < row.size(); ++i) {
        const Column& column = table.columns[i];
        if (column.key.empty() || (column.omit_null && row[i].is_null())) continue;
        WriteMember(column.key, row[i]);
      }
      json_.EndObject();
    }
    json_.EndArray();
    if (table.counted) json_.EndObject();
  }

  // Puts each row of a compact document on a line of its own.
  void BeginLine() {
    if (compact_) json_.Line();
  }

  text::JsonWriter json_;
  const bool compact_;
};

}  // namespace

std::string RenderText(const Document& document) { return TextRenderer().Render(document); }

std::string RenderMarkdown(const Document& document) { return MarkdownRenderer().Render(document); }

std::string RenderJson(const Document& document) {
  fmt::memory_buffer out;
  JsonRenderer(out, text::JsonStyle::kCompact).Render(document);
  return fmt::to_string(out);
}

std::string RenderJson(const Value& value) {
  fmt::memory_buffer out;
  JsonRenderer(out, text::JsonStyle::kCompact).Write(value);
  return fmt::to_string(out);
}

std::string RenderPrettyJson(const Document& document) {
  fmt::memory_buffer out;
  JsonRenderer(out, text::JsonStyle::kIndented).Render(document);
  return fmt::to_string(out);
}

std::string SecondsSince(uint64_t first, uint64_t time) {
  return fmt::format("{:.6f} s", static_cast<double>(time - std::min(time, first)) / 1e9);
}

std::string ShortDuration(uint64_t ns) {
  const auto value = static_cast<double>(ns);
  const auto text = [](double number, const char* unit) {
    if (number < 9.995) return fmt::format("{:.2f}{}", number, unit);
    return number < 99.95 ? fmt::format("{:.1f}{}", number, unit)
                          : fmt::format("{:.0f}{}", number, unit);
  };
  if (ns < 1000) return fmt::format("{}ns", ns);
  if (value < 999.5e3) return text(value / 1e3, "us");
  if (value < 999.5e6) return text(value / 1e6, "ms");
  return text(value / 1e9, "s");
}

std::string CutName(std::string name, size_t width) {
  if (name.size() <= width) return name;
  size_t end = width - 2;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0) == 0x80) --end;
  return name.substr(0, end) + "..";
}

}  // namespace analyze::document
