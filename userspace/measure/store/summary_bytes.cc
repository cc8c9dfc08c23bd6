// SPDX-License-Identifier: BSD-2-Clause
#include "measure/store/summary_bytes.h"

namespace measure {

void SummaryWriter::Number(uint64_t value) {
  for (; value >= 0x80; value >>= 7) Byte(static_cast<uint8_t>(value | 0x80));
  Byte(static_cast<uint8_t>(value));
}

void SummaryWriter::Text(std::string_view text) {
  Number(text.size());
  bytes_.append(text);
}

uint8_t SummaryReader::Byte() {
  if (failed_ || rest_.empty()) {
    failed_ = true;
    return 0;
  }
  const auto value = static_cast<uint8_t>(rest_.front());
  rest_ = rest_.subspan(1);
  return value;
}

uint64_t SummaryReader::Number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t byte = Byte();
    const uint64_t bits = byte & 0x7f;
    if (bits << shift >> shift != bits) failed_ = true;
    value |= bits << shift;
    if ((byte & 0x80) != 0) continue;
    // One way to write a number: no zeros at its end.
    if (byte == 0 && shift != 0) failed_ = true;
    return failed_ ? 0 : value;
  }
  failed_ = true;
  return 0;
}

uint64_t SummaryReader::NumberUpTo(uint64_t most) {
  const uint64_t value = Number();
  if (value <= most) return value;
  failed_ = true;
  return 0;
}

size_t SummaryReader::Count(size_t least_bytes) {
  // The size of the bytes behind the number.
  const uint64_t value = Number();
  if (value <= rest_.size() / least_bytes) return static_cast<size_t>(value);
  failed_ = true;
  return 0;
}

std::string SummaryReader::Text() {
  const size_t size = Count(1);
  const std::string text(reinterpret_cast<const char*>(rest_.data()), size);
  rest_ = rest_.subspan(size);
  return text;
}

}  // namespace measure
