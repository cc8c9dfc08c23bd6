// SPDX-License-Identifier: BSD-2-Clause
// Waits in D, and for files: disks, page faults, memory, the lock of an address space, a file
// system of a process.
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "truth.h"

namespace truth {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kFilePages = 4096;

// Whether the program may change settings of the whole machine.
bool IsAlone() { return std::getenv("WAITING_ALONE") != nullptr; }

bool Write(const std::string& path, const std::string& text) {
  const int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(fd);
  return done;
}

std::string DataFile() {
  const std::string path = folder + "/data";
  if (access(path.c_str(), F_OK) == 0) return path;
  const int fd = Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
  const std::vector<char> block(kPage * 16, 'x');
  for (size_t i = 0; i < kFilePages / 16; ++i) {
    if (write(fd, block.data(), block.size()) != static_cast<ssize_t>(block.size())) Fail("write");
  }
  Check(fsync(fd), "fsync");
  close(fd);
  return path;
}

void Syncs() {
  const std::string path = folder + "/written";
  const std::string block(128 << 10, 'x');
  const int fd = Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      if (pwrite(fd, block.data(), block.size(), 0) < 0) Fail("pwrite");
      waits.Add([&] { Check(fsync(fd), "fsync"); });
    }
    waits.Print("fsync", {"fsync", "file", path, "", ""});
  }).join();
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      Check(fchmod(fd, i % 2 == 0 ? 0600 : 0640), "fchmod");
      waits.Add([&] { Check(fsync(fd), "fsync"); });
    }
    // Nothing but the inode has changed: a commit of the journal, and a flush of the device.
    // Without a journal it is written.
    waits.Print("fsync of a journal", {"fsync", "file", path, "", "",
                                       "jbd2_log_wait_commit|submit_bio_wait|blkdev_issue_flush|"
                                       "wait_transaction_locked|__sync_dirty_buffer"});
  }).join();
}

// Reads without the page cache, each at another place.
void DirectReads(const std::string& kind, const std::string& path, const char* thing,
                 bool is_device) {
  const int fd = open(path.c_str(), O_RDONLY | O_DIRECT);
  void* memory = nullptr;
  constexpr size_t kBytes = 64 << 10;
  if (posix_memalign(&memory, kPage, kBytes) != 0) Fail("posix_memalign");
  if (fd < 0 || pread(fd, memory, kBytes, 0) != static_cast<ssize_t>(kBytes)) {
    Skip(kind, path + ": " + std::strerror(errno));
    return;
  }
  const auto place = [](size_t i) {
    return static_cast<off_t>((i * 37 % (kFilePages / 16)) * kBytes);
  };
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      waits.Add([&] {
        if (pread(fd, memory, kBytes, place(static_cast<size_t>(i))) !=
            static_cast<ssize_t>(kBytes))
          Fail("pread");
      });
    }
    const std::string disk = path.substr(path.rfind('/') + 1);
    waits.Print(kind, [&](size_t i) {
      std::string reason = "?";
      if (is_device)
        reason = "block read " + disk + " [0-9]+ bytes at sector " +
                 std::to_string(place(i) / 512) + "(;|$)";
      return Expected{"pread64", thing, path, "", "", reason + "@" + std::to_string(place(i))};
    });
  }).join();
  close(fd);
  std::free(memory);
}

void FileFaults() {
  const std::string path = DataFile();
  const int fd = Check(open(path.c_str(), O_RDONLY), "open");
  auto* const memory =
      static_cast<volatile char*>(mmap(nullptr, kFilePages * kPage, PROT_READ, MAP_SHARED, fd, 0));
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(const_cast<char*>(memory), kFilePages * kPage, MADV_RANDOM);
  const auto page = [](size_t i) { return i * 37 % kFilePages; };
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      const size_t at = page(static_cast<size_t>(i)) * kPage;
      if (i % 256 == 0) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      waits.Add([&] { (void)memory[at + 100]; });
    }
    waits.Print("page fault, file", [&](size_t i) {
      const std::string at = std::to_string(page(i) * kPage);
      char reason[64];
      std::snprintf(reason, sizeof(reason), "page fault at 0x%lx(;|$)@",
                    reinterpret_cast<unsigned long>(memory) + page(i) * kPage + 100);
      return Expected{"", "page fault", path, "", "", reason + at};
    });
  }).join();
  munmap(const_cast<char*>(memory), kFilePages * kPage);
}

bool HasSwap() {
  std::ifstream swaps("/proc/swaps");
  std::string line;
  std::getline(swaps, line);
  while (std::getline(swaps, line)) {
    if (line.find("zram") == std::string::npos) return true;
  }
  return false;
}

