// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/gunzip.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include <cstdio>
#include <memory>

#include <fmt/format.h>

namespace truth {
namespace {

struct FileCloser {
  void operator()(FILE* file) const { fclose(file); }
};

struct InflateEnd {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

util::Result<FileContent> Inflate(const std::string& path, const std::vector<char>& packed) {
  FileContent content;
  content.gzip = true;
  z_stream stream{};
  constexpr int kGzipWindow = 15 + 16;
  if (inflateInit2(&stream, kGzipWindow) != Z_OK) return util::Error{"zlib does not start", ""};
  const std::unique_ptr<z_stream, InflateEnd> guard(&stream);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::vector<char> chunk(1 << 20);
  for (;;) {
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    const size_t got = chunk.size() - stream.avail_out;
    content.bytes.insert(content.bytes.end(), chunk.begin(),
                         chunk.begin() + static_cast<ptrdiff_t>(got));
    if (status == Z_STREAM_END) {
      // Several members in a row are one file.
      if (stream.avail_in == 0) return content;
      if (inflateReset(&stream) != Z_OK) return util::Error{"zlib does not start again", ""};
    } else if (status == Z_BUF_ERROR || (status == Z_OK && stream.avail_in == 0 && got == 0)) {
      content.truncated = true;
      return content;
    } else if (status != Z_OK) {
      return util::Error{
          fmt::format("{} is damaged: {}", path, stream.msg ? stream.msg : zError(status)), ""};
    }
  }
}

}  // namespace

util::Result<FileContent> ReadMaybeGzip(const std::string& path) {
  const std::unique_ptr<FILE, FileCloser> file(fopen(path.c_str(), "rbe"));
  if (!file) return util::Error{fmt::format("cannot read {}: {}", path, strerror(errno)), ""};
  FileContent content;
  std::vector<char> chunk(1 << 20);
  size_t got;
  while ((got = fread(chunk.data(), 1, chunk.size(), file.get())) > 0) {
    content.bytes.insert(content.bytes.end(), chunk.begin(),
                         chunk.begin() + static_cast<ptrdiff_t>(got));
  }
  if (content.bytes.size() >= 2 && content.bytes[0] == '\x1f' && content.bytes[1] == '\x8b') {
    return Inflate(path, content.bytes);
  }
  return content;
}

}  // namespace truth
