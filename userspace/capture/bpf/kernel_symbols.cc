// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/kernel_symbols.h"

#include <bpf/bpf.h>

#include <charconv>
#include <cstring>
#include <utility>

namespace capture {
namespace {

// Takes "0x" and a hexadecimal number from the front; false if there is none.
bool TakeHex(std::string_view* text, uint64_t* value) {
  if (!text->starts_with("0x")) return false;
  const auto [end, error] =
      std::from_chars(text->data() + 2, text->data() + text->size(), *value, 16);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

}  // namespace

KernelSymbols KernelSymbols::Of(int program, fxr_symbol_query* shared) {
  return KernelSymbols([program, shared](fxr_symbol_query& query) {
    *shared = query;
    bpf_test_run_opts run{};
    run.sz = sizeof(run);
    if (bpf_prog_test_run_opts(program, &run) != 0) return false;
    query = *shared;
    return true;
  });
}

std::optional<KernelSymbols::Symbol> KernelSymbols::At(uint64_t address) const {
  if (!query_ || address == 0) return std::nullopt;
  fxr_symbol_query query{};
  query.address = address;
  return query_(query) ? Parse(query) : std::nullopt;
}

std::optional<KernelSymbols::Symbol> KernelSymbols::Named(std::string_view name) const {
  if (!query_ || name.empty() || name.size() >= FXR_SYMBOL_BYTES) return std::nullopt;
  fxr_symbol_query query{};
  std::memcpy(query.name, name.data(), name.size());
  if (!query_(query) || query.address == 0) return std::nullopt;
  // The end of the text has no size everywhere.
  const auto symbol = Parse(query);
  const uint64_t size = symbol && symbol->start == query.address ? symbol->size : 0;
  return Symbol{std::string(name), query.address, size};
}

std::optional<KernelSymbols::Symbol> KernelSymbols::Parse(const fxr_symbol_query& query) {
  std::string_view text(query.text, strnlen(query.text, sizeof(query.text)));
  text = text.substr(0, text.find(' '));
  // An address without a symbol is printed as a number.
  const size_t plus = text.rfind("+0x");
  if (plus == std::string_view::npos || plus == 0) return std::nullopt;
  Symbol symbol;
  symbol.name = text.substr(0, plus);
  text.remove_prefix(plus + 1);
  uint64_t offset = 0;
  if (!TakeHex(&text, &offset) || !text.starts_with('/')) return std::nullopt;
  text.remove_prefix(1);
  if (!TakeHex(&text, &symbol.size) || !text.empty() || offset > query.address) return std::nullopt;
  symbol.start = query.address - offset;
  return symbol;
}

}  // namespace capture
