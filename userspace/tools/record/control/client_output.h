// SPDX-License-Identifier: BSD-2-Clause
// A file that a client of the controller opens, with its own rights, for the controller to write.
#pragma once

#include <memory>
#include <string>

#include "control/client/client.h"
#include "output/output_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace tools {

class ClientOutput {
 public:
  // By the rules of output/; "-" is standard output. `recording`: is there to be read while it
  // grows. Nothing that exists is touched before Publish().
  static util::Result<ClientOutput> Open(const std::string& path, bool recording);

  control::PassedOutput passed() const { return {fd_.get(), gzip_}; }
  // The error of a controller, which does not know the file's name, with it.
  util::Error Named(util::Error error) const;
  // The file takes its name; without it, it goes away.
  util::Status Publish();

 private:
  std::string name_;
  util::UniqueFd fd_;
  std::unique_ptr<output::OutputFile> file_;
  bool gzip_ = false;
};

}  // namespace tools
