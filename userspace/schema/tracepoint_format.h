// SPDX-License-Identifier: BSD-2-Clause
// The layout of the kernel's record of a tracepoint event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace schema {

struct TracepointField {
  enum class Kind : uint8_t {
    kSigned,  // one integer of 1, 2, 4 or 8 bytes, or an array of them
    kUnsigned,
    kPointer,
    kText,   // up to its NUL, or its end
    kBytes,  // anything else
  };
  enum class Place : uint8_t {
    kFixed,    // `size` bytes at `offset`
    kDataLoc,  // a word at `offset`: the low half is the offset of the data in the record, the high
               // half its size
    kRelLoc,   // the same, with the offset counted from the end of the word
  };

  std::string name;
  std::string type;  // the kernel's declaration, as in "char[16]"
  Kind kind = Kind::kBytes;
  Place place = Place::kFixed;
  bool is_array = false;
  uint32_t offset = 0;        // bytes from the record's start
  uint32_t size = 0;          // bytes of the whole array; of the word unless kFixed
  uint32_t element_size = 0;  // bytes
};

struct TracepointFormat {
  std::string system;
  std::string name;
  uint32_t id = 0;  // the kernel's id, stable until reboot
  // Without the common fields.
  std::vector<TracepointField> fields;
};

// The common fields at the start of each record: the id, and the thread that was running, numbered
// in the initial pid namespace (0: the idle task).
struct TracepointHeader {
  uint16_t id;
  uint8_t flags;
  uint8_t preempt_count;
  int32_t tid;
};
static_assert(sizeof(TracepointHeader) == 8);

}  // namespace schema
