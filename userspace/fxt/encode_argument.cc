// SPDX-License-Identifier: BSD-2-Clause
#include "encode_argument.h"

#include <bit>
#include <type_traits>
#include <variant>

namespace fxt {
namespace {

constexpr uint64_t kMaxBlobArgumentBytes = 0xffffffff;

// The type of an argument is the place of its alternative; UnknownValue comes after the last.
constexpr size_t kUnknownIndex = std::variant_size_v<ArgumentValue> - 1;
static_assert(kUnknownIndex == static_cast<size_t>(ArgumentType::kBlob) + 1);
template <ArgumentType type>
using Alternative = std::variant_alternative_t<static_cast<size_t>(type), ArgumentValue>;
static_assert(std::is_same_v<Alternative<ArgumentType::kDouble>, double>);
static_assert(std::is_same_v<Alternative<ArgumentType::kKoid>, KoidValue>);
static_assert(std::is_same_v<Alternative<ArgumentType::kBlob>, BlobValue>);

uint64_t SizeField(uint64_t header) { return header >> 4 & 0xfff; }

EncodeStatus CheckUnknown(const Argument& argument, const UnknownValue& value) {
  if (value.words.empty() || value.words.size() > kMaxRecordWords) {
    return EncodeStatus::kInconsistentWords;
  }
  const uint64_t header = value.words[0];
  const bool agrees = (header & 0xf) == value.type && SizeField(header) == value.words.size() &&
                      (header >> 16 & 0xffff) == argument.name.encoded;
  return agrees ? EncodeStatus::kOk : EncodeStatus::kInconsistentWords;
}

// Checks `argument` and adds its words.
EncodeStatus MeasureArgument(const Argument& argument, uint64_t& words) {
  if (const auto status = CheckString(argument.name); status != EncodeStatus::kOk) return status;
  uint64_t own = 1 + argument.name.words();
  switch (argument.value.index()) {
    case static_cast<size_t>(ArgumentType::kInt64):
    case static_cast<size_t>(ArgumentType::kUint64):
    case static_cast<size_t>(ArgumentType::kDouble):
    case static_cast<size_t>(ArgumentType::kPointer):
    case static_cast<size_t>(ArgumentType::kKoid):
      own += 1;
      break;
    case static_cast<size_t>(ArgumentType::kString): {
      const auto& value = *std::get_if<StringRef>(&argument.value);
      if (const auto status = CheckString(value); status != EncodeStatus::kOk) return status;
      own += value.words();
      break;
    }
    case static_cast<size_t>(ArgumentType::kBlob): {
      const size_t bytes = std::get_if<BlobValue>(&argument.value)->bytes.size();
      if (bytes > kMaxBlobArgumentBytes) return EncodeStatus::kPayloadTooLong;
      own += WordsForBytes(bytes);
      break;
    }
    case kUnknownIndex: {
      const auto& value = *std::get_if<UnknownValue>(&argument.value);
      if (const auto status = CheckUnknown(argument, value); status != EncodeStatus::kOk) {
        return status;
      }
      own = value.words.size();
      break;
    }
    default:
      break;
  }
  // The size field of an argument has twelve bits, as that of a record.
  if (own > kMaxRecordWords) return EncodeStatus::kRecordTooLong;
  words += own;
  return EncodeStatus::kOk;
}

class ArgumentWriter {
 public:
  ArgumentWriter(const StringRef& name, WordWriter& out) : name_(name), out_(out) {}

  void operator()(NullValue) { Start(ArgumentType::kNull, 0, 0); }
  void operator()(int32_t value) { Start(ArgumentType::kInt32, 0, static_cast<uint32_t>(value)); }
  void operator()(uint32_t value) { Start(ArgumentType::kUint32, 0, value); }
  void operator()(int64_t value) {
    StartAndWord(ArgumentType::kInt64, static_cast<uint64_t>(value));
  }
  void operator()(uint64_t value) { StartAndWord(ArgumentType::kUint64, value); }
  void operator()(double value) {
    StartAndWord(ArgumentType::kDouble, std::bit_cast<uint64_t>(value));
  }
  void operator()(const StringRef& value) {
    Start(ArgumentType::kString, value.words(), value.encoded);
    out_.String(value);
  }
  void operator()(PointerValue value) { StartAndWord(ArgumentType::kPointer, value.address); }
  void operator()(KoidValue value) { StartAndWord(ArgumentType::kKoid, value.koid); }
  void operator()(bool value) { Start(ArgumentType::kBool, 0, value ? 1 : 0); }
  void operator()(const BlobValue& value) {
    const size_t bytes = value.bytes.size();
    Start(ArgumentType::kBlob, WordsForBytes(bytes), static_cast<uint32_t>(bytes));
    out_.Stream(value.bytes.data(), bytes);
  }
  void operator()(const UnknownValue& value) { out_.Words(value.words.data(), value.words.size()); }

 private:
  // Writes the header and the name. `payload` is bits 32..63 of the header.
  void Start(ArgumentType type, size_t payload_words, uint32_t payload) {
    const uint64_t words = 1 + name_.words() + payload_words;
    out_.Word(static_cast<uint64_t>(type) | words << 4 | uint64_t{name_.encoded} << 16 |
              uint64_t{payload} << 32);
    out_.String(name_);
  }
  void StartAndWord(ArgumentType type, uint64_t value) {
    Start(type, 1, 0);
    out_.Word(value);
  }

  const StringRef& name_;
  WordWriter& out_;
};

// std::visit() of libstdc++ calls through a table of functions, which takes several times as long
// as a chain of comparisons.
template <size_t index>
void WriteValue(const ArgumentValue& value, ArgumentWriter& writer) {
  if constexpr (index < std::variant_size_v<ArgumentValue>) {
    if (const auto* alternative = std::get_if<index>(&value)) {
      writer(*alternative);
    } else {
      WriteValue<index + 1>(value, writer);
    }
  }
}

}  // namespace

EncodeStatus CheckString(const StringRef& ref) {
  if (!ref.is_inline()) return EncodeStatus::kOk;
  if (ref.text.size() > kMaxStringRefBytes) return EncodeStatus::kStringTooLong;
  return ref.text.size() == (ref.encoded & kMaxStringRefBytes) ? EncodeStatus::kOk
                                                               : EncodeStatus::kInvalidStringRef;
}

EncodeStatus MeasureArguments(std::span<const Argument> arguments, uint64_t& words) {
  if (arguments.size() > kMaxArguments) return EncodeStatus::kTooManyArguments;
  for (const Argument& argument : arguments) {
    if (const auto status = MeasureArgument(argument, words); status != EncodeStatus::kOk) {
      return status;
    }
  }
  return EncodeStatus::kOk;
}

void WriteArguments(std::span<const Argument> arguments, WordWriter& out) {
  for (const Argument& argument : arguments) {
    ArgumentWriter writer(argument.name, out);
    WriteValue<0>(argument.value, writer);
  }
}

}  // namespace fxt
