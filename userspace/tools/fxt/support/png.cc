// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/png.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "output/unnamed_file.h"
#include "text/text_writer.h"

namespace tools {
namespace {

constexpr const char* kHint = "install the package librsvg2-bin, or write SVG";

// Both are files, so neither side blocks on a full pipe.
util::Status Convert(int from, int to) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, to, STDOUT_FILENO);
  const char* const words[] = {"rsvg-convert", "--zoom", "2", "--format", "png", nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawnp(&pid, words[0], &actions, nullptr, const_cast<char* const*>(words), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    return util::Error{fmt::format("cannot run rsvg-convert: {}", std::strerror(error)), kHint};
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status == 0) return util::Ok();
  return util::Error{"rsvg-convert failed to make a PNG", "write an .svg instead"};
}

}  // namespace

util::Result<std::string> PngOf(const std::string& svg) {
  auto from = output::MakeUnnamedFile();
  if (!from) return from.TakeError();
  auto to = output::MakeUnnamedFile();
  if (!to) return to.TakeError();
  text::TextWriter writer(from->get(), "a temporary file");
  writer.Append(svg);
  if (auto written = writer.Finish(); !written) return written.TakeError();
  if (lseek(from->get(), 0, SEEK_SET) < 0) return output::UnnamedFileFailed("read");
  if (auto converted = Convert(from->get(), to->get()); !converted) return converted.TakeError();
  std::string png;
  std::array<char, 65'536> buffer;
  for (;;) {
    const ssize_t got =
        pread(to->get(), buffer.data(), buffer.size(), static_cast<off_t>(png.size()));
    if (got < 0) return output::UnnamedFileFailed("read");
    if (got == 0) break;
    png.append(buffer.data(), static_cast<size_t>(got));
  }
  return png;
}

}  // namespace tools
