// SPDX-License-Identifier: BSD-2-Clause
#include "translate/calls/request_name.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace translate {
namespace {

constexpr size_t kMaxNameBytes = 80;
constexpr size_t kMaxWordBytes = 24;

// ASCII only, independent of the locale.
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsPrintable(char c) { return c > ' ' && c <= '~'; }
char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
uint32_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

// The first word in capitals; empty if there is none or it is longer than any command.
std::string Word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (!IsLetter(c) && (word.empty() || (!IsDigit(c) && c != '_' && c != '.' && c != '-'))) break;
    if (word.size() == kMaxWordBytes) return "";
    word += Upper(c);
  }
  return word;
}

// ------------------------------------------------------------------- http

// Appends one segment of a path. Replaces numbers and segments that look like ids.
void AppendSegment(std::string& name, std::string_view segment) {
  constexpr size_t kLeastIdBytes = 16;
  const bool has_digit = std::ranges::any_of(segment, IsDigit);
  const auto is_id_character = [](char c) { return IsHex(c) || c == '-'; };
  const bool is_id =
      has_digit &&
      (std::ranges::all_of(segment, is_id_character) || segment.size() >= kLeastIdBytes) &&
      segment.find('.') == std::string_view::npos;
  if (is_id) {
    name += "{id}";
    return;
  }
  for (size_t i = 0; i < segment.size();) {
    size_t end = i;
    while (end < segment.size() && IsDigit(segment[end])) ++end;
    // A single digit is more likely a version, as in v1.
    if (end - i >= 2) {
      name += "{n}";
    } else if (end - i == 1) {
      name += segment[i];
    }
    if (end == i) name += segment[end++];
    i = end;
  }
}

std::string HttpName(std::string_view text) {
  constexpr std::array<std::string_view, 9> kMethods = {
      "GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"};
  if (text.starts_with("PRI * HTTP/2")) return "HTTP/2";
  const size_t space = text.find(' ');
  if (space == std::string_view::npos) return "";
  const std::string_view method = text.substr(0, space);
  if (std::ranges::find(kMethods, method) == kMethods.end()) return "";
  std::string_view target = text.substr(space + 1);
  const auto* unprintable = std::ranges::find_if_not(target, IsPrintable);
  const bool is_cut = unprintable == target.end();
  target = target.substr(0, static_cast<size_t>(unprintable - target.begin()));
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const size_t path = target.find('/', scheme.size());
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  if (method == "CONNECT" || target == "*") return std::string(method);
  if (!target.starts_with('/')) return "";
  const size_t query = target.find_first_of("?#;");
  const bool ends = query != std::string_view::npos || !is_cut;
  target = target.substr(0, query);
  std::string name(method);
  name += ' ';
  while (!target.empty()) {
    const size_t next = target.find('/', 1);
    // The last segment is cut and may be part of an id.
    if (next == std::string_view::npos && !ends) return name + "/...";
    const std::string_view segment =
        target.substr(1, next == std::string_view::npos ? next : next - 1);
    name += '/';
    AppendSegment(name, segment);
    if (next == std::string_view::npos) break;
    target.remove_prefix(next);
  }
  return name;
}

// ------------------------------------------------------------------ redis

// Removes "<kind>NUMBER\r\n" from the begin.
bool SkipLength(char kind, std::string_view& text) {
  if (!text.starts_with(kind)) return false;
  size_t at = 1;
  while (at < text.size() && at < 12 && IsDigit(text[at])) ++at;
  if (at == 1 || text.substr(at, 2) != "\r\n") return false;
  text.remove_prefix(at + 2);
  return true;
}

std::string RespName(std::string_view text) {
  if (!SkipLength('*', text) || !SkipLength('$', text)) return "";
  return Word(text);
}

std::string InlineRedisName(std::string_view text) {
  const std::string word = Word(text);
  if (word.size() < 2 || word.size() >= text.size()) return "";
  const char after = text[word.size()];
  return after == ' ' || after == '\r' || after == '\n' ? word : "";
}

// -------------------------------------------------------------------- sql

std::string StatementName(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n(;";
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
    std::string_view end;
    if (text.starts_with("/*")) end = "*/";
    if (text.starts_with("--")) end = "\n";
    if (end.empty()) break;
    const size_t at = text.find(end, 2);
    if (at == std::string_view::npos) return "";
    text.remove_prefix(at + end.size());
  }
  size_t letters = 0;
  while (letters < text.size() && IsLetter(text[letters])) ++letters;
  return Word(text.substr(0, letters));
}

