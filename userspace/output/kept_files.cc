// SPDX-License-Identifier: BSD-2-Clause
#include "output/kept_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <tuple>

#include "output/owner_rules.h"
#include "util/unique_fd.h"

namespace output {
namespace {

struct PatternFile {
  size_t order = 0;  // of Add(); 0: not added by this process
  timespec changed;
  std::string name;
  bool busy = false;
};

// True for the magic record of the format and for gzip.
bool IsTrace(int fd) {
  constexpr std::array<unsigned char, 8> kTrace = {0x10, 0x00, 0x04, 0x46, 0x78, 0x54, 0x16, 0x00};
  std::array<unsigned char, 8> begin{};
  const ssize_t size = pread(fd, begin.data(), begin.size(), 0);
  if (size == 0) return true;  // killed before its first byte
  return begin == kTrace || (size >= 2 && begin[0] == 0x1f && begin[1] == 0x8b);
}

bool IsOurs(const struct stat& status, const struct stat& directory) {
  const auto user = UserBehindSudo();
  return status.st_uid == geteuid() || (geteuid() == 0 && (status.st_uid == directory.st_uid ||
                                                           (user && user->uid == status.st_uid)));
}

}  // namespace

std::vector<std::string> KeptFiles::Trim() {
  std::vector<std::string> removed;
  if (keep_ == 0 || !pattern_.is_unique()) return removed;
  const std::string path = pattern_.directory().empty() ? "." : pattern_.directory();
  const util::UniqueFd directory(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat directory_status {};
  if (!directory || fstat(directory.get(), &directory_status) != 0) return removed;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(path.c_str()), closedir);
  if (!entries) return removed;
  std::vector<PatternFile> kept;
  while (const dirent* entry = readdir(entries.get())) {
    if (!pattern_.Matches(entry->d_name)) continue;
    const util::UniqueFd file(
        openat(directory.get(), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (!IsOurs(status, directory_status) || !IsTrace(file.get())) continue;
    // The recorder holds a lock on a file that it writes.
    const bool busy = flock(file.get(), LOCK_SH | LOCK_NB) != 0;
    const auto added = std::ranges::find(added_, pattern_.directory() + entry->d_name);
    const auto order = added == added_.end() ? 0 : static_cast<size_t>(added - added_.begin()) + 1;
    kept.push_back({order, status.st_mtim, entry->d_name, busy});
  }
  std::sort(kept.begin(), kept.end(), [](const PatternFile& a, const PatternFile& b) {
    return std::tie(a.busy, a.order, a.changed.tv_sec, a.changed.tv_nsec, a.name) <
           std::tie(b.busy, b.order, b.changed.tv_sec, b.changed.tv_nsec, b.name);
  });
  for (size_t i = 0; i + keep_ < kept.size() && !kept[i].busy; ++i) {
    if (unlinkat(directory.get(), kept[i].name.c_str(), 0) == 0) {
      removed.push_back(pattern_.directory() + kept[i].name);
    }
  }
  // Older entries were removed.
  if (added_.size() > kept.size() + 1) {
    added_.erase(added_.begin(), added_.end() - static_cast<ptrdiff_t>(kept.size() + 1));
  }
  return removed;
}

}  // namespace output
