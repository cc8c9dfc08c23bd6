// SPDX-License-Identifier: BSD-2-Clause
#include "output/name_pattern.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace output {
namespace {

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  std::string host(name.data());
  std::replace(host.begin(), host.end(), '/', '_');
  return host;
}

std::string LocalTime(uint64_t ago) {
  const time_t moment = time(nullptr) - static_cast<time_t>(ago / 1'000'000'000);
  tm local{};
  localtime_r(&moment, &local);
  std::array<char, 32> text{};
  strftime(text.data(), text.size(), "%Y%m%d-%H%M%S", &local);
  return text.data();
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The number of bytes of `name` that the pattern's `letter` can stand for; npos if none.
size_t Matched(char letter, std::string_view name) {
  constexpr std::string_view kTime = "dddddddd-dddddd";
  if (letter == 't') {
    if (name.size() < kTime.size()) return std::string_view::npos;
    for (size_t i = 0; i < kTime.size(); ++i) {
      if (kTime[i] == 'd' ? !IsDigit(name[i]) : name[i] != kTime[i]) return std::string_view::npos;
    }
    return kTime.size();
  }
  if (letter == 'n') {
    const auto end = std::find_if_not(name.begin(), name.end(), IsDigit);
    return end == name.begin() ? std::string_view::npos : static_cast<size_t>(end - name.begin());
  }
  const std::string literal = letter == 'h' ? HostName() : "%";
  return name.starts_with(literal) ? literal.size() : std::string_view::npos;
}

}  // namespace

util::Result<NamePattern> NamePattern::Parse(std::string path) {
  NamePattern pattern;
  const size_t slash = path.rfind('/');
  if (slash != std::string::npos) {
    pattern.directory_ = path.substr(0, slash + 1);
    path.erase(0, slash + 1);
  }
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') continue;
    const char letter = ++i < path.size() ? path[i] : '\0';
    if (letter != 'n' && letter != 't' && letter != 'h' && letter != '%') {
      return util::Error{letter == '\0' ? fmt::format("'{}' ends in a single %", path)
                                        : fmt::format("'{}': %{} stands for nothing", path, letter),
                         "%n is a number, %t the time, %h the host, %% a percent sign"};
    }
    pattern.has_number_ |= letter == 'n';
    pattern.has_time_ |= letter == 't';
  }
  pattern.name_ = std::move(path);
  return pattern;
}

std::string NamePattern::Expand(uint64_t number, uint64_t ago) const {
  std::string name;
  for (size_t i = 0; i < name_.size(); ++i) {
    if (name_[i] != '%') {
      name += name_[i];
      continue;
    }
    switch (name_[++i]) {
      case 'n':
        name += std::to_string(number);
        break;
      case 't':
        name += LocalTime(ago);
        break;
      case 'h':
        name += HostName();
        break;
      default:
        name += '%';
        break;
    }
  }
  if (!is_unique() && number > 1) name = BeforeEnding(name, fmt::format("-{}", number));
  return directory_ + name;
}

std::string NamePattern::BeforeEnding(std::string name, const std::string& addition) {
  const size_t begin = name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1;
  name.insert(std::min(name.size(), name.find('.', begin + 1)), addition);
  return name;
}

bool NamePattern::Matches(std::string_view name) const {
  uint64_t number = 0;
  return is_unique() && Match(name, number);
}

std::optional<uint64_t> NamePattern::NumberOf(std::string_view name) const {
  uint64_t number = 0;
  if (!has_number_ || !Match(name, number)) return std::nullopt;
  return number;
}

bool NamePattern::Match(std::string_view name, uint64_t& number) const {
  for (size_t i = 0; i < name_.size(); ++i) {
    if (name_[i] != '%') {
      if (name.empty() || name.front() != name_[i]) return false;
      name.remove_prefix(1);
      continue;
    }
    const char letter = name_[++i];
    const size_t matched = Matched(letter, name);
    if (matched == std::string_view::npos) return false;
    if (letter == 'n') {
      const auto [end, error] = std::from_chars(name.data(), name.data() + matched, number);
      if (error != std::errc()) number = UINT64_MAX;
    }
    name.remove_prefix(matched);
  }
  return name.empty();
}

}  // namespace output