void Swap() {
#ifdef MADV_PAGEOUT
  if (!HasSwap()) {
    Skip("page fault, swap", "no swap on a disk");
    return;
  }
  constexpr size_t kBytes = 4096 * kPage;
  auto* const memory = static_cast<volatile char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(const_cast<char*>(memory), kBytes, MADV_NOHUGEPAGE);
  madvise(const_cast<char*>(memory), kBytes, MADV_RANDOM);
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      if (i % 64 == 0) {
        for (size_t at = 0; at < kBytes; at += kPage) memory[at] = static_cast<char>(i);
        // Written by the first call, and dropped by the second one.
        for (int pass = 0; pass < 2; ++pass) {
          madvise(const_cast<char*>(memory), kBytes, MADV_PAGEOUT);
          Pause(100'000'000);
        }
      }
      waits.Add([&] { (void)memory[static_cast<size_t>(i % 64) * 61 % 4096 * kPage]; });
    }
    waits.Print("page fault, swap", {"", "swap", "anonymous", "", ""});
  }).join();
  munmap(const_cast<char*>(memory), kBytes);
#else
  Skip("page fault, swap", "no MADV_PAGEOUT");
#endif
}

// A thread changes the protection of much memory, another one needs the lock for reading.
void AddressSpace() {
  constexpr size_t kBytes = size_t{128} << 20;
  auto* const memory = static_cast<char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  for (size_t at = 0; at < kBytes; at += kPage) memory[at] = 1;
  std::atomic<int> holding{-1};
  std::atomic<int> passed{-1};
  std::atomic<int> holder{0};
  std::thread holds([&] {
    holder = Tid();
    for (int i = 0; i < count; ++i) {
      holding = i;
      Check(mprotect(memory, kBytes, i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE), "mprotect");
      while (passed < i) Rest();
    }
  });
  std::thread([&] {
    Waits waits;
    unsigned char residence = 0;
    for (int i = 0; i < count; ++i) {
      while (holding < i) {
      }
      for (const uint64_t until = Now() + 5'000; Now() < until;) {
      }
      waits.Add([&] { Check(mincore(memory, kPage, &residence), "mincore"); });
      passed = i;
    }
    waits.Print("mmap_lock", {"mincore", "mmap_lock", "", std::to_string(holder), ""});
  }).join();
  holds.join();
  munmap(memory, kBytes);
}

