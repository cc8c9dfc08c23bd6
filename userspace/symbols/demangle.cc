// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace symbols {

namespace {

// Longer ones are no names of functions but the work of a generator; demangling them can take long.
constexpr size_t kMaxMangledBytes = 8192;

// Rust ends its older names with a hash: "core::fmt::write::h0123456789abcdef".
std::string_view WithoutRustHash(std::string_view name) {
  constexpr size_t kSuffixBytes = 19;
  if (name.size() <= kSuffixBytes) return name;
  const std::string_view suffix = name.substr(name.size() - kSuffixBytes);
  if (suffix.substr(0, 3) != "::h") return name;
  const bool is_hash = std::all_of(suffix.begin() + 3, suffix.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  return is_hash ? name.substr(0, name.size() - kSuffixBytes) : name;
}

}  // namespace

std::string Demangle(std::string_view name) {
  if (name.substr(0, 2) != "_Z" || name.size() > kMaxMangledBytes) return std::string(name);
  std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) {
    // The compiler's clones ("_Z3foov.cold") keep their mark behind the name.
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return mangled;
    const std::string stem = Demangle(name.substr(0, dot));
    return stem == name.substr(0, dot) ? mangled : stem + std::string(name.substr(dot));
  }
  return std::string(WithoutRustHash(text.get()));
}

}  // namespace symbols
