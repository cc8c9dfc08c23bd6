// SPDX-License-Identifier: BSD-2-Clause
// The answers of a statement as text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "query/database.h"

namespace query::testing {

// Keeps the rows as text: "1|x|NULL".
class TextRows : public ResultWriter {
 public:
  void Begin(std::span<const std::string>) override {}
  void Row(std::span<const tables::Cell> row) override {
    std::string text;
    for (const tables::Cell& cell : row) {
      text += text.empty() ? "" : "|";
      text += cell.is_null()                           ? "NULL"
              : cell.kind == tables::Cell::Kind::kText ? std::string(cell.view())
              : cell.kind == tables::Cell::Kind::kReal ? std::to_string(cell.real)
                                                       : std::to_string(cell.integer);
    }
    rows.push_back(text);
  }
  void End() override {}

  std::vector<std::string> rows;
};

}  // namespace query::testing
