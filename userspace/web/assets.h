// SPDX-License-Identifier: BSD-2-Clause
// The files of this folder. `fxt view` serves them; report, diff, flame and path combine them into
// one file.
#pragma once

#include <string>
#include <string_view>

namespace web {

struct Asset {
  std::string_view name;  // of the file
  std::string_view content;

  const char* content_type() const;
};

// Null if there is no such file.
const Asset* FindAsset(std::string_view name);

// The script of a page in one file: the module `main` and the modules that it imports, each in its
// own function. Modules have imports at their beginning, one a line ("import { a, b } from
// './c.js';" or "import * as c from './c.js';"), export functions, classes and constants by their
// names, and do not import each other in a circle.
std::string BundleOf(std::string_view main);

}  // namespace web
