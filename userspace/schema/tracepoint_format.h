// SPDX-License-Identifier: BSD-2-Clause
// What is in the kernel's record of a tracepoint's event, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace schema {

struct TracepointField {
  enum class Kind : uint8_t {
    kSigned,  // a number of 1, 2, 4 or 8 bytes, or several
    kUnsigned,
    kPointer,
    kText,   // up to its NUL, or its end
    kBytes,  // nothing that the other kinds are
  };
  enum class Place : uint8_t {
    kFixed,    // `size` bytes at `offset`
    kDataLoc,  // there is a word: the low half is the offset of its bytes in the record, the high
               // half says how many they are
    kRelLoc,   // the same, counted from behind the word
  };

  std::string name;
  std::string type;  // the kernel's declaration, as in "char[16]"
  Kind kind = Kind::kBytes;
  Place place = Place::kFixed;
  bool is_array = false;
  uint32_t offset = 0;        // bytes from the record's start
  uint32_t size = 0;          // bytes, of a whole array; of the word where it is not kFixed
  uint32_t element_size = 0;  // bytes
};

struct TracepointFormat {
  std::string system;
  std::string name;
  uint32_t id = 0;  // what perf and the records call it, until the next boot
  // Without those that all events have.
  std::vector<TracepointField> fields;
};

// Each record begins with these, of all events: the id, and the thread that was running, as the
// machine numbers it (0: the idle task).
struct TracepointHeader {
  uint16_t id;
  uint8_t flags;
  uint8_t preempt_count;
  int32_t tid;
};
static_assert(sizeof(TracepointHeader) == 8);

}  // namespace schema
