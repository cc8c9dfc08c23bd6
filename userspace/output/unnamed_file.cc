// SPDX-License-Identifier: BSD-2-Clause
#include "output/unnamed_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

namespace output {
namespace {

const char* TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

}  // namespace

util::Error UnnamedFileFailed(const char* what) {
  return {fmt::format("cannot {} a temporary file in {}: {}", what, TemporaryFolder(),
                      std::generic_category().message(errno)),
          "set TMPDIR to a folder with room for as much as the output takes"};
}

util::Result<util::UniqueFd> MakeUnnamedFile() {
  const std::string folder = TemporaryFolder();
  util::UniqueFd fd(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  // Some file systems lack O_TMPFILE.
  std::string name = folder + "/fxt-XXXXXX";
  fd.reset(mkostemp(name.data(), O_CLOEXEC));
  if (!fd) return UnnamedFileFailed("make");
  unlink(name.c_str());
  return fd;
}

}  // namespace output
