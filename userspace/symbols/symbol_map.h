// SPDX-License-Identifier: BSD-2-Clause
// Functions that are told one by one, and asked for in between.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "symbols/symbol_table.h"

namespace symbols {

class SymbolMap {
 public:
  // The last one that is told of an address counts.
  void Add(uint64_t address, uint64_t size, std::string name);
  // The function that `address` lies in; null between functions. One without a size has no end
  // before the next. Valid as long as nothing is added.
  const Symbol* Find(uint64_t address) const;
  size_t size() const { return symbols_.size(); }

 private:
  std::map<uint64_t, Symbol> symbols_;
};

}  // namespace symbols
