// SPDX-License-Identifier: BSD-2-Clause
#include "output/output_file.h"

#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <utility>

#include "output/owner_rules.h"

namespace output {
namespace {

constexpr int kWriteFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY;
// Retries if another process takes the name first.
constexpr int kMostAttempts = 50;

std::string TemporaryName() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number)) {
    number = static_cast<uint64_t>(getpid());
  }
  return fmt::format(".fxt-{:016x}", number);
}

// False if another process has the lock. True on file systems without locks.
bool Lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

// A file that is a mount point, as in containers, keeps its name.
bool IsMountPoint(int file, int directory) {
  struct statx inner = {};
  struct statx outer = {};
  return statx(file, "", AT_EMPTY_PATH, STATX_MNT_ID, &inner) == 0 &&
         statx(directory, "", AT_EMPTY_PATH, STATX_MNT_ID, &outer) == 0 &&
         (inner.stx_mask & outer.stx_mask & STATX_MNT_ID) != 0 &&
         inner.stx_mnt_id != outer.stx_mnt_id;
}

// Opens a file found by O_PATH, in the mode that this process is allowed.
util::UniqueFd OpenToLock(int directory, const std::string& name) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK;
  util::UniqueFd fd(openat(directory, name.c_str(), O_RDONLY | kFlags));
  if (!fd && errno == EACCES) fd.reset(openat(directory, name.c_str(), O_WRONLY | kFlags));
  return fd;
}

// Blocks SIGINT and the like during the exchanges.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace

util::Error OutputFile::Failed(int error_number) const {
  return OpenError(path_, error_number, options_.option);
}

bool OutputFile::Make() {
  const int directory = place_.directory.get();
  const mode_t owner_alone = 0600;
  // An unnamed file disappears when this process is killed.
  fd_.reset(openat(directory, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, owner_alone));
  // Giving it a name needs a capability or /proc.
  if (fd_ && (geteuid() == 0 || access("/proc/self/fd", X_OK) == 0)) return true;
  for (int i = 0; i < kMostAttempts; ++i) {
    temporary_ = TemporaryName();
    fd_.reset(openat(directory, temporary_.c_str(), kWriteFlags | O_CREAT | O_EXCL, owner_alone));
    if (fd_ || errno != EEXIST) break;
  }
  if (!fd_) temporary_.clear();
  return fd_.valid();
}

util::Status OutputFile::SetOwnerAndMode() {
  if (place_.existing) {
    const struct stat& before = existing_status_;
    if (geteuid() == 0 && before.st_uid != 0 &&
        fchown(fd_.get(), before.st_uid, before.st_gid) != 0) {
      return Failed(errno);
    }
  } else if (auto given = GiveToSudoUser(fd_.get()); !given) {
    return given;
  }
  mode_t mode = options_.mode & 0666;
  if ((mode & S_IRWXG) != 0) {
    struct stat status = {};
    const bool known = fstat(fd_.get(), &status) == 0;
    const bool theirs =
        options_.group && ((known && status.st_gid == *options_.group) ||
                           fchown(fd_.get(), static_cast<uid_t>(-1), *options_.group) == 0);
    if (!theirs) mode &= ~static_cast<mode_t>(S_IRWXG);
    // A default ACL of the directory may grant rights once the group's mode is set.
    fremovexattr(fd_.get(), "system.posix_acl_access");
  }
  // File systems without modes are no error.
  fchmod(fd_.get(), mode);
  return util::Ok();
}

util::Status OutputFile::TakeOver(util::UniqueFd entry, const struct stat& existing) {
  if (existing_ && IsSameFile(existing, existing_status_)) return util::Ok();
  if (S_ISDIR(existing.st_mode)) return Failed(EISDIR);
  if (!IsTrusted(existing.st_uid)) return WrongOwner(path_, existing.st_uid, options_.option);
  if (!S_ISREG(existing.st_mode)) return Failed(EEXIST);
  if (IsMountPoint(entry.get(), place_.directory.get())) return Failed(EBUSY);
  util::UniqueFd file = OpenToLock(place_.directory.get(), place_.name);
  struct stat opened = {};
  if (file && fstat(file.get(), &opened) == 0 && !IsSameFile(opened, existing)) {
    return Failed(EBUSY);
  }
  if (file && !Lock(file.get())) {
    return util::Error{
        fmt::format("cannot write {}: another recorder is writing it", path_),
        fmt::format("wait for its end, or name another file with {}", options_.option)};
  }
  existing_ = file ? std::move(file) : std::move(entry);
  existing_status_ = existing;
  return util::Ok();
}

