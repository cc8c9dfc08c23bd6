// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbol_map.h"

#include <iterator>
#include <utility>

namespace symbols {

void SymbolMap::Add(uint64_t address, uint64_t size, std::string name) {
  symbols_.insert_or_assign(address, Symbol{address, size, std::move(name)});
}

const Symbol* SymbolMap::Find(uint64_t address) const {
  const auto next = symbols_.upper_bound(address);
  if (next == symbols_.begin()) return nullptr;
  const Symbol& symbol = std::prev(next)->second;
  return symbol.size == 0 || address - symbol.address < symbol.size ? &symbol : nullptr;
}

}  // namespace symbols
