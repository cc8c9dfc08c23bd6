// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/symbol_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace symbols {

void SymbolTable::Add(uint64_t address, uint64_t size, std::string_view name, SymbolRank rank) {
  if (name.empty()) return;
  symbols_.push_back({{address, size, std::string(name)}, rank});
}

void SymbolTable::Finish() {
  // At equal addresses the preferred symbol comes first.
  std::sort(symbols_.begin(), symbols_.end(), [](const Entry& a, const Entry& b) {
    if (a.symbol.address != b.symbol.address) return a.symbol.address < b.symbol.address;
    if ((a.symbol.size != 0) != (b.symbol.size != 0)) return a.symbol.size != 0;
    if (a.rank != b.rank) return a.rank > b.rank;
    return a.symbol.name < b.symbol.name;
  });
  symbols_.erase(std::unique(symbols_.begin(), symbols_.end(),
                             [](const Entry& a, const Entry& b) {
                               return a.symbol.address == b.symbol.address;
                             }),
                 symbols_.end());
  symbols_.shrink_to_fit();
}

const Symbol* SymbolTable::Find(uint64_t address) const {
  auto next = std::upper_bound(
      symbols_.begin(), symbols_.end(), address,
      [](uint64_t wanted, const Entry& entry) { return wanted < entry.symbol.address; });
  if (next == symbols_.begin()) return nullptr;
  const Symbol& symbol = std::prev(next)->symbol;
  if (symbol.size != 0 && address - symbol.address >= symbol.size) return nullptr;
  return &symbol;
}

const Symbol* SymbolTable::FindByName(std::string_view name) const {
  const auto found = std::find_if(symbols_.begin(), symbols_.end(),
                                  [name](const Entry& entry) { return entry.symbol.name == name; });
  return found == symbols_.end() ? nullptr : &found->symbol;
}

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
