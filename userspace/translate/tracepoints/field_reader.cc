// SPDX-License-Identifier: BSD-2-Clause
#include "translate/tracepoints/field_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>
#include <variant>

#include "fxt/utf8.h"
#include "util/format_library.h"

namespace translate {
namespace {

using schema::TracepointField;
using Bytes = std::span<const std::byte>;
using Kind = TracepointField::Kind;
using Place = TracepointField::Place;

constexpr std::string_view kCut = "...";

uint64_t Number(Bytes bytes, bool is_signed) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  if (!is_signed || bytes.size() == sizeof(value)) return value;
  const auto unused = static_cast<unsigned>(64 - 8 * bytes.size());
  return static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused);
}

bool IsWithin(Bytes record, uint64_t offset, uint64_t size) {
  return offset <= record.size() && size <= record.size() - offset;
}

// The bytes of the field; data() is null if the record is too short.
Bytes Find(const TracepointField& field, Bytes record) {
  if (!IsWithin(record, field.offset, field.size)) return {};
  if (field.place == Place::kFixed) return record.subspan(field.offset, field.size);
  if (field.size != sizeof(uint32_t)) return {};
  const auto word = static_cast<uint32_t>(Number(record.subspan(field.offset, 4), false));
  uint64_t offset = word & 0xffff;
  if (field.place == Place::kRelLoc) offset += field.offset + sizeof(uint32_t);
  if (!IsWithin(record, offset, word >> 16)) return {};
  return record.subspan(offset, word >> 16);
}

void AppendText(Bytes bytes, std::string& text) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::string_view whole = all.substr(0, all.find('\0'));
  std::string valid;
  const std::string_view shown = fxt::CutUtf8(fxt::ToValidUtf8(whole, valid), kMaxTextBytes);
  text.append(shown);
  if (whole.size() > kMaxTextBytes) text.append(kCut);
}

void AppendHex(Bytes bytes, std::string& text) {
  for (const std::byte each : bytes.first(std::min(bytes.size(), 4 * kMaxElements))) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned>(each));
  }
  if (bytes.size() > 4 * kMaxElements) text.append(kCut);
}

void AppendNumbers(const TracepointField& field, Bytes bytes, std::string& text) {
  const bool is_signed = field.kind == Kind::kSigned;
  const size_t count = bytes.size() / field.element_size;
  for (size_t i = 0; i < std::min(count, kMaxElements); ++i) {
    if (i > 0) text += ',';
    const uint64_t value =
        Number(bytes.subspan(i * field.element_size, field.element_size), is_signed);
    if (is_signed) {
      fmt::format_to(std::back_inserter(text), "{}", static_cast<int64_t>(value));
    } else {
      fmt::format_to(std::back_inserter(text), "{}", value);
    }
  }
  if (count > kMaxElements) text.append(kCut);
}

bool IsNumber(const TracepointField& field, Bytes bytes) {
  return !field.is_array && !bytes.empty() && bytes.size() <= sizeof(uint64_t) &&
         field.kind != Kind::kText && field.kind != Kind::kBytes;
}

fxt::ArgumentValue NumberValue(const TracepointField& field, Bytes bytes) {
  const uint64_t value = Number(bytes, field.kind == Kind::kSigned);
  if (field.kind == Kind::kPointer) return fxt::PointerValue{value};
  if (field.kind == Kind::kSigned) {
    if (bytes.size() <= 4) return static_cast<int32_t>(value);
    return static_cast<int64_t>(value);
  }
  if (bytes.size() <= 4) return static_cast<uint32_t>(value);
  return value;
}

void AppendOther(const TracepointField& field, Bytes bytes, std::string& text) {
  if (field.kind == Kind::kText) {
    AppendText(bytes, text);
  } else if (field.kind == Kind::kBytes || field.element_size == 1 || field.element_size == 0 ||
             field.element_size > sizeof(uint64_t)) {
    AppendHex(bytes, text);
  } else {
    AppendNumbers(field, bytes, text);
  }
}

}  // namespace

fxt::ArgumentValue ReadField(const TracepointField& field, Bytes record, std::string& scratch) {
  const Bytes bytes = Find(field, record);
  if (bytes.data() == nullptr) return fxt::NullValue{};
  if (IsNumber(field, bytes)) return NumberValue(field, bytes);
  scratch.clear();
  AppendOther(field, bytes, scratch);
  return fxt::StringRef::Inline(scratch);
}

std::string DescribeField(const TracepointField& field, Bytes record) {
  const Bytes bytes = Find(field, record);
  std::string text;
  if (bytes.data() == nullptr) return text;
  if (!IsNumber(field, bytes)) {
    AppendOther(field, bytes, text);
  } else if (field.kind == Kind::kPointer) {
    text = fmt::format("{:#x}", Number(bytes, false));
  } else {
    AppendNumbers(field, bytes, text);
  }
  return text;
}

}  // namespace translate
