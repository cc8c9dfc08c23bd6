// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/output_file.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/fxt/support/failure.h"

namespace tools {

void AddTraceOutput(const Command& command, std::string& output) {
  command
      .Add("-o,--output", output,
           "Trace to write, compressed if it ends in .gz; - is standard output")
      .Type("FILE")
      .Required();
}

util::Status RefuseSameFile(const std::string& input, const std::string& output) {
  struct stat first;
  struct stat second;
  if (input != "-" && output != "-" && stat(input.c_str(), &first) == 0 &&
      stat(output.c_str(), &second) == 0 && S_ISREG(first.st_mode) &&
      first.st_dev == second.st_dev && first.st_ino == second.st_ino) {
    return util::Error{fmt::format("{} is both input and output", input), ""};
  }
  return util::Ok();
}

int FailOutput(const std::string& output, const util::Error& error) {
  pollfd out = {STDOUT_FILENO, POLLOUT, 0};
  // pipe(7): the write end reports an error when all read ends are closed.
  if (output == "-" && poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0) return kExitOk;
  return Fail(error);
}

output::FileOptions OutputLike(const std::string& input) {
  output::FileOptions options;
  struct stat file;
  const int found = input == "-" ? fstat(STDIN_FILENO, &file) : stat(input.c_str(), &file);
  // A file without a link is a shell's here-document or the like.
  if (found == 0 && S_ISREG(file.st_mode) && file.st_nlink != 0) {
    options.mode = file.st_mode & 0666;
    options.group = file.st_gid;
  }
  return options;
}

}  // namespace tools
