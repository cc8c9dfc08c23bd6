// SPDX-License-Identifier: BSD-2-Clause
// Waits in D, and for files: disks, page faults, memory, the lock of an address space, a file
// system of a process.
#include <fcntl.h>
#include <linux/fuse.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
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

constexpr const char* kGroup = "/sys/fs/cgroup/waiting";

uint64_t Number(const std::string& file) {
  uint64_t value = 0;
  std::ifstream(std::string(kGroup) + "/" + file) >> value;
  return value;
}

struct Limit {
  std::string file;
  std::string value;
};

// Calls `run` in a process of an own group of cgroup 2 with these limits.
void InGroup(const std::string& kind, const std::string& controller,
             const std::vector<Limit>& limits, const std::function<void()>& run) {
  if (!IsAlone()) return Skip(kind, "only where the machine is the test's own");
  Write("/sys/fs/cgroup/cgroup.subtree_control", "+" + controller);
  rmdir(kGroup);
  if (mkdir(kGroup, 0755) != 0)
    return Skip(kind, std::string(kGroup) + ": " + std::strerror(errno));
  for (const Limit& limit : limits) {
    if (!Write(std::string(kGroup) + "/" + limit.file, limit.value))
      return Skip(kind, limit.file + ": " + std::strerror(errno));
  }
  std::fflush(stdout);
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    if (!Write(std::string(kGroup) + "/cgroup.procs", std::to_string(getpid())))
      Fail("cgroup.procs");
    run();
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
  }
  if (status != 0) Skip(kind, "the process ended with status " + std::to_string(status));
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
    while (!waits.AreEnough()) {
      if (pwrite(fd, block.data(), block.size(), 0) < 0) Fail("pwrite");
      waits.Add([&] { Check(fsync(fd), "fsync"); });
    }
    waits.Print("fsync", {"fsync", "file", path, "", ""});
  }).join();
  std::thread([&] {
    Waits waits;
    while (!waits.AreEnough()) {
      Check(fchmod(fd, waits.size() % 2 == 0 ? 0600 : 0640), "fchmod");
      waits.Add([&] { Check(fsync(fd), "fsync"); });
    }
    // Nothing but the inode has changed: a commit of the journal, and a flush of the device.
    // Without a journal it is written.
    waits.Print("fsync of a journal", {"fsync", "file", path, "", "",
                                       "jbd2_log_wait_commit|submit_bio_wait|blkdev_issue_flush|"
                                       "wait_transaction_locked|__sync_dirty_buffer"});
  }).join();
}

// A thread that slept for less may not have been held back by kThrottled.
constexpr uint64_t kHeldBack = 50'000'000;  // ns
// A request in each of the kernel's slices, of 100 ms.
constexpr const char* kThrottled = " riops=10";

std::string Device(const std::string& path) {
  struct stat info {};
  Check(stat(path.c_str(), &info), "stat");
  return std::to_string(major(info.st_dev)) + ":" + std::to_string(minor(info.st_dev));
}

// The kind of the thing of a wait.
using Thing = std::function<std::string(const Waits&, size_t)>;

Thing Always(const std::string& thing) {
  return [=](const Waits&, size_t) { return thing; };
}

// In a group whose requests are throttled.
Thing Throttled(const std::string& otherwise) {
  return [=](const Waits& waits, size_t i) {
    return waits.asleep(i) < kHeldBack ? "blk-throttle|" + otherwise : "blk-throttle";
  };
}

// Reads without the page cache, each at another place.
void DirectReads(const std::string& kind, const std::string& path, const Thing& thing,
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
    Waits waits(true);
    while (!waits.AreEnough()) {
      const off_t at = place(waits.size());
      waits.Add([&] {
        if (pread(fd, memory, kBytes, at) != static_cast<ssize_t>(kBytes)) Fail("pread");
      });
    }
    const std::string disk = path.substr(path.rfind('/') + 1);
    waits.Print(kind, [&](size_t i) {
      std::string reason = "?";
      if (is_device)
        reason = "block read " + disk + " [0-9]+ bytes at sector " +
                 std::to_string(place(i) / 512) + "(;|$)";
      return Expected{
          "pread64", thing(waits, i), path, "", "", reason + "@" + std::to_string(place(i))};
    });
  }).join();
  close(fd);
  std::free(memory);
}

std::string FaultAt(const volatile char* address) {
  char text[64];
  std::snprintf(text, sizeof(text), "page fault at 0x%lx(;|$)",
                reinterpret_cast<unsigned long>(address));
  return text;
}

