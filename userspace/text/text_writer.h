// SPDX-License-Identifier: BSD-2-Clause
// Writes text to a descriptor through a large buffer.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "output/output_file.h"
#include "util/format_library.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace text {

class TextWriter {
 public:
  // `name` is for messages. The caller ignores SIGPIPE.
  TextWriter(int borrowed_fd, std::string name) : fd_(borrowed_fd), name_(std::move(name)) {}
  // A new file that gets its name in Finish(); "-" is standard output.
  static util::Result<TextWriter> Open(const std::string& path, const output::FileOptions& options);
  // For tests: keeps all text, see text().
  TextWriter() = default;

  TextWriter(TextWriter&&) noexcept = default;
  TextWriter(const TextWriter&) = delete;
  ~TextWriter();

  template <typename... Args>
  void Print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    FlushIfFull();
  }
  void Append(std::string_view text) {
    buffer_.append(text.data(), text.data() + text.size());
    FlushIfFull();
  }

  // For functions that append to a buffer; call FlushIfFull() regularly.
  fmt::memory_buffer& buffer() { return buffer_; }
  void FlushIfFull() {
    if (fd_ >= 0 && buffer_.size() >= kFlushBytes) Flush();
  }

  // Writes out the buffer. After the first error it returns false and drops all further text.
  bool Flush();

  // The reader closed the pipe, or a write failed: further output is useless.
  bool failed() const { return error_ != 0; }
  // The reader closed the pipe, as `| head` does; that is not an error.
  bool closed_by_reader() const;
  // Flushes and names the file. Returns the first error, except a closed pipe.
  util::Status Finish();

  std::string_view text() const { return {buffer_.data(), buffer_.size()}; }

 private:
  static constexpr size_t kFlushBytes = size_t{256} << 10;

  int fd_ = -1;
  util::UniqueFd owned_;
  std::unique_ptr<output::OutputFile> file_;
  std::string name_;
  int error_ = 0;
  fmt::memory_buffer buffer_;
};

}  // namespace text
