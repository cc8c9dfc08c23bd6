// SPDX-License-Identifier: BSD-2-Clause
#include "export/fd_vfs.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace exporting {
namespace {

// SQLite requires its own struct to be the first member.
struct File {
  sqlite3_file base;
  int fd;
};

int FdOf(sqlite3_file* file) { return reinterpret_cast<File*>(file)->fd; }

int Close(sqlite3_file*) { return SQLITE_OK; }

int Read(sqlite3_file* file, void* into, int bytes, sqlite3_int64 offset) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t n = pread(FdOf(file), at, static_cast<size_t>(bytes), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return SQLITE_IOERR_READ;
    if (n == 0) {
      std::memset(at, 0, static_cast<size_t>(bytes));
      return SQLITE_IOERR_SHORT_READ;
    }
    at += n;
    offset += n;
    bytes -= static_cast<int>(n);
  }
  return SQLITE_OK;
}

int Write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = pwrite(FdOf(file), at, static_cast<size_t>(bytes), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return errno == ENOSPC || errno == EDQUOT ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    at += n;
    offset += n;
    bytes -= static_cast<int>(n);
  }
  return SQLITE_OK;
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  return ftruncate(FdOf(file), size) == 0 ? SQLITE_OK : SQLITE_IOERR_TRUNCATE;
}

int Sync(sqlite3_file*, int) { return SQLITE_OK; }

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  struct stat status = {};
  if (fstat(FdOf(file), &status) != 0) return SQLITE_IOERR_FSTAT;
  *size = status.st_size;
  return SQLITE_OK;
}

int Lock(sqlite3_file*, int) { return SQLITE_OK; }

int CheckLock(sqlite3_file*, int* locked) {
  *locked = 0;
  return SQLITE_OK;
}

int Control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int SectorSize(sqlite3_file*) { return 4096; }
int Characteristics(sqlite3_file*) { return 0; }

const sqlite3_io_methods kMethods = [] {
  sqlite3_io_methods methods = {};
  methods.iVersion = 1;
  methods.xClose = Close;
  methods.xRead = Read;
  methods.xWrite = Write;
  methods.xTruncate = Truncate;
  methods.xSync = Sync;
  methods.xFileSize = FileSize;
  methods.xLock = Lock;
  methods.xUnlock = Lock;
  methods.xCheckReservedLock = CheckLock;
  methods.xFileControl = Control;
  methods.xSectorSize = SectorSize;
  methods.xDeviceCharacteristics = Characteristics;
  return methods;
}();

int Open(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* result) {
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) {
    sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
    return usual->xOpen(usual, name, file, flags, result);
  }
  auto* made = reinterpret_cast<File*>(file);
  made->base.pMethods = &kMethods;
  made->fd = *static_cast<const int*>(vfs->pAppData);
  if (result != nullptr) *result = flags;
  return SQLITE_OK;
}

// The database's name is not a file name.
int Access(sqlite3_vfs*, const char*, int, int* result) {
  *result = 0;
  return SQLITE_OK;
}

int FullPathname(sqlite3_vfs*, const char* name, int size, char* into) {
  sqlite3_snprintf(size, into, "%s", name);
  return SQLITE_OK;
}

}  // namespace

FdVfs::FdVfs(int fd) : vfs_(std::make_unique<sqlite3_vfs>()), fd_(fd) {
  const sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
  name_ = fmt::format("fxt-fd-{}", static_cast<const void*>(this));
  *vfs_ = *usual;
  vfs_->iVersion = 1;
  vfs_->szOsFile = std::max<int>(usual->szOsFile, sizeof(File));
  vfs_->pNext = nullptr;
  vfs_->zName = name_.c_str();
  vfs_->pAppData = &fd_;
  vfs_->xOpen = Open;
  vfs_->xAccess = Access;
  vfs_->xFullPathname = FullPathname;
  sqlite3_vfs_register(vfs_.get(), 0);
}

FdVfs::~FdVfs() { sqlite3_vfs_unregister(vfs_.get()); }

}  // namespace exporting
