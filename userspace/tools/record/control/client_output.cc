// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/client_output.h"

#include <unistd.h>

#include <utility>

#include "control/protocol/descriptors.h"
#include "output/open_output.h"

namespace tools {

util::Result<ClientOutput> ClientOutput::Open(const std::string& path, bool recording) {
  ClientOutput opened;
  opened.name_ = path == "-" ? "standard output" : path;
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

util::Error ClientOutput::Named(util::Error error) const {
  if (const size_t at = error.message.find(control::kPassedOutputName); at != std::string::npos) {
    error.message.replace(at, control::kPassedOutputName.size(), name_);
  }
  return error;
}

util::Status ClientOutput::Publish() { return file_ ? file_->Publish() : util::Ok(); }

}  // namespace tools
