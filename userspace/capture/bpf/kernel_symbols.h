// SPDX-License-Identifier: BSD-2-Clause
// Looks up single kernel symbols through a BPF program. Some microseconds each, while reading
// /proc/kallsyms takes tens of milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "fxt_record/event.h"

namespace capture {

class KernelSymbols {
 public:
  struct Symbol {
    std::string name;
    uint64_t start = 0;
    uint64_t size = 0;  // bytes; 0: not known
  };
  // Answers the query; returns false if it could not be run.
  using Query = std::function<bool(fxr_symbol_query&)>;

  // Finds nothing, on kernels before 5.16.
  KernelSymbols() = default;
  explicit KernelSymbols(Query query) : query_(std::move(query)) {}
  // `program` is a descriptor of find_symbol (bpf/probe.bpf.c), which uses `query`. Both outlive
  // this object.
  static KernelSymbols Of(int program, fxr_symbol_query* query);

  // Whether symbols can be found at all. Then At() and Named() are complete, except where the
  // kernel hides addresses.
  bool available() const { return query_ != nullptr; }
  // The symbol that contains the address; empty if there is none.
  std::optional<Symbol> At(uint64_t address) const;
  // The symbol of that name; empty if there is none, or if the kernel hides addresses.
  std::optional<Symbol> Named(std::string_view name) const;

 private:
  static std::optional<Symbol> Parse(const fxr_symbol_query& query);

  Query query_;
};

}  // namespace capture
