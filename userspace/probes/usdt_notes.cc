// SPDX-License-Identifier: BSD-2-Clause
#include "probes/usdt_notes.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <utility>

#include "fxt_record/event.h"

namespace probes {
namespace {

constexpr uint32_t kNoteType = 3;
constexpr std::string_view kOwner("stapsdt\0", 8);
constexpr size_t kAddresses = 3 * sizeof(uint64_t);  // of the probe, a section and a semaphore

size_t Padded(size_t bytes) { return (bytes + 3) / 4 * 4; }

// Returns the text up to a zero byte and removes it from `text`.
std::string_view TakeText(std::string_view& text) {
  const size_t end = std::min(text.find('\0'), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

}  // namespace

std::vector<ArgumentType> ParseArgumentTypes(std::string_view text) {
  std::vector<ArgumentType> types;
  while (!text.empty() && types.size() < FXR_PROBE_ARGUMENTS) {
    // An operand may contain spaces ([sp, 16]); a word that is not a type continues the previous
    // operand.
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    ArgumentType type;
    std::string_view rest = word;
    if (rest.starts_with('-')) {
      type.is_signed = true;
      rest.remove_prefix(1);
    }
    if (rest.empty() || !std::isdigit(static_cast<unsigned char>(rest.front()))) continue;
    type.bytes = static_cast<unsigned>(rest.front() - '0');
    rest.remove_prefix(1);
    if (rest.starts_with('f')) {
      type.is_float = true;
      rest.remove_prefix(1);
    }
    if (rest.starts_with('@')) types.push_back(type);
  }
  return types;
}

std::vector<UsdtNote> ReadUsdtNotes(std::span<const std::byte> section) {
  std::vector<UsdtNote> notes;
  std::string_view bytes(reinterpret_cast<const char*>(section.data()), section.size());
  struct Head {
    uint32_t owner_bytes, bytes, type;
  } head{};
  while (bytes.size() >= sizeof(head)) {
    std::memcpy(&head, bytes.data(), sizeof(head));
    bytes.remove_prefix(sizeof(head));
    const size_t owner_room = Padded(head.owner_bytes);
    if (owner_room > bytes.size() || head.bytes > bytes.size() - owner_room) break;
    const std::string_view owner = bytes.substr(0, head.owner_bytes);
    std::string_view body = bytes.substr(owner_room, head.bytes);
    bytes.remove_prefix(std::min(owner_room + Padded(head.bytes), bytes.size()));
    if (owner != kOwner || head.type != kNoteType || body.size() < kAddresses) continue;
    body.remove_prefix(kAddresses);
    UsdtNote note;
    note.provider = TakeText(body);
    note.name = TakeText(body);
    note.arguments = ParseArgumentTypes(TakeText(body));
    if (!note.provider.empty() && !note.name.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

}  // namespace probes
