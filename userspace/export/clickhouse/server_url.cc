// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/server_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace exporting {
namespace {

util::Error Wrong(std::string_view why) {
  return util::Error{
      fmt::format("--clickhouse: {}", why),
      "a server is named http://[USER[:PASSWORD]@]HOST[:8123]; in names and passwords "
      "%2F stands for /, %40 for @, %25 for %"};
}

bool IsControl(unsigned char c) { return c < ' ' || c == 127; }

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

// Decodes %XX. Empty if an escape is malformed or a control character, which no header may have.
std::optional<std::string> Decoded(std::string_view text) {
  std::string decoded;
  while (!text.empty()) {
    unsigned char c = static_cast<unsigned char>(text.front());
    size_t used = 1;
    if (c == '%') {
      const std::string_view digits = text.substr(1, 2);
      const auto [end, error] = std::from_chars(digits.begin(), digits.end(), c, 16);
      if (digits.size() < 2 || error != std::errc() || end != digits.end()) return std::nullopt;
      used += digits.size();
    }
    if (IsControl(c)) return std::nullopt;
    decoded.push_back(static_cast<char>(c));
    text.remove_prefix(used);
  }
  return decoded;
}

}  // namespace

util::Result<ServerUrl> ServerUrl::Parse(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return util::Error{"--clickhouse: https is not supported",
                       "use a proxy on this machine, or a tunnel"};
  }
  if (!url.starts_with(kScheme)) return Wrong("the address begins with http://");
  url.remove_prefix(kScheme.size());
  while (url.ends_with('/')) url.remove_suffix(1);
  if (url.find_first_of("/?#") != std::string_view::npos) return Wrong("the address has a path");
  if (std::any_of(url.begin(), url.end(),
                  [](char c) { return c == ' ' || IsControl(static_cast<unsigned char>(c)); })) {
    return Wrong("the address has a space or a control character");
  }
  ServerUrl parsed;
  if (const size_t at = url.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = url.substr(0, at);
    const size_t colon = who.find(':');
    auto user = Decoded(who.substr(0, colon));
    auto password = Decoded(colon == std::string_view::npos ? "" : who.substr(colon + 1));
    if (!user || !password) return Wrong("the user or the password has a wrong escape");
    parsed.user = std::move(*user);
    parsed.password = std::move(*password);
    url.remove_prefix(at + 1);
  }
  if (url.starts_with('[')) {
    const size_t close = url.find(']');
    if (close == std::string_view::npos) return Wrong("the address has a [ and no ]");
    parsed.host = url.substr(1, close - 1);
    url.remove_prefix(close + 1);
  } else {
    const size_t colon = std::min(url.find(':'), url.size());
    parsed.host = url.substr(0, colon);
    url.remove_prefix(colon);
  }
  if (parsed.host.empty()) return Wrong("the address has no host");
  if (url.empty()) return parsed;
  if (url.front() != ':' || !IsPort(url.substr(1))) return Wrong("the port is a number to 65535");
  parsed.port = url.substr(1);
  return parsed;
}

std::string ServerUrl::Authority() const {
  const bool is_six = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", is_six ? "[" : "", host, is_six ? "]" : "", port);
}

std::string ServerUrl::Shown() const { return "http://" + Authority(); }

}  // namespace exporting