std::string PostgresName(std::string_view bytes, uint64_t total) {
  constexpr uint32_t kMaxMessage = 1 << 30;
  constexpr uint32_t kVersion3 = 3 << 16;
  constexpr uint32_t kSslRequest = 80877103;
  const auto number = [&](size_t at) {
    return Byte(bytes, at) << 24 | Byte(bytes, at + 1) << 16 | Byte(bytes, at + 2) << 8 |
           Byte(bytes, at + 3);
  };
  if (bytes.size() < 5) return "";
  // The first messages of a connection have no type.
  if (bytes.size() >= 8 && number(0) == total && number(0) >= 8) {
    if (number(4) == kVersion3) return "startup";
    if (number(4) == kSslRequest) return "SSLRequest";
  }
  const uint32_t length = number(1);
  if (length < 4 || length > kMaxMessage || (length + 1 > total && total < 4096)) return "";
  std::string_view body = bytes.substr(5);
  switch (bytes[0]) {
    case 'Q':
      return StatementName(body);
    case 'P': {
      const size_t end = body.find('\0');
      return end == std::string_view::npos ? "" : StatementName(body.substr(end + 1));
    }
    case 'B':
    case 'E':
      return "EXECUTE";
    case 'p':
      return "authentication";
    default:
      return "";
  }
}

std::string MysqlName(std::string_view bytes, uint64_t total) {
  if (bytes.size() < 5) return "";
  const uint32_t length = Byte(bytes, 0) | Byte(bytes, 1) << 8 | Byte(bytes, 2) << 16;
  const uint32_t sequence = Byte(bytes, 3);
  if (length == 0 || length + 4 > total) return "";
  // The client's handshake response to the server's greeting.
  if (sequence == 1 && length + 4 == total && length >= 32) return "login";
  if (sequence != 0) return "";
  std::string_view body = bytes.substr(5);
  switch (bytes[4]) {
    case 0x02:
      return "USE";
    case 0x03:
      // An empty set of query attributes: 0 parameters, 1 set.
      if (body.starts_with(std::string_view("\0\1", 2))) body.remove_prefix(2);
      return StatementName(body);
    case 0x0e:
      return "PING";
    case 0x16:
      return StatementName(body);
    case 0x17:
      return "EXECUTE";
    default:
      return "";
  }
}

// ---------------------------------------------------------------- lengths

// Each function returns the length in bytes of the first message; 0: unknown.

uint64_t HttpLength(std::string_view text) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = text.find(kEnd);
  if (end == std::string_view::npos || HttpName(text).empty()) return 0;
  // A message with a body has one of these header fields.
  std::string head(text.substr(0, end));
  std::ranges::transform(head, head.begin(), Upper);
  const bool has_body = head.find("\r\nCONTENT-LENGTH:") != std::string::npos ||
                        head.find("\r\nTRANSFER-ENCODING:") != std::string::npos;
  return has_body ? 0 : end + kEnd.size();
}

uint64_t RespLength(std::string_view text) {
  const auto take_number = [&](char kind) -> std::optional<uint64_t> {
    std::string_view rest = text;
    if (!SkipLength(kind, rest)) return std::nullopt;
    uint64_t number = 0;
    for (const char c : text.substr(1)) {
      if (!IsDigit(c)) break;
      number = number * 10 + static_cast<uint64_t>(c - '0');
    }
    text = rest;
    return number;
  };
  const size_t whole = text.size();
  const auto words = take_number('*');
  if (!words) return 0;
  for (uint64_t word = 0; word < *words; ++word) {
    const auto length = take_number('$');
    if (!length) return 0;
    const uint64_t bytes = *length + 2;
    if (bytes > text.size()) return word + 1 == *words ? whole - text.size() + bytes : 0;
    text.remove_prefix(bytes);
  }
  return whole - text.size();
}

uint64_t PostgresLength(std::string_view bytes) {
  // Only simple queries. The extended protocol sends one statement as several messages.
  if (bytes.size() < 5 || bytes[0] != 'Q') return 0;
  return 1 + (uint64_t{Byte(bytes, 1)} << 24 | Byte(bytes, 2) << 16 | Byte(bytes, 3) << 8 |
              Byte(bytes, 4));
}

}  // namespace

std::string NameOfRequest(std::string_view bytes, uint64_t total, uint32_t port,
                          const schema::RequestProtocols& protocols) {
  if (bytes.size() >= 3 && Byte(bytes, 0) == 0x16 && Byte(bytes, 1) == 3) return "TLS handshake";
  const std::string_view service = schema::ServiceOfPort(port);
  const bool only_redis =
      protocols.redis && !protocols.http && !protocols.postgres && !protocols.mysql;
  std::string name;
  if (protocols.http) name = HttpName(bytes);
  if (name.empty() && protocols.redis) name = RespName(bytes);
  if (name.empty() && protocols.postgres && service != "mysql") name = PostgresName(bytes, total);
  if (name.empty() && protocols.mysql && service != "postgresql") name = MysqlName(bytes, total);
  // Any text begins with a word.
  if (name.empty() && protocols.redis && (service == "redis" || only_redis)) {
    name = InlineRedisName(bytes);
  }
  if (name.size() > kMaxNameBytes) name.resize(kMaxNameBytes);
  return name;
}

bool IsPipelined(std::string_view bytes, uint64_t total,
                 const schema::RequestProtocols& protocols) {
  uint64_t length = 0;
  if (protocols.http) length = HttpLength(bytes);
  if (length == 0 && protocols.redis) length = RespLength(bytes);
  if (length == 0 && protocols.postgres) length = PostgresLength(bytes);
  return length != 0 && length < total;
}

}  // namespace translate
