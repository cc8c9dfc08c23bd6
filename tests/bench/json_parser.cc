// SPDX-License-Identifier: BSD-2-Clause
// Parses a file with an array of objects with RapidJSON, in the same pieces and with the same flags
// as `fxt import`, and discards the result. Prints the number of elements.
#include <rapidjson/reader.h>

#include <cstdio>
#include <string_view>

#include "import/json/json_window.h"
#include "source/input.h"

namespace {

constexpr size_t kMaxElementBytes = size_t{8} << 20;
constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNanAndInfFlag |
                            rapidjson::kParseTrailingCommasFlag;

struct Nothing : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Nothing> {
  bool Default() { return true; }
};

// Returns the begin of the next element, or 0 at the end of the array or the text.
char Next(importer::JsonWindow& window) {
  constexpr std::string_view kBetween = " \n\r\t,";
  for (;;) {
    const size_t at = window.text().find_first_not_of(kBetween);
    if (at != std::string_view::npos) {
      window.Pass(at);
      return window.text().front() == ']' ? '\0' : window.text().front();
    }
    window.Pass(window.text().size());
    if (!window.More()) return '\0';
  }
}

int Run(const char* path) {
  auto source = source::OpenInput(path);
  if (!source) {
    std::fprintf(stderr, "%s\n", source.error().message.c_str());
    return 1;
  }
  importer::JsonWindow window(**source, kMaxElementBytes);
  if (Next(window) != '[') return 1;
  window.Pass(1);
  rapidjson::Reader reader;
  Nothing nothing;
  unsigned long elements = 0;
  while (Next(window) != '\0') {
    rapidjson::StringStream stream(window.text().data());
    if (reader.Parse<kFlags>(stream, nothing).IsError()) {
      if (!window.More()) return 1;
      continue;
    }
    window.Pass(static_cast<size_t>(stream.src_ - window.text().data()));
    ++elements;
  }
  std::printf("%lu\n", elements);
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return argc == 2 ? Run(argv[1]) : 2; }
