// SPDX-License-Identifier: BSD-2-Clause
#include "import/trace_event/stored_event.h"

#include <cstring>
#include <type_traits>

namespace importer {
namespace {

// Numbers are LEB128. A text is 2 * the string's number, or 2 * its length + 1 followed by the
// text.
constexpr size_t kNumberBytes = 10;

class Putter {
 public:
  // `at` has room for MostBytes().
  explicit Putter(std::byte* at) : at_(at) {}

  void Byte(uint8_t value) { *at_++ = std::byte{value}; }
  void Number(uint64_t value) {
    for (; value >= 0x80; value >>= 7) Byte(static_cast<uint8_t>(value | 0x80));
    Byte(static_cast<uint8_t>(value));
  }
  void Bytes(const void* data, size_t size) {
    if (size != 0) std::memcpy(at_, data, size);
    at_ += size;
  }
  void Text(std::string_view text) {
    Number(text.size() << 1 | 1);
    Bytes(text.data(), text.size());
  }
  void Text(const StoredText& text) {
    if (text.number != StringTable::kNone) {
      Number(uint64_t{text.number} << 1);
    } else {
      Text(text.text);
    }
  }
  const std::byte* at() const { return at_; }

 private:
  std::byte* at_;
};

class Taker {
 public:
  explicit Taker(std::span<const std::byte> bytes) : at_(bytes.data()) {}

  uint8_t Byte() { return static_cast<uint8_t>(*at_++); }
  uint64_t Number() {
    uint64_t value = Byte();
    if (value < 0x80) return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
      const uint64_t next = Byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  }
  template <typename T>
  T Take() {
    T value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  StoredText Text() {
    const uint64_t number = Number();
    if ((number & 1) == 0) return {static_cast<uint32_t>(number >> 1), {}};
    const size_t length = number >> 1;
    const StoredText text{StringTable::kNone, {reinterpret_cast<const char*>(at_), length}};
    at_ += length;
    return text;
  }

 private:
  const std::byte* at_;
};

// ZigZag encoding: numbers with small absolute values become small.
uint64_t Folded(int64_t value) {
  return static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
}
int64_t Unfolded(uint64_t value) { return static_cast<int64_t>(value >> 1 ^ (~(value & 1) + 1)); }

bool IsOfScheduler(StoredKind kind) {
  return kind == StoredKind::kSwitch || kind == StoredKind::kWakeup;
}

// An upper bound for Encode().
size_t MostBytes(const StoredEvent& event) {
  size_t bytes = 8 * kNumberBytes + event.category.text.size() + event.name.text.size();
  for (const StoredArgument& argument : event.arguments) {
    bytes += 4 * kNumberBytes + argument.name.text.size() + argument.text.text.size();
    if (const auto* json = std::get_if<JsonText>(&argument.value)) bytes += json->text.size();
  }
  return bytes;
}

// Indexes of JsonValue's alternatives.
enum : uint8_t { kNull, kBool, kInt64, kUint64, kDouble, kString, kJson };

}  // namespace

std::span<const std::byte> Encode(const StoredEvent& event, std::vector<std::byte>& room) {
  if (const size_t most = MostBytes(event); room.size() < most) room.resize(most);
  Putter put(room.data());
  put.Byte(static_cast<uint8_t>(event.kind));
  put.Number(event.thread);
  if (IsOfScheduler(event.kind)) {
    put.Number(event.second_thread);
    put.Number(event.cpu);
  }
  put.Number(event.payload);
  put.Text(event.category);
  put.Text(event.name);
  put.Byte(static_cast<uint8_t>(event.arguments.size()));
  for (const StoredArgument& argument : event.arguments) {
    const JsonValue& value = argument.value;
    put.Text(argument.name);
    put.Byte(static_cast<uint8_t>(value.index()));
    switch (value.index()) {
      case kBool:
        put.Byte(*std::get_if<bool>(&value) ? 1 : 0);
        break;
      case kInt64:
        put.Number(Folded(*std::get_if<int64_t>(&value)));
        break;
      case kUint64:
        put.Number(*std::get_if<uint64_t>(&value));
        break;
      case kDouble:
        put.Bytes(std::get_if<double>(&value), sizeof(double));
        break;
      case kString:
        put.Text(argument.text);
        break;
      case kJson:
        put.Text(std::get_if<JsonText>(&value)->text);
        break;
      default:
        break;
    }
  }
  return {room.data(), put.at()};
}

StoredKind KindOf(std::span<const std::byte> bytes) {
  return static_cast<StoredKind>(bytes.front());
}

void Decode(std::span<const std::byte> bytes, StoredEvent& event) {
  Taker taker(bytes);
  event.kind = static_cast<StoredKind>(taker.Byte());
  event.thread = static_cast<uint32_t>(taker.Number());
  event.second_thread = 0;
  event.cpu = 0;
  if (IsOfScheduler(event.kind)) {
    event.second_thread = static_cast<uint32_t>(taker.Number());
    event.cpu = static_cast<uint16_t>(taker.Number());
  }
  event.payload = taker.Number();
  event.category = taker.Text();
  event.name = taker.Text();
  event.arguments.resize(taker.Byte());
  for (StoredArgument& argument : event.arguments) {
    argument.name = taker.Text();
    argument.text = {};
    switch (taker.Byte()) {
      case kBool:
        argument.value = taker.Byte() != 0;
        break;
      case kInt64:
        argument.value = Unfolded(taker.Number());
        break;
      case kUint64:
        argument.value = taker.Number();
        break;
      case kDouble:
        argument.value = taker.Take<double>();
        break;
      case kString:
        argument.text = taker.Text();
        argument.value = argument.text.text;
        break;
      case kJson:
        argument.value = JsonText{taker.Text().text};
        break;
      default:
        argument.value = std::monostate();
    }
  }
}

}  // namespace importer
