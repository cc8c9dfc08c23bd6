// SPDX-License-Identifier: BSD-2-Clause
// A file, pipe, socket or device that bytes are written to.
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
  // Opens a pipe or device, or creates a file (see OutputFile). By default only its owner may read
  // the file, since a trace has every command line of the machine.
  static util::Result<Output> OpenFile(const std::string& path, const output::FileOptions& options);
  // Creates a recording, whose file has its name from now on.
  static util::Result<Output> OpenFile(const std::string& path);

  // Opens standard output. A terminal is an error.
  static util::Result<Output> OpenStdout();

  // `name` is for messages.
  Output(util::UniqueFd fd, std::string name);

  // Limits how long writes wait for the reader of a pipe or socket; the default is no limit. Writes
  // then wait in poll(2) only. Reaching the limit is an error like others.
  void WaitWhile(output::KeepWaiting keep_waiting);

  // Writes all of `bytes`, and waits if the descriptor is non-blocking. Returns false at the first
  // error and from then on. The caller ignores SIGPIPE, so that a closed pipe is an error.
  bool Write(std::span<const std::byte> bytes);

  // Cuts a regular file back to `bytes`; the next Write() continues there, even after an error,
  // which Close() still returns. Returns false if the output cannot be cut.
  bool CutTo(uint64_t bytes);

  // Closes the descriptor. A file that is not a recording then takes its name, unless an error
  // occurred or it is published together with others. Returns the first error of all calls; a
  // second call returns the same.
  util::Status Close();

  // The file that takes its name later; null for other outputs. Another thread may call Publish()
  // and nothing else while this one writes.
  const std::shared_ptr<output::OutputFile>& file() const { return file_; }

  bool failed() const { return error_.has_value(); }
  // Bytes written, without those that the file had before (`>> file`).
  uint64_t size() const { return size_; }
  const std::string& name() const { return name_; }

 private:
  void Fail(int error_number);
  ssize_t WriteSome(std::span<const std::byte> bytes);

  util::UniqueFd fd_;
  std::string name_;
  std::shared_ptr<output::OutputFile> file_;
  bool regular_ = false;
  uint64_t start_ = 0;  // initial offset in a regular file
  uint64_t size_ = 0;
  bool stuck_ = false;  // after an error, until CutTo()
  output::KeepWaiting keep_waiting_;
  bool is_socket_ = false;
  bool blocks_ = false;  // a pipe that could not be reopened: write after poll(2)
  std::optional<util::Error> error_;
};

}  // namespace sink
