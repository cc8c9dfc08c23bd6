// SPDX-License-Identifier: BSD-2-Clause
#include "output/unnamed_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace output {

const char* TemporaryFolder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/var/tmp";
}

util::UniqueFd OpenUnnamedFile() {
  const std::string folder = TemporaryFolder();
  util::UniqueFd fd(open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (fd) return fd;
  // Not every file system can make files without a name.
  std::string name = folder + "/fxt-XXXXXX";
  fd.reset(mkostemp(name.data(), O_CLOEXEC));
  if (fd) unlink(name.c_str());
  return fd;
}

}  // namespace output
