// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/client_output.h"

#include <unistd.h>

#include <utility>

#include "output/open_output.h"

namespace tools {

util::Result<ClientOutput> ClientOutput::Open(const std::string& path, bool recording) {
  ClientOutput opened;
  if (path == "-") {
    auto fd = output::OpenStandardOutput(STDOUT_FILENO, "standard output");
    if (!fd) return fd.TakeError();
    opened.fd_ = std::move(*fd);
    return opened;
  }
  output::FileOptions options;
  options.recording = recording;
  auto output = output::OpenOutputAt(path, options);
  if (!output) return output.TakeError();
  opened.fd_ = std::move(output->fd);
  opened.file_ = std::move(output->file);
  opened.gzip_ = path.ends_with(".gz");
  return opened;
}

util::Status ClientOutput::Publish() { return file_ ? file_->Publish() : util::Ok(); }

}  // namespace tools
