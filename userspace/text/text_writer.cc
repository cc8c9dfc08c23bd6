// SPDX-License-Identifier: BSD-2-Clause
#include "text/text_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace text {

util::Result<TextWriter> TextWriter::Open(const std::string& path) {
  if (path == "-") return TextWriter(STDOUT_FILENO, "standard output");
  util::UniqueFd fd(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd) {
    return util::Error{
        fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)), ""};
  }
  TextWriter writer(fd.get(), path);
  writer.owned_ = std::move(fd);
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
  if (Flush() || closed_by_reader()) return util::Ok();
  return util::Error{
      fmt::format("cannot write {}: {}", name_, std::generic_category().message(error_)), ""};
}

}  // namespace text
