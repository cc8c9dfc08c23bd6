// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/stored_event.h"

#include <cstring>
#include <type_traits>

namespace importer {
namespace {

struct Head {
  uint64_t payload;
  uint32_t thread;
  uint32_t second_thread;
  uint16_t cpu;
  uint8_t kind;
  uint8_t arguments;
};

constexpr uint32_t kInline = 0x80000000;  // low bits: the length

template <typename T>
void Put(const T& value, std::vector<std::byte>& out) {
  const size_t at = out.size();
  out.resize(at + sizeof value);
  std::memcpy(out.data() + at, &value, sizeof value);
}

void PutText(std::string_view text, std::vector<std::byte>& out) {
  Put(static_cast<uint32_t>(kInline | text.size()), out);
  const size_t at = out.size();
  out.resize(at + text.size());
  if (!text.empty()) std::memcpy(out.data() + at, text.data(), text.size());
}

void PutText(const StoredText& text, std::vector<std::byte>& out) {
  if (text.number != StringTable::kNone) {
    Put(text.number, out);
  } else {
    PutText(text.text, out);
  }
}

class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <typename T>
  T Take() {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_ = bytes_.subspan(sizeof value);
    return value;
  }
  StoredText TakeText() {
    const auto number = Take<uint32_t>();
    if ((number & kInline) == 0) return {number, {}};
    const size_t length = number & ~kInline;
    const StoredText text{StringTable::kNone,
                          {reinterpret_cast<const char*>(bytes_.data()), length}};
    bytes_ = bytes_.subspan(length);
    return text;
  }

 private:
  std::span<const std::byte> bytes_;
};

template <size_t kIndex>
using Alternative = std::variant_alternative_t<kIndex, JsonValue>;

}  // namespace

void Encode(const StoredEvent& event, std::vector<std::byte>& out) {
  Put(Head{event.payload, event.thread, event.second_thread, event.cpu,
           static_cast<uint8_t>(event.kind), static_cast<uint8_t>(event.arguments.size())},
      out);
  PutText(event.category, out);
  PutText(event.name, out);
  for (const StoredArgument& argument : event.arguments) {
    PutText(argument.name, out);
    Put(static_cast<uint8_t>(argument.value.index()), out);
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, std::string_view>) {
            PutText(argument.text, out);
          } else if constexpr (std::is_same_v<T, JsonText>) {
            PutText(value.text, out);
          } else if constexpr (!std::is_same_v<T, std::monostate>) {
            Put(value, out);
          }
        },
        argument.value);
  }
}

void Decode(std::span<const std::byte> bytes, StoredEvent& event) {
  Taker taker(bytes);
  const auto head = taker.Take<Head>();
  event.kind = static_cast<StoredKind>(head.kind);
  event.cpu = head.cpu;
  event.thread = head.thread;
  event.second_thread = head.second_thread;
  event.payload = head.payload;
  event.category = taker.TakeText();
  event.name = taker.TakeText();
  event.arguments.resize(head.arguments);
  for (StoredArgument& argument : event.arguments) {
    argument.name = taker.TakeText();
    argument.text = {};
    switch (taker.Take<uint8_t>()) {
      case 1:
        argument.value = taker.Take<Alternative<1>>();
        break;
      case 2:
        argument.value = taker.Take<Alternative<2>>();
        break;
      case 3:
        argument.value = taker.Take<Alternative<3>>();
        break;
      case 4:
        argument.value = taker.Take<Alternative<4>>();
        break;
      case 5:
        argument.text = taker.TakeText();
        argument.value = argument.text.text;
        break;
      case 6:
        argument.value = JsonText{taker.TakeText().text};
        break;
      default:
        argument.value = std::monostate();
    }
  }
}

}  // namespace importer
