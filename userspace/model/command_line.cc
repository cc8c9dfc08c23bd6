// SPDX-License-Identifier: BSD-2-Clause
#include "model/command_line.h"

#include <algorithm>

#include "fxt/utf8.h"

namespace model {

CommandLine MakeCommandLine(std::string_view bytes, uint64_t length) {
  const bool whole = bytes.size() >= length;
  // NULs follow the last argument, and a process may have shortened its title.
  while (whole && bytes.ends_with('\0')) bytes.remove_suffix(1);
  CommandLine line;
  if (bytes.size() > kMaxCommandLineBytes) {
    line.length = whole ? bytes.size() : length - 1;
    bytes = fxt::CutUtf8(bytes, kMaxCommandLineBytes);
  }
  line.text = bytes;
  std::replace(line.text.begin(), line.text.end(), '\0', ' ');
  return line;
}

}  // namespace model
