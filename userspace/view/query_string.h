// SPDX-License-Identifier: BSD-2-Clause
// Parses the query of a URL: "from=1&lanes=c0,c1".
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace view {

class QueryString {
 public:
  explicit QueryString(std::string_view text) : text_(text) {}

  // The value of the first parameter of that name, decoded; empty if there is none.
  std::string Text(std::string_view name) const {
    std::string value;
    const std::string_view raw = Raw(name);
    for (size_t i = 0; i < raw.size(); ++i) {
      unsigned code = 0;
      const bool is_escaped =
          raw[i] == '%' && raw.size() - i > 2 &&
          std::from_chars(raw.data() + i + 1, raw.data() + i + 3, code, 16).ptr ==
              raw.data() + i + 3;
      value += is_escaped ? static_cast<char>(code) : raw[i] == '+' ? ' ' : raw[i];
      if (is_escaped) i += 2;
    }
    return value;
  }
  // Empty if the parameter is missing or not a number of this type.
  template <typename Number>
  std::optional<Number> Get(std::string_view name) const {
    const std::string_view raw = Raw(name);
    Number number{};
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), number);
    if (raw.empty() || error != std::errc() || end != raw.data() + raw.size()) return std::nullopt;
    return number;
  }

 private:
  std::string_view Raw(std::string_view name) const {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view part = rest.substr(0, rest.find('&'));
      rest.remove_prefix(std::min(rest.size(), part.size() + 1));
      if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
        return part.substr(name.size() + 1);
      }
    }
    return {};
  }

  std::string_view text_;
};

}  // namespace view
