// SPDX-License-Identifier: BSD-2-Clause
// A parser of the JSON that programs usually write. It fails on rare syntax (numbers with an
// exponent, escapes by code point) and on errors, and the caller then uses a complete parser.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace importer {

// A number of at most 18 digits without an exponent.
struct FastNumber {
  std::string_view text;
  uint64_t digits = 0;    // all of them as one number
  unsigned decimals = 0;  // number of digits after the point
  unsigned count = 0;     // number of digits
  bool negative = false;
};

// `Handler` is a handler of RapidJSON with additions:
//   bool Plain(const FastNumber&)   instead of Int() to Double()
//   bool Text(std::string_view)     the text of an object or array that is not parsed
//   bool LooksInto(bool object)     true if the next object (or array) is to be parsed
// `copy` of String() and Key() is true if the text must be copied; otherwise it points into the
// JSON. Arrays and objects within a parsed object are passed to Text() after a check of their
// syntax.
template <typename Handler>
class FastJson {
 public:
  // `text` must be followed by a NUL.
  FastJson(std::string_view text, Handler& handler)
      : text_(text.data()), end_(text.data() + text.size()), handler_(handler) {}

  // Reads the object at the start of the text and returns its length in bytes. Returns 0 if the
  // object needs the general parser; the handler's data is invalid then.
  size_t ReadObject() {
    if (*text_ != '{' || !handler_.StartObject()) return 0;
    const char* const at = Members(text_ + 1, true);
    if (at == nullptr || !handler_.EndObject(0)) return 0;
    return static_cast<size_t>(at - text_);
  }

 private:
  // These functions take the begin of an item and return its end, or null if the general parser is
  // needed.

  const char* Members(const char* at, bool outermost) {
    at = PassSpace(at);
    if (*at == '}') return at + 1;
    for (;;) {
      if (*at != '"' || (at = String(at + 1, true)) == nullptr) return nullptr;
      at = PassSpace(at);
      if (*at != ':') return nullptr;
      at = Value(PassSpace(at + 1), outermost);
      if (at == nullptr) return nullptr;
      at = PassSpace(at);
      if (*at == '}') return at + 1;
      if (*at != ',') return nullptr;
      at = PassSpace(at + 1);
    }
  }

  const char* Value(const char* at, bool may_look) {
    switch (*at) {
      case '"':
        return String(at + 1, false);
      case '{':
      case '[': {
        const bool object = *at == '{';
        if (may_look && handler_.LooksInto(object)) {
          if (!object || !handler_.StartObject()) return nullptr;
          at = Members(at + 1, false);
          return at != nullptr && handler_.EndObject(0) ? at : nullptr;
        }
        const char* const from = at;
        at = PassNested(at);
        if (at == nullptr) return nullptr;
        return handler_.Text({from, static_cast<size_t>(at - from)}) ? at : nullptr;
      }
      case 't':
        return IsNext(at, "true") && handler_.Bool(true) ? at + 4 : nullptr;
      case 'f':
        return IsNext(at, "false") && handler_.Bool(false) ? at + 5 : nullptr;
      case 'n':
        return IsNext(at, "null") && handler_.Null() ? at + 4 : nullptr;
      default: {
        FastNumber number;
        at = Number(at, number);
        return at != nullptr && handler_.Plain(number) ? at : nullptr;
      }
    }
  }

  const char* String(const char* at, bool key) {
    const char* const from = at;
    at = PassFastPath(at);
    bool copy = false;
    std::string_view text(from, static_cast<size_t>(at - from));
    if (*at == '\\') {
      at = Unpack(from, at);
      if (at == nullptr) return nullptr;
      text = unpacked_;
      copy = true;
    }
    if (*at != '"') return nullptr;
    const auto size = static_cast<unsigned>(text.size());
    const bool goes_on =
        key ? handler_.Key(text.data(), size, copy) : handler_.String(text.data(), size, copy);
    return goes_on ? at + 1 : nullptr;
  }

  // Unescapes into `unpacked_`, up to the end of the string. `at` is the first escape.
  const char* Unpack(const char* from, const char* at) {
    unpacked_.assign(from, at);
    while (*at == '\\') {
      const char c = Escaped(at[1]);
      if (c == '\0') return nullptr;
      unpacked_.push_back(c);
      from = at + 2;
      at = PassFastPath(from);
      unpacked_.append(from, at);
    }
    return at;
  }

  // The character of a single-letter escape; 0: another escape.
  static char Escaped(char letter) {
    switch (letter) {
      case '"':
      case '\\':
      case '/':
        return letter;
      case 'b':
        return '\b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      default:
        return '\0';
    }
  }

