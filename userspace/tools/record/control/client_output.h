// SPDX-License-Identifier: BSD-2-Clause
// An output that a client opens with its own rights and passes to the controller.
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
  // Opens by the rules of output/; "-" is standard output. `recording`: the file can be read while
  // it grows. Existing files stay as they are until Publish().
  static util::Result<ClientOutput> Open(const std::string& path, bool recording);

  control::PassedOutput passed() const { return {fd_.get(), gzip_}; }
  // Puts the name of the file into an error of the controller, which does not know it.
  util::Error Named(util::Error error) const;
  // Gives the file its name. Without it the file is removed.
  util::Status Publish();

 private:
  std::string name_;
  util::UniqueFd fd_;
  std::unique_ptr<output::OutputFile> file_;
  bool gzip_ = false;
};

}  // namespace tools
