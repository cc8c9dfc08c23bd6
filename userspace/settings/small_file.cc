// SPDX-License-Identifier: BSD-2-Clause
#include "settings/small_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "util/unique_fd.h"

namespace settings {

std::optional<std::string> ReadFileAt(int folder, const char* path, size_t most) {
  const util::UniqueFd fd(openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!fd) return std::nullopt;
  constexpr size_t kPiece = 4096;
  std::string text;
  while (text.size() < most) {
    const size_t had = text.size();
    text.resize(std::min(had + kPiece, most));
    const ssize_t got = read(fd.get(), text.data() + had, text.size() - had);
    text.resize(had + (got > 0 ? static_cast<size_t>(got) : 0));
    if (got < 0) return std::nullopt;
    if (got == 0) break;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<std::string> ReadFile(const std::string& path, size_t most) {
  return ReadFileAt(AT_FDCWD, path.c_str(), most);
}

std::vector<std::string> ListFolder(const std::string& path, size_t most) {
  struct Close {
    void operator()(DIR* folder) const { closedir(folder); }
  };
  std::vector<std::string> names;
  const std::unique_ptr<DIR, Close> folder(opendir(path.c_str()));
  if (!folder) return names;
  while (const dirent* entry = readdir(folder.get())) {
    if (names.size() == most) break;
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

schema::SettingValue ValueOf(std::string text) {
  std::replace(text.begin(), text.end(), '\t', ' ');
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  // A text such as "007" or "+5" stays what it is.
  const bool is_number =
      error == std::errc() && end == text.data() + text.size() && std::to_string(number) == text;
  if (is_number) return number;
  return text;
}

void AddFile(schema::Settings& to, std::string_view name, const std::string& path) {
  auto text = ReadFile(path);
  if (text && !text->empty()) to.values.emplace_back(name, ValueOf(std::move(*text)));
}

std::string ChoiceIn(std::string_view text) {
  for (const auto& [open, close] : {std::pair('[', ']'), std::pair('(', ')')}) {
    const size_t begin = text.find(open);
    const size_t end = text.find(close);
    if (begin != std::string_view::npos && end != std::string_view::npos && end > begin) {
      return std::string(text.substr(begin + 1, end - begin - 1));
    }
  }
  return std::string(text);
}

}  // namespace settings