// A group of cgroup 2 whose memory is limited; the thread that calls it is moved there.
void MemoryHigh() {
  const std::string group = "/sys/fs/cgroup/waiting";
  if (!IsAlone() ||
      (!Write("/sys/fs/cgroup/cgroup.subtree_control", "+memory") && errno != EBUSY) ||
      (mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) ||
      !Write(group + "/memory.high", "8388608")) {
    Skip("memory.high", IsAlone() ? "no memory controller of cgroup 2"
                                  : "only where the machine is the test's own");
    return;
  }
  std::fflush(stdout);
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    Write(group + "/memory.swap.max", "0");
    if (!Write(group + "/cgroup.procs", std::to_string(getpid()))) Fail("cgroup.procs");
    Waits waits;
    constexpr size_t kBytes = 16 << 20;
    constexpr size_t kOver = 112 * kPage;
    auto* const memory = static_cast<volatile char*>(
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    madvise(const_cast<char*>(memory), kBytes, MADV_NOHUGEPAGE);
    // Up to the limit; then a little above it again and again, for which the kernel lets the thread
    // sleep for 10 ms and more.
    const auto used = [&] {
      size_t bytes = 0;
      std::ifstream(group + "/memory.current") >> bytes;
      return bytes;
    };
    size_t end = 0;
    for (; end + kOver < kBytes && used() + kOver / 2 < 8388608; end += kPage) memory[end] = 1;
    for (int i = 0; i < count; ++i) {
      waits.Add([&] {
        for (size_t at = 0; at < kOver; at += kPage) memory[end + at] = 1;
      });
      madvise(const_cast<char*>(memory) + end, kOver, MADV_DONTNEED);
    }
    waits.Print("memory.high", {"", "memory.high", "", "", ""});
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
}

void DirtyPages() {
  if (!IsAlone() || !Write("/proc/sys/vm/dirty_background_bytes", "262144") ||
      !Write("/proc/sys/vm/dirty_bytes", "524288")) {
    Skip("dirty pages", "only where the machine is the test's own");
    return;
  }
  const std::string path = folder + "/dirty";
  const int fd = Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
  const std::vector<char> block(256 << 10, 'x');
  std::thread([&] {
    Waits waits;
    for (int i = 0; i < count; ++i) {
      waits.Add([&] {
        if (pwrite(fd, block.data(), block.size(), i % 64 * static_cast<off_t>(block.size())) < 0)
          Fail("pwrite");
      });
    }
    waits.Print("dirty pages", {"pwrite64", "dirty pages|file", "?", "", ""});
  }).join();
  Write("/proc/sys/vm/dirty_ratio", "20");
  Write("/proc/sys/vm/dirty_background_ratio", "10");
}

// A file system of one file, whose server answers a read after a pause.
void Serve(int device, const std::atomic<bool>& is_over) {
  std::vector<char> request(1 << 17);
  while (!is_over) {
    const ssize_t bytes = read(device, request.data(), request.size());
    if (bytes < 0) {
      if (errno == ENODEV) return;
      continue;
    }
    fuse_in_header in{};
    std::memcpy(&in, request.data(), sizeof(in));
    std::vector<char> body;
    const auto put = [&](const auto& value) {
      const auto* const from = reinterpret_cast<const char*>(&value);
      body.insert(body.end(), from, from + sizeof(value));
    };
    const auto attributes = [](uint64_t inode) {
      fuse_attr found{};
      found.ino = inode;
      found.size = 1 << 20;
      found.mode = inode == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644;
      found.nlink = 1;
      return found;
    };
    int error = 0;
    switch (in.opcode) {
      case FUSE_INIT: {
        fuse_init_out out{};
        out.major = FUSE_KERNEL_VERSION;
        out.minor = 31;
        out.max_write = 4096;
        out.max_readahead = 4096;
        put(out);
        break;
      }
      case FUSE_LOOKUP: {
        fuse_entry_out out{};
        out.nodeid = 2;
        out.attr = attributes(2);
        out.entry_valid = out.attr_valid = 1000;
        put(out);
        break;
      }
      case FUSE_GETATTR: {
        fuse_attr_out out{};
        out.attr = attributes(in.nodeid);
        out.attr_valid = 1000;
        put(out);
        break;
      }
      case FUSE_OPEN: {
        fuse_open_out out{};
        out.open_flags = FOPEN_DIRECT_IO;
        put(out);
        break;
      }
      case FUSE_READ:
        Pause();
        body.assign(512, 'x');
        break;
      case FUSE_FORGET:
      case FUSE_BATCH_FORGET:
      case FUSE_INTERRUPT:
        continue;
      default:
        error = -ENOSYS;
    }
    fuse_out_header out{};
    out.len = static_cast<uint32_t>(sizeof(out) + body.size());
    out.error = error;
    out.unique = in.unique;
    std::vector<char> answer(reinterpret_cast<char*>(&out),
                             reinterpret_cast<char*>(&out) + sizeof(out));
    answer.insert(answer.end(), body.begin(), body.end());
    if (write(device, answer.data(), answer.size()) < 0 && errno != ENOENT) return;
  }
}

void Fuse() {
  const std::string mount_point = folder + "/fuse";
  mkdir(mount_point.c_str(), 0755);
  const int device = open("/dev/fuse", O_RDWR);
  std::ostringstream options;
  options << "fd=" << device << ",rootmode=40000,user_id=0,group_id=0";
  if (device < 0 || mount("waiting", mount_point.c_str(), "fuse", MS_NOSUID | MS_NODEV,
                          options.str().c_str()) != 0) {
    Skip("fuse", std::string("/dev/fuse: ") + std::strerror(errno));
    return;
  }
  std::atomic<bool> is_over{false};
  std::thread server([&] { Serve(device, is_over); });
  const std::string path = mount_point + "/file";
  std::thread([&] {
    const int fd = Check(open(path.c_str(), O_RDONLY), "open of fuse");
    char block[512];
    Waits waits;
    for (int i = 0; i < count; ++i)
      waits.Add([&] { Check(pread(fd, block, sizeof(block), 0), "pread of fuse"); });
    close(fd);
    waits.Print("fuse", {"pread64", "fuse", path, "?", ""});
  }).join();
  is_over = true;
  umount2(mount_point.c_str(), MNT_DETACH);
  close(device);
  server.join();
}

}  // namespace

void Disks() {
  Syncs();
  DirectReads("read of a file", DataFile(), "file", false);
  if (device.empty()) {
    Skip("read of a block device", "no device was given");
  } else {
    DirectReads("read of a block device", device, "block device", true);
  }
  Fuse();
  DirtyPages();
}

void Memory() {
  FileFaults();
  Swap();
  AddressSpace();
  MemoryHigh();
}

}  // namespace truth
