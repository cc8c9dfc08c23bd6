// SPDX-License-Identifier: BSD-2-Clause
// Expands patterns for names of several files: "spike-%n.fxt", "day-%t.fxt.gz".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "util/result.h"

namespace output {

// In the last component of a path: %n is a number from 1 on, %t the local time as in
// 20260131-120000, %h the host's name, %% a percent sign.
class NamePattern {
 public:
  // Fails on any other letter behind a %, and on a % at the end.
  static util::Result<NamePattern> Parse(std::string path);

  // Each expansion is a new name: the pattern has %n or %t.
  bool is_unique() const { return has_number_ || has_time_; }
  // The path of number `number`, for the time `ago` ns before now. If names are not unique, the
  // second and later ones get "-2" and so on before their endings.
  std::string Expand(uint64_t number, uint64_t ago) const;

  // `name` with `addition` before its endings: "a.fxt.gz" becomes "a-2.fxt.gz".
  static std::string BeforeEnding(std::string name, const std::string& addition);

  // "" or "dir/".
  const std::string& directory() const { return directory_; }
  // True if Expand() can return this name (without directory) on this host. Only for unique
  // patterns.
  bool Matches(std::string_view name) const;
  // The number in a name (without directory) of a pattern with %n; UINT64_MAX if it is larger. None
  // if Expand cannot have made the name.
  std::optional<uint64_t> NumberOf(std::string_view name) const;

 private:
  NamePattern() = default;
  bool Match(std::string_view name, uint64_t& number) const;

  std::string directory_;
  std::string name_;
  bool has_number_ = false;
  bool has_time_ = false;
};

}  // namespace output
