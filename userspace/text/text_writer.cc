// SPDX-License-Identifier: BSD-2-Clause
#include "text/text_writer.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "output/open_output.h"

namespace text {

util::Result<TextWriter> TextWriter::Open(const std::string& path,
                                          const output::FileOptions& options) {
  if (path == "-") return TextWriter(STDOUT_FILENO, "standard output");
  auto opened = output::OpenOutputAt(path, options);
  if (!opened) return opened.TakeError();
  TextWriter writer(opened->fd.get(), path);
  writer.owned_ = std::move(opened->fd);
  writer.file_ = std::move(opened->file);
  return writer;
}

TextWriter::~TextWriter() {
  if (fd_ >= 0) Flush();
}

bool TextWriter::Flush() {
  if (fd_ < 0) return true;
  const char* next = buffer_.data();
  size_t left = buffer_.size();
  while (left != 0 && error_ == 0) {
    const ssize_t n = write(fd_, next, left);
    if (n >= 0) {
      next += n;
      left -= static_cast<size_t>(n);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  buffer_.clear();
  return error_ == 0;
}

bool TextWriter::closed_by_reader() const { return error_ == EPIPE; }

util::Status TextWriter::Finish() {
  if (Flush()) return file_ ? file_->Publish() : util::Ok();
  if (closed_by_reader()) return util::Ok();
  return util::Error{
      fmt::format("cannot write {}: {}", name_, std::generic_category().message(error_)), ""};
}

}  // namespace text
