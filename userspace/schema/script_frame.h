// SPDX-License-Identifier: BSD-2-Clause
// Frames of interpreted functions in call stacks. Such a frame has no address. Instead it has a
// word that is never an address: bit 62 is set and bit 63 is not. Bits 16 to 61 are a hash of the
// function's name, file and first line, so they are the same in each process and recording. Bits 0
// to 15 are the line, counted from the first one on and from 1; 0: not known. An instant `symbol`
// (schema::symbol) declares the function.
#pragma once

#include <cstdint>
#include <string_view>

#include "schema/stack_id.h"

namespace schema {

inline constexpr uint64_t kScriptLines = 0xffff;

constexpr bool IsScriptFrame(uint64_t address) { return address >> 62 == 1; }
// The function's part of the frame.
constexpr uint64_t ScriptFunctionOf(uint64_t frame) { return frame & ~kScriptLines; }
// The line; 0: not known.
constexpr uint64_t ScriptLineOf(uint64_t frame, uint64_t first_line) {
  const uint64_t line = frame & kScriptLines;
  return line == 0 ? 0 : first_line + line - 1;
}
constexpr uint64_t ScriptFrame(uint64_t function, uint64_t first_line, uint64_t line) {
  const bool is_known = line >= first_line && line - first_line < kScriptLines;
  return function | (is_known ? line - first_line + 1 : 0);
}

// The function's part of its frames.
inline uint64_t ScriptFunctionId(std::string_view name, std::string_view file,
                                 uint64_t first_line) {
  // FNV-1a.
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](uint64_t value) { hash = (hash ^ value) * 0x100000001b3; };
  for (const std::string_view text : {name, file}) {
    for (const char character : text) add(static_cast<unsigned char>(character));
    add(0x100);
  }
  add(first_line);
  hash ^= hash >> 32;
  hash *= 0x9e3779b97f4a7c15;
  return uint64_t{1} << 62 | (hash >> 18 << 16);
}

}  // namespace schema
