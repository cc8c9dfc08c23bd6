// SPDX-License-Identifier: BSD-2-Clause
#include "query/result_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "tables/rows/csv_text.h"
#include "text/clean_text.h"
#include "text/json_writer.h"

namespace query {
namespace {

using tables::Cell;

std::string TextOf(const Cell& cell) {
  switch (cell.kind) {
    case Cell::Kind::kNull:
      return "";
    case Cell::Kind::kInteger:
      return fmt::to_string(cell.integer);
    case Cell::Kind::kReal:
      return fmt::to_string(cell.real);
    case Cell::Kind::kText:
      return text::CleanText(cell.view());
  }
  return "";
}

// The approximate number of characters.
size_t WidthOf(const std::string& text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

class TableWriter final : public ResultWriter {
 public:
  explicit TableWriter(text::TextWriter& out) : out_(out) {}

  void Begin(std::span<const std::string> names) override {
    if (any_) out_.Append("\n");
    any_ = true;
    measuring_ = true;
    lines_.clear();
    widths_.assign(names.size(), 0);
    is_number_.assign(names.size(), true);
    std::vector<std::string> line;
    for (const std::string& name : names) line.push_back(text::CleanText(name));
    Measure(std::move(line));
  }
  void Row(std::span<const Cell> row) override {
    std::vector<std::string> line;
    for (size_t i = 0; i < row.size(); ++i) {
      line.push_back(row[i].is_null() ? "NULL" : TextOf(row[i]));
      if (measuring_ && row[i].kind == Cell::Kind::kText) is_number_[i] = false;
    }
    if (!measuring_) return Print(line);
    Measure(std::move(line));
    if (lines_.size() > kMeasured) PrintMeasured();
  }
  void End() override {
    if (measuring_) PrintMeasured();
  }

 private:
  static constexpr size_t kMeasured = 500;

  void Measure(std::vector<std::string> line) {
    for (size_t i = 0; i < line.size(); ++i) widths_[i] = std::max(widths_[i], WidthOf(line[i]));
    lines_.push_back(std::move(line));
  }
  void PrintMeasured() {
    measuring_ = false;
    for (size_t i = 0; i < lines_.size(); ++i) {
      Print(lines_[i]);
      if (i != 0) continue;
      std::vector<std::string> rule;
      for (const size_t width : widths_) rule.emplace_back(width, '-');
      Print(rule);
    }
    lines_.clear();
  }
  void Print(const std::vector<std::string>& line) {
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths_[i] - std::min(widths_[i], WidthOf(line[i])), ' ');
      if (i != 0) out_.Append("  ");
      if (is_number_[i]) out_.Append(space);
      out_.Append(line[i]);
      if (!is_number_[i] && i + 1 != line.size()) out_.Append(space);
    }
    out_.Append("\n");
  }

  text::TextWriter& out_;
  bool any_ = false;
  bool measuring_ = true;
  std::vector<size_t> widths_;
  std::vector<bool> is_number_;
  std::vector<std::vector<std::string>> lines_;
};

class CsvWriter final : public ResultWriter {
 public:
  CsvWriter(text::TextWriter& out, bool safe) : out_(out), safe_(safe) {}

  void Begin(std::span<const std::string> names) override {
    for (size_t i = 0; i < names.size(); ++i) {
      if (i != 0) out_.Append(",");
      tables::AppendCsvText(out_.buffer(), text::CleanText(names[i]), safe_);
    }
    out_.Append("\n");
  }
  void Row(std::span<const Cell> row) override {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i != 0) out_.Append(",");
      const std::string text = TextOf(row[i]);
      if (row[i].kind == Cell::Kind::kText) {
        tables::AppendCsvText(out_.buffer(), text, safe_);
      } else {
        out_.Append(text);
      }
    }
    out_.Append("\n");
  }
  void End() override {}

 private:
  text::TextWriter& out_;
  const bool safe_;
};

class JsonResultWriter final : public ResultWriter {
 public:
  explicit JsonResultWriter(text::TextWriter& out) : out_(out) {}

  void Begin(std::span<const std::string> names) override {
    names_.assign(names.begin(), names.end());
    first_ = true;
    out_.Append("[");
  }
  void Row(std::span<const Cell> row) override {
    out_.Append(first_ ? "\n" : ",\n");
    first_ = false;
    text::JsonWriter json(out_.buffer());
    json.BeginObject();
    for (size_t i = 0; i < row.size(); ++i) {
      json.Key(names_[i]);
      switch (row[i].kind) {
        case Cell::Kind::kNull:
          json.Null();
          break;
        case Cell::Kind::kInteger:
          json.Signed(row[i].integer);
          break;
        case Cell::Kind::kReal:
          json.Double(row[i].real);
          break;
        case Cell::Kind::kText:
          json.String(row[i].view());
          break;
      }
    }
    json.EndObject();
    out_.FlushIfFull();
  }
  void End() override { out_.Append(first_ ? "]\n" : "\n]\n"); }

 private:
  text::TextWriter& out_;
  std::vector<std::string> names_;
  bool first_ = true;
};

class MarkdownWriter final : public ResultWriter {
 public:
  explicit MarkdownWriter(text::TextWriter& out) : out_(out) {}

  void Begin(std::span<const std::string> names) override {
    if (any_) out_.Append("\n");
    any_ = true;
    for (const std::string& name : names) Field(text::CleanText(name));
    out_.Append("|\n");
    for (size_t i = 0; i < names.size(); ++i) out_.Append("|---");
    out_.Append("|\n");
  }
  void Row(std::span<const Cell> row) override {
    for (const Cell& cell : row) Field(TextOf(cell));
    out_.Append("|\n");
  }
  void End() override {}

 private:
  // Escapes markup.
  void Field(const std::string& text) {
    out_.Append("| ");
    for (const char c : text) {
      if (std::string_view("\\`*_{}[]<>#|~&").find(c) != std::string_view::npos) out_.Append("\\");
      out_.Append(std::string_view(&c, 1));
    }
    out_.Append(" ");
  }

  text::TextWriter& out_;
  bool any_ = false;
};

}  // namespace

std::unique_ptr<ResultWriter> MakeResultWriter(Format format, text::TextWriter& out) {
  switch (format) {
    case Format::kCsv:
    case Format::kCsvSafe:
      return std::make_unique<CsvWriter>(out, format == Format::kCsvSafe);
    case Format::kJson:
      return std::make_unique<JsonResultWriter>(out);
    case Format::kMarkdown:
      return std::make_unique<MarkdownWriter>(out);
    case Format::kTable:
      break;
  }
  return std::make_unique<TableWriter>(out);
}

}  // namespace query
