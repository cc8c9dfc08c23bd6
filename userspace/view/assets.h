// SPDX-License-Identifier: BSD-2-Clause
// The files of web/, which the page consists of.
#pragma once

#include <string_view>

namespace view {

struct Asset {
  std::string_view path;  // of the request; "" is the page itself
  const char* content_type;
  std::string_view content;
};

// Null if there is no such file.
const Asset* FindAsset(std::string_view path);

}  // namespace view