void FileFaults(const std::string& kind, const Thing& thing) {
  const std::string path = DataFile();
  const int fd = Check(open(path.c_str(), O_RDONLY), "open");
  auto* const memory =
      static_cast<volatile char*>(mmap(nullptr, kFilePages * kPage, PROT_READ, MAP_SHARED, fd, 0));
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(const_cast<char*>(memory), kFilePages * kPage, MADV_RANDOM);
  // khugepaged would read the file's other pages, and the disk be busy with them.
  madvise(const_cast<char*>(memory), kFilePages * kPage, MADV_NOHUGEPAGE);
  const auto place = [](size_t i) { return i * 37 % kFilePages * kPage; };
  std::thread([&] {
    Waits waits(true);
    while (!waits.AreEnough()) {
      if (waits.size() % kFilePages == 0) {
        // Pages that are mapped stay in the page cache.
        madvise(const_cast<char*>(memory), kFilePages * kPage, MADV_DONTNEED);
        posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      }
      const size_t at = place(waits.size()) + 100;
      waits.Add([&] { (void)memory[at]; });
    }
    waits.Print(kind, [&](size_t i) {
      return Expected{"",   thing(waits, i),
                      path, "",
                      "",   FaultAt(memory + place(i) + 100) + "@" + std::to_string(place(i))};
    });
  }).join();
  munmap(const_cast<char*>(memory), kFilePages * kPage);
  close(fd);
}

volatile char* AnonymousMemory(size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) Fail("mmap");
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  return static_cast<volatile char*>(memory);
}

void Touch(volatile char* memory, size_t bytes) {
  for (size_t at = 0; at < bytes; at += kPage) memory[at] = 1;
}

// The name of the disk with the swap space; empty: none.
std::string SwapDisk() {
  std::ifstream swaps("/proc/swaps");
  std::string line;
  std::getline(swaps, line);
  while (std::getline(swaps, line)) {
    const std::string path = line.substr(0, line.find(' '));
    if (path.find("zram") == std::string::npos) return path.substr(path.rfind('/') + 1);
  }
  return "";
}

void Swap() {
  const char* const kind = "page fault, swap";
  if (SwapDisk().empty()) return Skip(kind, "no swap on a disk");
  InGroup(kind, "memory", {}, [&] {
    constexpr size_t kPages = 4096;
    // No other pages are read with the one that is missing.
    Write("/proc/sys/vm/page-cluster", "0");
    volatile char* const memory = AnonymousMemory(kPages * kPage);
    const auto place = [](size_t i) { return i * 61 % kPages * kPage; };
    Waits waits;
    while (!waits.AreEnough()) {
      if (waits.size() % kPages == 0) {
        Touch(memory, kPages * kPage);
        // A limit that is set reclaims at once. Pages are written at first, and dropped later.
        const std::string limit = std::string(kGroup) + "/memory.high";
        for (int i = 0; i < 100 && Number("memory.current") > kPages * kPage / 8; ++i) {
          Write(limit, "1048576");
          Pause(100'000'000);
        }
        Write(limit, "max");
      }
      const size_t at = place(waits.size());
      waits.Add([&] { (void)memory[at]; });
    }
    waits.Print(kind, [&](size_t i) {
      return Expected{"", "swap", "anonymous", "", "", FaultAt(memory + place(i))};
    });
  });
}

// A thread changes the protection of much memory, another one needs the lock for reading.
void AddressSpace() {
  constexpr size_t kBytes = size_t{128} << 20;
  volatile char* const shared = AnonymousMemory(kBytes);
  auto* const memory = const_cast<char*>(shared);
  Touch(shared, kBytes);
  cpu_set_t cpus;
  Check(sched_getaffinity(0, sizeof(cpus), &cpus), "sched_getaffinity");
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<size_t>(cpu), &cpus)) allowed.push_back(cpu);
  }
  std::atomic<int> holding{-1};
  std::atomic<int> passed{-1};
  std::atomic<int> holder{0};
  std::atomic<bool> has_rival{false};
  std::atomic<bool> is_over{false};
  // Before 5.13 a reader spins while the writer runs. There the writer shares its CPU, so that it
  // is often preempted.
  std::thread rival([&] {
    Pin(allowed.front());
    while (!is_over) {
      if (has_rival) {
        Relax();
      } else {
        Pause();
      }
    }
  });
  std::thread holds([&] {
    Pin(allowed.front());
    setpriority(PRIO_PROCESS, 0, 10);
    holder = Tid();
    for (int i = 0; !is_over; ++i) {
      // An emulated CPU takes long for all of it.
      const size_t bytes = IsAlone() && !has_rival ? kBytes / 4 : kBytes;
      holding = i;
      Check(mprotect(memory, bytes, i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE), "mprotect");
      // A thread that sleeps would run for milliseconds at once afterwards.
      while (passed < i && !is_over) {
        if (has_rival) {
          Relax();
        } else {
          Rest();
        }
      }
    }
  });
  std::thread([&] {
    Pin(allowed.back());
    Waits waits;
    unsigned char residence = 0;
    for (int i = 0; !waits.AreEnough(); ++i) {
      while (holding < i) Relax();
      for (const uint64_t until = Now() + 5'000; Now() < until;) Relax();
      waits.Add([&] { Check(mincore(memory, kPage, &residence), "mincore"); });
      passed = i;
      if (waits.size() >= 20 && 2 * waits.slept() < static_cast<int>(waits.size()))
        has_rival = true;
    }
    is_over = true;
    waits.Print("mmap_lock", {"mincore", "mmap_lock", "", std::to_string(holder), ""});
  }).join();
  holds.join();
  rival.join();
  munmap(memory, kBytes);
}

