// SPDX-License-Identifier: BSD-2-Clause
#include "view/index_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "output/open_output.h"
#include "output/owner_rules.h"
#include "util/content_hash.h"
#include "view/index_stream.h"

namespace view {
namespace {

constexpr uint64_t kMagic = 0x31584449'54584602;
// Increase it if the format changes within a version of the program.
constexpr uint64_t kFormat = 1;

// An index file has at most this many bytes more than the index in memory: sizes and thread names.
constexpr uint64_t kMoreBytes = uint64_t{64} << 20;

struct Header {
  uint64_t magic = kMagic;
  uint64_t format = 0;
  columns::TraceKey trace;
  uint64_t changed_s = 0;  // time of the last change of the trace
  uint64_t changed_ns = 0;
  uint64_t body_bytes = 0;
  util::ContentHash::Value body_hash;
  uint64_t header_hash = 0;  // of the fields above
};
static_assert(sizeof(Header) == 88);

uint64_t HashOf(const Header& header) {
  return util::ContentHash::Of(
      std::as_bytes(std::span(&header, 1)).first(offsetof(Header, header_hash)));
}

bool HasHash(int fd, const Header& header) {
  IndexReader in(fd, sizeof header, header.body_bytes);
  util::ContentHash hash;
  std::vector<std::byte> buffer(size_t{1} << 18);
  for (uint64_t left = header.body_bytes; left != 0;) {
    const auto part = std::span(buffer).first(std::min<uint64_t>(left, buffer.size()));
    if (!in.GetBytes(part)) return false;
    hash.Add(part);
    left -= part.size();
  }
  return hash.Finish() == header.body_hash;
}

bool IsSame(const struct stat& a, const struct stat& b) {
  return a.st_size == b.st_size && a.st_mtim.tv_sec == b.st_mtim.tv_sec &&
         a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

util::Result<std::unique_ptr<IndexFile>> IndexFile::Open(const std::string& path,
                                                         const IndexLimits& limits) {
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status = {};
  if (!fd || fstat(fd.get(), &status) != 0) {
    return util::Error{std::generic_category().message(errno), ""};
  }
  if (!S_ISREG(status.st_mode)) return util::Error{"the trace is not a regular file", ""};
  return std::unique_ptr<IndexFile>(new IndexFile(path, std::move(fd), status, limits));
}

uint64_t IndexFile::FormatHash() const {
  const std::string text =
      fmt::format("{} {} {} {} {} {} {} {} {} {}", FXT_RECORD_VERSION, kFormat, limits_.all,
                  limits_.events, limits_.labels, limits_.tables, sizeof(Span), sizeof(Instant),
                  sizeof(FlowPoint), IntervalLanes::kMaxChunkBytes);
  return util::ContentHash::Of(std::as_bytes(std::span(text)));
}

std::optional<IndexFile::Loaded> IndexFile::Load() const {
  const util::UniqueFd fd = output::OpenTrusted(PathOf(path_));
  struct stat status = {};
  Header header;
  if (!fd || fstat(fd.get(), &status) != 0) return std::nullopt;
  const auto file_bytes = static_cast<uint64_t>(status.st_size);
  IndexReader head(fd.get(), 0, file_bytes);
  if (file_bytes > limits_.all + kMoreBytes || !head.Get(header) || header.magic != kMagic ||
      header.header_hash != HashOf(header) || header.format != FormatHash() ||
      header.trace.bytes != static_cast<uint64_t>(status_.st_size) ||
      header.body_bytes != file_bytes - sizeof header || !HasHash(fd.get(), header)) {
    return std::nullopt;
  }
  Loaded loaded{.index = std::make_unique<TraceIndex>(limits_), .damage = {}, .key = header.trace};
  loaded.is_unchanged = header.changed_s == static_cast<uint64_t>(status_.st_mtim.tv_sec) &&
                        header.changed_ns == static_cast<uint64_t>(status_.st_mtim.tv_nsec);
  IndexReader body(fd.get(), sizeof header, header.body_bytes);
  if (!body.GetText(loaded.damage) || !loaded.index->Load(body)) return std::nullopt;
  return loaded;
}

util::Status IndexFile::Save(TraceIndex& index, const std::string& damage,
                             const std::function<void()>& between,
                             const std::function<bool()>& cancelled) const {
  const std::string path = PathOf(path_);
  struct stat status = {};
  if (lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    return util::Error{fmt::format("{} is not a regular file", path), ""};
  }
  const auto key = KeyOf([&] {
    between();
    return cancelled();
  });
  if (!key) return key.error();
  auto opened = output::OpenOutputAt(path, {.option = "--keep-index"});
  if (!opened) return opened.TakeError();
  if (!opened->file) return util::Error{fmt::format("{} is not a regular file", path), ""};
  const int fd = opened->file->fd();
  IndexWriter body(fd, sizeof(Header));
  body.PutText(damage);
  index.Save(body, between);
  const bool is_written = body.Finish();
  Header header{.format = FormatHash(),
                .trace = *key,
                .changed_s = static_cast<uint64_t>(status_.st_mtim.tv_sec),
                .changed_ns = static_cast<uint64_t>(status_.st_mtim.tv_nsec),
                .body_bytes = body.bytes(),
                .body_hash = body.hash()};
  header.header_hash = HashOf(header);
  IndexWriter head(fd, 0);
  head.Put(header);
  if (!is_written || !head.Finish()) {
    const int error = errno;
    opened->file->Discard();
    return util::Error{
        fmt::format("cannot write {}: {}", path, std::generic_category().message(error)), ""};
  }
  // Checks that the key belongs to the content that was read.
  const bool is_stable = fstat(trace_.get(), &status) == 0 && IsSame(status, status_) &&
                         key->bytes == static_cast<uint64_t>(status_.st_size);
  if (!is_stable || cancelled()) {
    opened->file->Discard();
    return util::Error{is_stable ? "cancelled" : "the trace was changed while it was read", ""};
  }
  return opened->file->Publish();
}

}  // namespace view
