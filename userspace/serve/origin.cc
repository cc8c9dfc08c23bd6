// SPDX-License-Identifier: BSD-2-Clause
#include "serve/origin.h"

#include <fmt/format.h>

#include <algorithm>

namespace serve {
namespace {

// Independent of the locale.
bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

util::Result<std::string> OriginOf(std::string_view url) {
  const auto refuse = [&](const char* why) {
    return util::Error{fmt::format("\"{}\" is not the address of a page: {}", url, why),
                       "such as https://ui.perfetto.dev"};
  };
  std::string text(url);
  std::transform(text.begin(), text.end(), text.begin(), Lower);
  const size_t mark = text.find("://");
  const std::string scheme = text.substr(0, mark);
  if (mark == std::string::npos || (scheme != "http" && scheme != "https")) {
    return refuse("it does not begin with http:// or https://");
  }
  const std::string_view rest = std::string_view(text).substr(mark + 3);
  std::string_view host = rest.substr(0, rest.find_first_of("/?#\\"));
  if (host.find('@') != std::string_view::npos) return refuse("it has a user name");
  const bool usual = host.ends_with(scheme == "http" ? ":80" : ":443");
  if (usual) host = host.substr(0, host.rfind(':'));
  const bool has_letter = std::any_of(host.begin(), host.end(), IsAlphanumeric);
  const bool fits = std::all_of(host.begin(), host.end(), [](char c) {
    return IsAlphanumeric(c) || std::string_view("-._:[]").find(c) != std::string_view::npos;
  });
  if (!has_letter || !fits || host.front() == ':') return refuse("it has no host");
  return fmt::format("{}://{}", scheme, host);
}

std::string UrlNameOf(std::string_view path) {
  std::string name(path.substr(path.rfind('/') + 1));
  for (char& c : name) {
    if (!IsAlphanumeric(c) && std::string_view("-._").find(c) == std::string_view::npos) c = '_';
  }
  return name.empty() ? "trace" : name;
}

}  // namespace serve