void MemoryHigh() {
  constexpr size_t kHigh = 8 << 20;
  const std::vector<Limit> limits = {{"memory.high", std::to_string(kHigh)}};
  InGroup("memory.high", "memory", limits, [&] {
    Write(std::string(kGroup) + "/memory.swap.max", "0");
    Waits waits;
    constexpr size_t kBytes = 2 * kHigh;
    constexpr size_t kOver = 112 * kPage;
    volatile char* const memory = AnonymousMemory(kBytes);
    // Up to the limit; then a little above it again and again, for which the kernel lets the thread
    // sleep for 10 ms and more.
    size_t end = 0;
    for (; end + kOver < kBytes && Number("memory.current") + kOver / 2 < kHigh; end += kPage)
      memory[end] = 1;
    while (!waits.AreEnough()) {
      waits.Add([&] { Touch(memory + end, kOver); });
      madvise(const_cast<char*>(memory) + end, kOver, MADV_DONTNEED);
    }
    waits.Print("memory.high", {"", "memory.high", "", "", ""});
  });
}

// New memory again and again, so that older pages of the group are written to the swap space.
void Reclaim() {
  const char* const kind = "reclaim";
  const std::string disk = SwapDisk();
  if (disk.empty()) return Skip(kind, "no swap on a disk");
  InGroup(kind, "memory", {{"memory.max", "8388608"}}, [&] {
    // Few requests at a time, so that a thread that reclaims waits for its writes.
    Write("/sys/block/" + disk + "/queue/nr_requests", "4");
    Write("/proc/self/oom_score_adj", "-1000");
    constexpr size_t kBytes = 32 << 20;
    constexpr size_t kPart = 64 * kPage;
    volatile char* const memory = AnonymousMemory(kBytes);
    Waits waits;
    while (!waits.AreEnough()) {
      volatile char* const part = memory + waits.size() * kPart % kBytes;
      madvise(const_cast<char*>(part), kPart, MADV_DONTNEED);
      waits.Add([&] { Touch(part, kPart); });
    }
    waits.Print(kind, {"", "reclaim", "", "", ""});
  });
}

void DirtyPages() {
  if (!IsAlone() || !Write("/proc/sys/vm/dirty_background_bytes", "262144") ||
      !Write("/proc/sys/vm/dirty_bytes", "524288")) {
    Skip("dirty pages", "only where the machine is the test's own");
    return;
  }
  const std::string path = folder + "/dirty";
  const int fd = Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
  const std::vector<char> block(512 << 10, 'x');
  std::thread([&] {
    Waits waits;
    while (!waits.AreEnough()) {
      const size_t at = waits.size() % 32 * block.size();
      waits.Add([&] {
        if (pwrite(fd, block.data(), block.size(), static_cast<off_t>(at)) < 0) Fail("pwrite");
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
  DirectReads("read of a file", DataFile(), Always("file"), false);
  if (device.empty()) {
    Skip("read of a block device", "no device was given");
  } else {
    DirectReads("read of a block device", device, Always("block device"), true);
  }
  Fuse();
  DirtyPages();
  const std::vector<Limit> limits = {{"io.max", Device(DataFile()) + kThrottled}};
  InGroup("blk-throttle, read", "io", limits,
          [] { DirectReads("blk-throttle, read", DataFile(), Throttled("file"), false); });
  InGroup("blk-throttle, page fault", "io", limits,
          [] { FileFaults("blk-throttle, page fault", Throttled("page fault")); });
}

void Memory() {
  FileFaults("page fault, file", Always("page fault"));
  Swap();
  AddressSpace();
  MemoryHigh();
  Reclaim();
}

}  // namespace truth