util::Status OutputFile::FindExisting() {
  util::UniqueFd entry(
      openat(place_.directory.get(), place_.name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat status = {};
  if (!entry || fstat(entry.get(), &status) != 0) {
    existing_.reset();
    if (errno == ENOENT) return util::Ok();
    return Failed(errno);
  }
  return TakeOver(std::move(entry), status);
}

util::Result<std::unique_ptr<OutputFile>> OutputFile::Create(OutputPlace place, std::string path,
                                                             const FileOptions& options) {
  std::unique_ptr<OutputFile> file(new OutputFile(std::move(place), std::move(path), options));
  if (file->place_.existing) {
    auto taken = file->TakeOver(std::move(file->place_.entry), *file->place_.existing);
    if (!taken) return taken.TakeError();
  }
  if (options.recording && file->existing_status_.st_size != 0) {
    util::UniqueFd older;
    if (auto checked = file->CheckOld(older); !checked) return checked.TakeError();
  }
  if (!file->Make()) return file->Failed(errno);
  if (auto status = file->SetOwnerAndMode(); !status) return status.TakeError();
  Lock(file->fd_.get());
  if (options.recording && !file->existing_) {
    const int error = file->GiveName(file->place_.name);
    if (error == EEXIST) {
      if (auto taken = file->FindExisting(); !taken) return taken.TakeError();
    } else if (error != 0) {
      return file->Failed(error);
    }
    file->named_ = error == 0;
  }
  return file;
}

// Links to `name` if it is free. Returns 0 or errno.
int OutputFile::GiveName(const std::string& name) {
  const int directory = place_.directory.get();
  if (temporary_.empty()) {
    if (linkat(fd_.get(), "", directory, name.c_str(), AT_EMPTY_PATH) == 0) return 0;
    if (errno == EEXIST) return EEXIST;
    const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
    return linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0
                                                                                           : errno;
  }
  if (renameat2(directory, temporary_.c_str(), directory, name.c_str(), RENAME_NOREPLACE) == 0) {
    temporary_.clear();
    return 0;
  }
  // Some file systems lack RENAME_NOREPLACE; link(2) does the same.
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (linkat(directory, temporary_.c_str(), directory, name.c_str(), 0) != 0) return errno;
  unlinkat(directory, temporary_.c_str(), 0);
  temporary_.clear();
  return 0;
}

// Takes the name from the existing file. Returns 0 or errno.
int OutputFile::Replace() {
  if (temporary_.empty()) {
    const std::string name = TemporaryName();
    if (const int error = GiveName(name); error != 0) return error;
    temporary_ = name;
  }
  const int directory = place_.directory.get();
  if (renameat(directory, temporary_.c_str(), directory, place_.name.c_str()) != 0) return errno;
  temporary_.clear();
  return 0;
}

util::Status OutputFile::CheckOld(util::UniqueFd& older) const {
  const int directory = place_.directory.get();
  struct stat status = {};
  if (fstatat(directory, old_name().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return util::Ok();
  if (!IsTrusted(status.st_uid)) return WrongOwner(old_path(), status.st_uid, options_.option);
  if (S_ISDIR(status.st_mode)) return OpenError(old_path(), EISDIR, options_.option);
  if (S_ISREG(status.st_mode)) older = OpenToLock(directory, old_name());
  if (older && !Lock(older.get())) {
    return util::Error{
        fmt::format("cannot keep {} as {}: another recorder is writing that", path_, old_path()),
        fmt::format("name another file with {}", options_.option)};
  }
  return util::Ok();
}

util::Status OutputFile::KeepAsOld() {
  const int directory = place_.directory.get();
  util::UniqueFd older;
  if (auto checked = CheckOld(older); !checked) return checked;
  // On some file systems, a rename over a file writes out the whole trace at once.
  if (older) unlinkat(directory, old_name().c_str(), 0);
  if (renameat(directory, place_.name.c_str(), directory, old_name().c_str()) != 0) {
    util::Error error = Failed(errno);
    error.message =
        fmt::format("cannot keep {} as {}: {}", path_, old_path(), std::strerror(errno));
    return error;
  }
  // Closing the last descriptor of a large file frees its pages, which would delay the recording.
  if (older) remover_ = std::jthread([file = std::move(older)]() mutable { file.reset(); });
  return util::Ok();
}

util::Status OutputFile::Publish() {
  if (published_ || discarded_) return util::Ok();
  int error = 0;
  for (int i = 0; !named_ && i < kMostAttempts; ++i) {
    error = GiveName(place_.name);
    named_ = error == 0;
    if (error != EEXIST) break;
    if (auto found = FindExisting(); !found) return found;
    if (!existing_) continue;
    struct stat now = {};
    if (options_.recording && fstat(existing_.get(), &now) == 0 && now.st_size != 0) {
      if (auto kept = KeepAsOld(); !kept) return kept;
      existing_.reset();
    } else {
      error = Replace();
      named_ = error == 0;
      if (error != 0) break;
    }
  }
  if (!named_) return Failed(error);
  published_ = true;
  existing_.reset();
  return util::Ok();
}

util::Status OutputFile::Stage() {
  int synced = 0;
  do {
    synced = fsync(fd_.get());
  } while (synced != 0 && errno == EINTR);
  // Some file systems report a full disk only here. Not all support the call.
  if (synced != 0 && errno != EINVAL && errno != EROFS) return Failed(errno);
  for (int i = 0; temporary_.empty() && i < kMostAttempts; ++i) {
    const std::string name = TemporaryName();
    const int error = GiveName(name);
    if (error == 0) temporary_ = name;
    if (error != 0 && error != EEXIST) return Failed(error);
  }
  return temporary_.empty() ? util::Status(Failed(EEXIST)) : util::Ok();
}

util::Status OutputFile::Exchange() {
  const int directory = place_.directory.get();
  int error = EEXIST;
  for (int i = 0; error == EEXIST && i < kMostAttempts; ++i) {
    error = GiveName(place_.name);
    if (error != EEXIST) break;
    if (auto found = FindExisting(); !found) return found;
    if (!existing_) continue;
    const char* hidden = temporary_.c_str();
    const char* name = place_.name.c_str();
    exchanged_ = renameat2(directory, hidden, directory, name, RENAME_EXCHANGE) == 0;
    error = exchanged_ ? 0 : errno;
    if (error == EINVAL || error == ENOSYS) {  // of the file system
      overwrote_ = renameat(directory, hidden, directory, name) == 0;
      error = overwrote_ ? 0 : errno;
      if (overwrote_) temporary_.clear();
    }
    if (error == ENOENT) error = EEXIST;  // it was just removed; the name is free
  }
  named_ = error == 0;
  return named_ ? util::Ok() : util::Status(Failed(error));
}

void OutputFile::TakeBack() {
  const int directory = place_.directory.get();
  if (exchanged_ && renameat2(directory, temporary_.c_str(), directory, place_.name.c_str(),
                              RENAME_EXCHANGE) == 0) {
    exchanged_ = false;
    named_ = false;
  }
}

void OutputFile::Settle() {
  published_ = true;
  if (!temporary_.empty()) unlinkat(place_.directory.get(), temporary_.c_str(), 0);
  temporary_.clear();
  existing_.reset();
  // Syncs the names too; place_ has only an O_PATH descriptor.
  const util::UniqueFd directory(
      openat(place_.directory.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory) fsync(directory.get());
}

OutputFile::~OutputFile() {
  if (!published_) TakeBack();
  // Keeps a surplus file rather than lose one.
  if (published_ || exchanged_ || overwrote_) return;
  if (!temporary_.empty()) unlinkat(place_.directory.get(), temporary_.c_str(), 0);
  struct stat ours = {};
  struct stat there = {};
  if (named_ && fstat(fd_.get(), &ours) == 0 &&
      fstatat(place_.directory.get(), place_.name.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
      IsSameFile(ours, there)) {
    unlinkat(place_.directory.get(), place_.name.c_str(), 0);
  }
}

util::Status PublishTogether(std::span<const std::shared_ptr<OutputFile>> files) {
  for (const auto& file : files) {
    if (auto staged = file->Stage(); !staged) return staged;
  }
  const SignalsWait wait;
  for (const auto& file : files) {
    if (auto named = file->Exchange(); !named) {
      for (const auto& other : files) other->TakeBack();
      return named;
    }
  }
  for (const auto& file : files) file->Settle();
  return util::Ok();
}

}  // namespace output
