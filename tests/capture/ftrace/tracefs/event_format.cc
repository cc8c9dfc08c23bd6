// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/tracefs/event_format.h"

#include <charconv>
#include <cstring>

namespace truth {
namespace {

// Returns the text between `key` and `;`, or nothing.
std::optional<std::string_view> Attribute(std::string_view line, std::string_view key) {
  const size_t at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const size_t begin = at + key.size();
  return line.substr(begin, line.find(';', begin) - begin);
}

std::optional<uint64_t> Number(std::string_view text, int base = 10) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// "char prev_comm[16]", "pid_t prev_pid" and "__data_loc char[] comm" to the bare name.
std::string_view NameOfDeclaration(std::string_view declaration) {
  const size_t space = declaration.find_last_of(" \t");
  if (space != std::string_view::npos) declaration.remove_prefix(space + 1);
  return declaration.substr(0, declaration.find('['));
}

}  // namespace

const FormatField* EventFormat::Find(std::string_view field) const {
  for (const FormatField& candidate : fields) {
    if (candidate.name == field) return &candidate;
  }
  return nullptr;
}

util::Result<EventFormat> ParseEventFormat(std::string_view text) {
  EventFormat format;
  bool has_id = false;
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text = newline == std::string_view::npos ? std::string_view() : text.substr(newline + 1);
    if (line.starts_with("name: ")) {
      format.name = line.substr(6);
    } else if (line.starts_with("ID: ")) {
      const auto id = Number(line.substr(4));
      if (!id || *id > UINT16_MAX) return util::Error{"unreadable event ID", ""};
      format.id = static_cast<uint16_t>(*id);
      has_id = true;
    } else if (line.starts_with("print fmt: ")) {
      format.print_format = line.substr(11);
    } else if (const auto declaration = Attribute(line, "field:")) {
      const auto offset = Attribute(line, "offset:");
      const auto size = Attribute(line, "size:");
      const auto is_signed = Attribute(line, "signed:");
      if (!offset || !size || !Number(*offset) || !Number(*size)) {
        return util::Error{"unreadable field: " + std::string(line), ""};
      }
      format.fields.push_back({std::string(NameOfDeclaration(*declaration)), *Number(*offset),
                               *Number(*size), is_signed && *is_signed == "1",
                               declaration->starts_with("__data_loc")});
    }
  }
  if (format.fields.empty() || (!format.name.empty() && !has_id)) {
    return util::Error{"not an event format", ""};
  }
  return format;
}

std::optional<int64_t> ReadInteger(const FormatField& field, std::span<const std::byte> payload) {
  if (field.offset > payload.size() || field.size > payload.size() - field.offset) {
    return std::nullopt;
  }
  const std::byte* from = payload.data() + field.offset;
  const auto read = [&](auto like_signed, auto value) -> int64_t {
    std::memcpy(&value, from, sizeof(value));
    return field.is_signed ? static_cast<int64_t>(static_cast<decltype(like_signed)>(value))
                           : static_cast<int64_t>(value);
  };
  switch (field.size) {
    case 1:
      return read(int8_t{}, uint8_t{});
    case 2:
      return read(int16_t{}, uint16_t{});
    case 4:
      return read(int32_t{}, uint32_t{});
    case 8:
      return read(int64_t{}, uint64_t{});
    default:
      return std::nullopt;
  }
}

std::string_view ReadCharArray(const FormatField& field, std::span<const std::byte> payload) {
  size_t offset = field.offset, size = field.size;
  if (field.is_data_loc) {
    const auto location = ReadInteger(field, payload);
    if (!location) return {};
    offset = static_cast<uint64_t>(*location) & 0xffff;
    size = static_cast<uint64_t>(*location) >> 16 & 0xffff;
  }
  if (offset > payload.size() || size > payload.size() - offset) return {};
  const char* from = reinterpret_cast<const char*>(payload.data()) + offset;
  return {from, strnlen(from, size)};
}

util::Result<StateLetters> StateLetters::Parse(std::string_view print_format) {
  StateLetters letters;
  uint64_t highest = 0;
  // Pairs such as { 0x00000001, "S" }; older kernels write the mask without leading zeros.
  for (size_t at = print_format.find("{ 0x"); at != std::string_view::npos;
       at = print_format.find("{ 0x", at + 1)) {
    const std::string_view pair = print_format.substr(at + 4, print_format.find('}', at) - at - 4);
    const auto mask = Number(pair, 16);
    const size_t quote = pair.find('"');
    if (!mask || *mask == 0 || quote == std::string_view::npos || quote + 2 >= pair.size() ||
        pair[quote + 2] != '"') {
      continue;
    }
    letters.bits_.push_back({*mask, pair[quote + 1]});
    highest = std::max(highest, *mask);
  }
  if (letters.bits_.empty()) {
    return util::Error{"the print format of sched_switch names no task states", ""};
  }
  // TASK_REPORT_MAX: the bit above the last reported state marks a preempted task.
  letters.preempted_mask_ = highest << 1;
  return letters;
}

char StateLetters::Letter(uint64_t prev_state) const {
  for (const Bit& bit : bits_) {
    if (prev_state & bit.mask) return bit.letter;
  }
  if (prev_state & preempted_mask_) return kPreempted;
  return prev_state == 0 ? 'R' : '?';
}

std::string StateText(char letter) {
  if (letter == StateLetters::kThrottled) return "Rq";
  return letter == StateLetters::kPreempted ? "R+" : std::string(1, letter);
}

char StateLetter(std::string_view text) {
  if (text == "R+") return StateLetters::kPreempted;
  if (text == "Rq") return StateLetters::kThrottled;
  return text.size() == 1 ? text[0] : '?';
}

}  // namespace truth
