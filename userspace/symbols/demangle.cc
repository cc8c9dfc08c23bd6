// SPDX-License-Identifier: BSD-2-Clause
#include "symbols/demangle.h"

#include <cxxabi.h>
#include <csetjmp>

#include <algorithm>
#include <cstdlib>
#include <memory>

// Prevents a conflicting declaration of basename.
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace symbols {

namespace {

// Longer names are generated, and demangling them can take long.
constexpr size_t kMaxMangledBytes = 8192;

// Rust's legacy names end with a hash: "core::fmt::write::h0123456789abcdef".
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

// Output buffer of Rust's v0 demangler. Back references can expand a few hundred bytes beyond any
// memory.
struct RustText {
  static constexpr size_t kMaxBytes = 16384;

  std::jmp_buf too_long;
  size_t size = 0;
  char bytes[kMaxBytes];

  static void Append(const char* data, size_t size, void* opaque) {
    auto* text = static_cast<RustText*>(opaque);
    if (size > kMaxBytes - text->size) std::longjmp(text->too_long, 1);
    std::copy_n(data, size, text->bytes + text->size);
    text->size += size;
  }
};

// A longjmp leaves this function if the name becomes too long, so it has no destructors. Returns
// false then, and for other names.
bool DemangleRust(const char* mangled, RustText* text) {
  if (setjmp(text->too_long) != 0) return false;
  return rust_demangle_callback(mangled, DMGL_RUST, &RustText::Append, text) != 0;
}

}  // namespace

std::string Demangle(std::string_view name) {
  if (name.substr(0, 2) == "_R" && name.size() <= kMaxMangledBytes) {
    const std::string mangled(name);
    const auto text = std::make_unique<RustText>();
    return DemangleRust(mangled.c_str(), text.get()) ? std::string(text->bytes, text->size)
                                                     : mangled;
  }
  if (name.substr(0, 2) != "_Z" || name.size() > kMaxMangledBytes) return std::string(name);
  std::string mangled(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !text) {
    // The compiler's clones ("_Z3foov.cold") have a suffix after the name.
    const size_t dot = name.find('.');
    if (dot == std::string_view::npos) return mangled;
    const std::string stem = Demangle(name.substr(0, dot));
    return stem == name.substr(0, dot) ? mangled : stem + std::string(name.substr(dot));
  }
  return std::string(WithoutRustHash(text.get()));
}

}  // namespace symbols
