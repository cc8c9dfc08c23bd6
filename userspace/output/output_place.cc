// SPDX-License-Identifier: BSD-2-Clause
#include "output/output_place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>

#include "output/owner_rules.h"

namespace output {
namespace {

constexpr int kMostLinks = 40;  // the kernel's limit

bool IsOnProc(int fd) {
  struct statfs info = {};
  return fstatfs(fd, &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

class Walk {
 public:
  Walk(const std::string& path, const std::string& option) : path_(path), option_(option) {}

  util::Result<OutputPlace> Run() {
    if (!Prepend(path_)) return Failed(errno);
    for (;;) {
      if (rest_.empty()) return Failed(EISDIR);
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      const bool last = rest_.empty();
      if (last && (name == "." || name == "..")) return Failed(EISDIR);
      util::UniqueFd entry = Open(name, O_NOFOLLOW);
      if (!entry) {
        if (!last || errno != ENOENT) return Failed(errno);
        OutputPlace place;
        place.directory = std::move(directory_);
        place.name = name;
        return place;
      }
      struct stat status = {};
      if (fstat(entry.get(), &status) != 0) return Failed(errno);
      const bool magic_link = S_ISLNK(status.st_mode) && IsOnProc(entry.get());
      if (magic_link) {
        // Magic links of the kernel; their text may be no path.
        entry = Open(name, 0);
        if (!entry || fstat(entry.get(), &status) != 0) return Failed(errno);
      } else if (S_ISLNK(status.st_mode)) {
        if (auto followed = Follow(entry.get(), name, status, last); !followed) {
          return followed.TakeError();
        }
        continue;
      }
      if (!last) {
        directory_ = std::move(entry);
        continue;
      }
      OutputPlace place;
      place.directory = std::move(directory_);
      place.name = name;
      place.entry = std::move(entry);
      place.existing = status;
      place.magic_link = magic_link;
      return place;
    }
  }

 private:
  util::UniqueFd Open(const std::string& name, int flags) const {
    // Triggers automounts, which O_PATH does not.
    struct statx ignored = {};
    statx(directory_.get(), name.c_str(), AT_SYMLINK_NOFOLLOW, 0, &ignored);
    return util::UniqueFd(openat(directory_.get(), name.c_str(), O_PATH | O_CLOEXEC | flags));
  }

  // Puts the components of `path` before the remaining ones. False with errno.
  bool Prepend(std::string_view path) {
    if (path.empty()) {
      errno = ENOENT;
      return false;
    }
    if (path.front() == '/' || !directory_) {
      directory_.reset(open(path.front() == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
      if (!directory_) return false;
    }
    std::deque<std::string> components;
    // A path that ends in a slash is a directory.
    if (path.back() == '/') components.emplace_back(".");
    while (!path.empty()) {
      const size_t slash = path.rfind('/');
      const std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
      if (!last.empty()) components.emplace_front(last);
      path = slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
    }
    rest_.insert(rest_.begin(), components.begin(), components.end());
    return true;
  }

  util::Status Follow(int link, const std::string& name, const struct stat& status, bool last) {
    struct stat directory = {};
    if (++links_ > kMostLinks) return Failed(ELOOP);
    if (fstat(directory_.get(), &directory) != 0) return Failed(errno);
    if (!MayFollow(status, directory) || (last && !IsTrusted(status.st_uid))) {
      return util::Error{
          fmt::format("cannot write {}: the symbolic link '{}' belongs to user {}, who may not say "
                      "where it goes",
                      path_, name, status.st_uid),
          fmt::format("name the file that is meant, or another, with {}", option_)};
    }
    std::array<char, PATH_MAX> text{};
    const ssize_t length = readlinkat(link, "", text.data(), text.size());
    if (length < 0) return Failed(errno);
    if (!Prepend({text.data(), static_cast<size_t>(length)})) return Failed(errno);
    return util::Ok();
  }

  util::Error Failed(int error_number) const { return OpenError(path_, error_number, option_); }

  const std::string& path_;
  const std::string& option_;
  util::UniqueFd directory_;
  std::deque<std::string> rest_;
  int links_ = 0;
};

}  // namespace

util::Result<OutputPlace> FindPlace(const std::string& path, const std::string& option) {
  return Walk(path, option).Run();
}

bool IsSameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool IsSamePlace(const OutputPlace& one, const OutputPlace& other) {
  if (one.existing && other.existing) {
    // A device accepts several writers.
    return IsSameFile(*one.existing, *other.existing) && !S_ISCHR(one.existing->st_mode);
  }
  struct stat first = {};
  struct stat second = {};
  return one.name == other.name && fstat(one.directory.get(), &first) == 0 &&
         fstat(other.directory.get(), &second) == 0 && IsSameFile(first, second);
}

util::Error OpenError(const std::string& path, int error_number, const std::string& option) {
  util::Error error{fmt::format("cannot write {}: {}", path, std::strerror(error_number)), ""};
  switch (error_number) {
    case ENOENT:
      error.hint = fmt::format(
          "its directory does not exist; create it, or name another file with {}", option);
      break;
    case EACCES:
    case EPERM:
    case EROFS:
    case EBUSY:
    case EISDIR:
    case ELOOP:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ETXTBSY:
      error.hint = fmt::format("name another file with {}", option);
      break;
    default:
      break;
  }
  return error;
}

util::Error WrongOwner(const std::string& path, uid_t owner, const std::string& option) {
  return {fmt::format("cannot write {}: it exists and belongs to user {}", path, owner),
          fmt::format("remove it, or name another file with {}", option)};
}

}  // namespace output
