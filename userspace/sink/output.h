// SPDX-License-Identifier: BSD-2-Clause
// A file, pipe or device that bytes are written to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "output/open_timeout.h"
#include "output/output_file.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace sink {

class Output {
 public:
  // A new file (see OutputFile) that, unless `options` say something else, is its owner's alone to
  // read, since a trace shows every command line of the machine; or a pipe or device.
  static util::Result<Output> OpenFile(const std::string& path, const output::FileOptions& options);
  // A recording, which has its name from now on.
  static util::Result<Output> OpenFile(const std::string& path);

  // Standard output. A terminal is an error.
  static util::Result<Output> OpenStdout();

  // `name` is what messages call it.
  Output(util::UniqueFd fd, std::string name);

  // How long to wait for a pipe's or a socket's reader; by default for ever. From now on a write
  // waits in poll(2) alone. The end of the patience is an error like others.
  void WaitWhile(output::KeepWaiting keep_waiting);

  // All of `bytes`, however many system calls that takes; waits where the descriptor does not
  // block. False at the first error, and from then on. A closed pipe is an error here only if
  // SIGPIPE is ignored, as it has to be.
  bool Write(std::span<const std::byte> bytes);

  // Cuts a regular file back to `bytes`; what Write() gets next goes there, even after an error
  // (which stays that of Close()). False where that cannot be done.
  bool CutTo(uint64_t bytes);

  // Gives the descriptor up; a file that is no recording takes its name, if all went well, unless
  // it does so with others. The
  // first error of all, or Ok; a second call gives the same.
  util::Status Close();

  // The file that takes its name later, if this is one. It may be published while another thread
  // writes; nothing else of it may be touched then.
  const std::shared_ptr<output::OutputFile>& file() const { return file_; }

  bool failed() const { return error_.has_value(); }
  // Bytes it has. What was there before, as in `>> file`, is not counted.
  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }

 private:
  void Fail(int error_number);
  ssize_t WriteSome(std::span<const std::byte> bytes);

  util::UniqueFd fd_;
  std::string name_;
  std::shared_ptr<output::OutputFile> file_;
  bool regular_ = false;
  uint64_t start_ = 0;  // offset of the descriptor at the beginning, in a regular file
  uint64_t size_ = 0;
  bool stuck_ = false;  // after an error, until CutTo()
  output::KeepWaiting keep_waiting_;
  bool is_socket_ = false;
  bool blocks_ = false;  // a pipe that could not be reopened: written when poll(2) allows it
  std::optional<util::Error> error_;
};

}  // namespace sink
