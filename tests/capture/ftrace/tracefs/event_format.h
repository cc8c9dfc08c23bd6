// SPDX-License-Identifier: BSD-2-Clause
// The layout of an ftrace event as tracefs describes it (events/*/*/format and events/header_page;
// Documentation/trace/events.rst of the kernel). Offsets differ between kernels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace truth {

struct FormatField {
  std::string name;
  size_t offset = 0;
  size_t size = 0;
  bool is_signed = false;
  bool is_data_loc = false;  // the field holds where the bytes are: 16 bits offset, 16 bits length
};

struct EventFormat {
  std::string name;
  uint16_t id = 0;
  std::vector<FormatField> fields;
  std::string print_format;  // everything after "print fmt: "

  // Null if the event of this kernel has no such field.
  const FormatField* Find(std::string_view field) const;
};

// `text` is the content of a `format` file.
util::Result<EventFormat> ParseEventFormat(std::string_view text);

// Returns an integer of 1, 2, 4 or 8 bytes in host order, sign-extended if the field is signed, or
// nothing if the field exceeds the payload.
std::optional<int64_t> ReadInteger(const FormatField& field, std::span<const std::byte> payload);
// Returns an array of char, inline or elsewhere in the payload, up to its NUL. Empty if it exceeds
// the payload.
std::string_view ReadCharArray(const FormatField& field, std::span<const std::byte> payload);

// The letters of prev_state from the print format of sched_switch.
class StateLetters {
 public:
  // '+' is "R+" (preempted), '?' a bit without a letter.
  static constexpr char kPreempted = '+';
  // For recordings: runnable, in a cgroup whose quota is used up. ftrace has R or R+.
  static constexpr char kThrottled = 'q';

  // `print_format` is that of sched_switch.
  static util::Result<StateLetters> Parse(std::string_view print_format);
  char Letter(uint64_t prev_state) const;

 private:
  struct Bit {
    uint64_t mask;
    char letter;
  };
  std::vector<Bit> bits_;
  uint64_t preempted_mask_ = 0;
};

// "R+" and "Rq" for those of StateLetters, else the letter itself.
std::string StateText(char letter);
// The inverse function; '?' for any other text.
char StateLetter(std::string_view text);

}  // namespace truth