  // Skips an object or array with its contents.
  const char* PassNested(const char* at) {
    uint64_t objects = 0;  // a bit per open level, the innermost lowest: 1 for an object
    unsigned depth = 0;
    bool value_next = true;
    for (;;) {
      if (value_next) {
        value_next = false;
        if (*at == '{' || *at == '[') {
          const bool object = *at == '{';
          if (++depth > kMaxDepth) return nullptr;
          objects = objects << 1 | (object ? 1 : 0);
          at = PassSpace(at + 1);
          if (*at != (object ? '}' : ']')) {
            if (object && (at = PassName(at)) == nullptr) return nullptr;
            value_next = true;
            continue;
          }
        } else {
          if ((at = PassScalar(at)) == nullptr) return nullptr;
          at = PassSpace(at);
        }
      }
      if (*at == ',') {
        at = PassSpace(at + 1);
        if ((objects & 1) != 0 && (at = PassName(at)) == nullptr) return nullptr;
        value_next = true;
        continue;
      }
      if (*at != ((objects & 1) != 0 ? '}' : ']')) return nullptr;
      ++at;
      objects >>= 1;
      if (--depth == 0) return at;
      at = PassSpace(at);
    }
  }

  // Skips a name and its colon, up to the value.
  const char* PassName(const char* at) {
    if (*at != '"' || (at = PassString(at + 1)) == nullptr) return nullptr;
    at = PassSpace(at);
    return *at == ':' ? PassSpace(at + 1) : nullptr;
  }

  const char* PassScalar(const char* at) {
    switch (*at) {
      case '"':
        return PassString(at + 1);
      case 't':
        return IsNext(at, "true") ? at + 4 : nullptr;
      case 'f':
        return IsNext(at, "false") ? at + 5 : nullptr;
      case 'n':
        return IsNext(at, "null") ? at + 4 : nullptr;
      default: {
        FastNumber number;
        return Number(at, number);
      }
    }
  }

  const char* PassString(const char* at) {
    for (;;) {
      at = PassFastPath(at);
      if (*at == '"') return at + 1;
      if (*at != '\\' || Escaped(at[1]) == '\0') return nullptr;
      at += 2;
    }
  }

  static const char* Number(const char* at, FastNumber& number) {
    constexpr unsigned kMaxDigits = 18;
    const char* const from = at;
    number.negative = *at == '-';
    if (number.negative) ++at;
    const char* digits = at;
    uint64_t value = 0;
    for (; IsDigit(*at); ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
    size_t count = static_cast<size_t>(at - digits);
    if (count == 0 || (count > 1 && *digits == '0')) return nullptr;
    size_t decimals = 0;
    if (*at == '.') {
      digits = ++at;
      for (; IsDigit(*at); ++at) value = value * 10 + static_cast<uint64_t>(*at - '0');
      decimals = static_cast<size_t>(at - digits);
      if (decimals == 0) return nullptr;
      count += decimals;
    }
    if (count > kMaxDigits || *at == 'e' || *at == 'E') return nullptr;
    number.text = {from, static_cast<size_t>(at - from)};
    number.digits = value;
    number.decimals = static_cast<unsigned>(decimals);
    number.count = static_cast<unsigned>(count);
    return at;
  }

  // Skips to a quote, a backslash, or a character that is not allowed in a string.
  const char* PassFastPath(const char* at) const {
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr uint64_t kHigh = 0x8080808080808080;
    if constexpr (std::endian::native == std::endian::little) {
      while (end_ - at >= 8) {
        uint64_t bytes;
        std::memcpy(&bytes, at, sizeof bytes);
        // Sets the high bit of each such byte, and possibly of bytes after the first one.
        const uint64_t quote = bytes ^ kOnes * '"';
        const uint64_t backslash = bytes ^ kOnes * '\\';
        const uint64_t found = (((quote - kOnes) & ~quote) | ((backslash - kOnes) & ~backslash) |
                                ((bytes - kOnes * 0x20) & ~bytes)) &
                               kHigh;
        if (found != 0) return at + std::countr_zero(found) / 8;
        at += 8;
      }
    }
    while (*at != '"' && *at != '\\' && static_cast<unsigned char>(*at) >= 0x20) ++at;
    return at;
  }

  static const char* PassSpace(const char* at) {
    while (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t') ++at;
    return at;
  }

  // Never reads beyond the NUL after the text.
  static bool IsNext(const char* at, const char* word) {
    while (*word != '\0' && *at == *word) ++at, ++word;
    return *word == '\0';
  }

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }

  // Limit of the nesting within Text().
  static constexpr unsigned kMaxDepth = 60;

  const char* const text_;
  const char* const end_;
  Handler& handler_;
  std::string unpacked_;
};

}  // namespace importer
