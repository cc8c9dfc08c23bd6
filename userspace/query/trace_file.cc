// SPDX-License-Identifier: BSD-2-Clause
#include "query/trace_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "facts/read_loop.h"
#include "fxt/reader.h"
#include "source/input.h"

namespace query {

util::Result<std::shared_ptr<TraceFile>> TraceFile::Open(const std::string& path) {
  // A FIFO would be waited for.
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (!fd || fstat(fd.get(), &status) != 0) {
    const int error = errno;
    return util::Error{
        fmt::format("cannot open {}: {}", path, std::generic_category().message(error)), ""};
  }
  if (!S_ISREG(status.st_mode)) {
    return util::Error{fmt::format("{} is not a file", path),
                       "each table reads the trace from its begin: save what is piped in"};
  }
  std::shared_ptr<TraceFile> file(new TraceFile(path, std::move(fd)));
  const auto source = file->Read();
  if (!source) return source.error();
  fxt::Reader reader(**source);
  if (facts::NextRecord(reader) == fxt::ReadStatus::kError) {
    return util::Error{fmt::format("{}: {}", path, reader.error_message()), ""};
  }
  return file;
}

util::Result<std::unique_ptr<fxt::ByteSource>> TraceFile::Read() const {
  auto source = source::OpenInput(fmt::format("/proc/self/fd/{}", fd_.get()));
  if (!source) return util::Error{fmt::format("cannot read {} again", path_), source.error().hint};
  return source;
}

}  // namespace query
