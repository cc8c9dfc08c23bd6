// SPDX-License-Identifier: BSD-2-Clause
// A hostile provider: hostile SOCKET ACTION [ARGUMENT...].
//   noise SEED MS   valid records and invalid data in the shared memory, faster than it is read
//   strings COUNT   registers COUNT times, each time with a megabyte of strings
//   async MS        async spans that never end, in a category of 4,096 bytes
//   flood MS        the shortest valid records, as fast as possible
//   holes MS        claims records in all blocks, which it never touched
//   places COUNT MS registers COUNT times at once, prints how many were refused, and holds the rest
//   forge TID       records of kernel categories on a thread of another process
//   blob            a blob of each type
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "fxt_provider/detail/buffer.h"

namespace {

// The time of the buffer's clock, as the library reads it.
uint64_t Ticks(uint32_t clock) {
#if defined(__x86_64__)
  if (clock == FXT_CLOCK_COUNTER) return __builtin_ia32_rdtsc();
#endif
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Connects and registers. Returns the socket, or -1.
int Connect(const char* path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return -1;
  const std::string call = R"({"method":"fuchsia.tracing.controller.RegisterProvider","more":true,)"
                           R"("parameters":{"name":"hostile"}})";
  if (send(fd, call.c_str(), call.size() + 1, 0) < 0) return -1;
  return fd;
}

// Returns the descriptor of the shared memory, or -1 if the provider is refused.
int ReceiveMemory(int fd) {
  for (;;) {
    char bytes[4096];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(fd, &message, 0);
    if (got <= 0) return -1;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) {
      if (memmem(bytes, static_cast<size_t>(got), "\"error\"", 7) != nullptr) return -1;
      continue;
    }
    int memory = -1;
    memcpy(&memory, CMSG_DATA(header), sizeof memory);
    return memory;
  }
}

// The shared memory of one registration.
class Memory {
 public:
  explicit Memory(const char* path) : socket_(Connect(path)) {
    fd_ = socket_ < 0 ? -1 : ReceiveMemory(socket_);
    if (fd_ < 0) return;
    struct stat status = {};
    fstat(fd_, &status);
    bytes_ = static_cast<size_t>(status.st_size);
    memory_ =
        static_cast<uint8_t*>(mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0));
    blocks_ = header()->blocks;
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (memory_ != nullptr) munmap(memory_, bytes_);
    if (fd_ >= 0) close(fd_);
    if (socket_ >= 0) close(socket_);
  }

  bool valid() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  uint8_t* bytes() { return memory_; }
  fxt_buffer_header* header() { return reinterpret_cast<fxt_buffer_header*>(memory_); }
  uint32_t blocks() const { return blocks_; }
  uint64_t Now() { return Ticks(header()->clock); }
  fxt_block& block(uint32_t index) {
    return reinterpret_cast<fxt_block*>(memory_ + fxt_descriptors_offset())[index];
  }
  uint32_t* places() { return reinterpret_cast<uint32_t*>(memory_ + fxt_places_offset()); }
  uint64_t* words(uint32_t block) {
    return reinterpret_cast<uint64_t*>(memory_ + fxt_blocks_offset(blocks_) +
                                       uint64_t{block} * FXT_BLOCK_BYTES);
  }

  // Defines a string, at an offset that may overlap others.
  void Define(uint32_t index, uint32_t offset, const std::string& text) {
    const auto size = static_cast<uint32_t>(text.size());
    uint8_t* at = memory_ + fxt_strings_offset() + offset;
    memcpy(at, &size, sizeof size);
    memcpy(at + sizeof size, text.data(), size);
    __atomic_store_n(&places()[index], offset + 1, __ATOMIC_RELEASE);
    header()->strings = std::max(header()->strings, index + 1);
  }
  // Appends a record to the current block; waits for a free one if `waits`, else overwrites.
  bool Write(const uint64_t* record, size_t words, bool waits) {
    if (used_ + words > FXT_BLOCK_BYTES / 8 || sequence_ == 0) {
      if (sequence_ != 0)
        __atomic_store_n(&block(current_).state, FXT_BLOCK_FULL, __ATOMIC_RELEASE);
      const uint32_t next = static_cast<uint32_t>(sequence_ % blocks_);
      if (waits && __atomic_load_n(&block(next).state, __ATOMIC_ACQUIRE) != FXT_BLOCK_FREE) {
        return false;
      }
      current_ = next;
      block(next).committed = 0;
      block(next).state = FXT_BLOCK_OWNED;
      block(next).tid = tid;
      __atomic_store_n(&block(next).sequence, ++sequence_, __ATOMIC_RELEASE);
      used_ = 0;
    }
    memcpy(this->words(current_) + used_, record, words * 8);
    used_ += words;
    __atomic_store_n(&block(current_).committed, static_cast<uint32_t>(used_ * 8),
                     __ATOMIC_RELEASE);
    return true;
  }

  uint32_t tid = static_cast<uint32_t>(gettid());

 private:
  int socket_;
  int fd_ = -1;
  size_t bytes_ = 0;
  uint8_t* memory_ = nullptr;
  uint32_t blocks_ = 0;
  uint32_t current_ = 0;
  size_t used_ = 0;
  uint64_t sequence_ = 0;
};

uint64_t HeaderOf(uint64_t type, uint64_t words, uint64_t arguments = 0) {
  return 4 | words << 4 | type << 16 | arguments << 20 | uint64_t{1} << 24 | uint64_t{1} << 32 |
         uint64_t{2} << 48;
}

using Clock = std::chrono::steady_clock;
Clock::time_point After(int ms) { return Clock::now() + std::chrono::milliseconds(ms); }

int Strings(const char* path, int count) {
  for (int i = 0; i < count; ++i) {
    Memory memory(path);
    // The place of the one before may not be free yet.
    if (!memory.valid()) {
      usleep(1000);
      continue;
    }
    for (uint32_t index = 1; index < 255; ++index) {
      memory.Define(index, (index - 1) * 4104,
                    std::string(4000, static_cast<char>('a' + i % 26)) + std::to_string(index));
    }
    for (uint64_t index = 1; index < 255; ++index) {
      const uint64_t record[] = {
          4 | uint64_t{2} << 4 | uint64_t{1} << 24 | index << 32 | index << 48, memory.Now()};
      memory.Write(record, 2, false);
    }
  }
  return 0;
}

int Spans(const char* path, int ms, bool flood) {
  Memory memory(path);
  if (!memory.valid()) return 1;
  memory.Define(1, 0, std::string(flood ? 1 : 4096, 'c'));
  memory.Define(2, 4104, "n");
  uint64_t id = 0;
  for (const auto end = After(ms); Clock::now() < end;) {
    for (int i = 0; i < 1000; ++i) {
      const uint64_t record[] = {flood ? HeaderOf(0, 2) : HeaderOf(i % 2 == 0 ? 5 : 8, 3),
                                 memory.Now(), ++id};
      if (!memory.Write(record, flood ? 2 : 3, memory.header()->mode == FXT_MODE_STREAMING)) {
        usleep(100);
      }
    }
  }
  return 0;
}

int Holes(const char* path, int ms) {
  Memory memory(path);
  if (!memory.valid()) return 1;
  uint64_t sequence = 0;
  for (const auto end = After(ms); Clock::now() < end; usleep(10'000)) {
    for (uint32_t index = 0; index < memory.blocks(); ++index) {
      memory.block(index).committed = FXT_BLOCK_BYTES;
      memory.block(index).sequence = ++sequence;
      memory.block(index).state = FXT_BLOCK_FULL;
    }
  }
  return 0;
}

int Places(const char* path, int count, int ms) {
  std::vector<std::unique_ptr<Memory>> held;
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    auto memory = std::make_unique<Memory>(path);
    if (memory->valid()) {
      held.push_back(std::move(memory));
    } else {
      ++refused;
    }
  }
  printf("%d\n", refused);
  fflush(stdout);
  usleep(static_cast<useconds_t>(ms) * 1000);
  return 0;
}

int Forge(const char* path, uint32_t tid) {
  Memory memory(path);
  if (!memory.valid()) return 1;
  memory.tid = tid;
  uint32_t index = 1;
  uint32_t offset = 0;
  for (const std::string text : {"syscall", "openat", "oom", "oom_kill", "irq", "block"}) {
    memory.Define(index++, offset, text);
    offset += 64;
  }
  for (uint64_t category = 1; category < index; category += 2) {
    for (const uint64_t type : {2, 3}) {
      const uint64_t record[] = {4 | uint64_t{2} << 4 | type << 16 | uint64_t{1} << 24 |
                                     category << 32 | (category + 1) << 48,
                                 memory.Now()};
      memory.Write(record, 2, false);
    }
  }
  usleep(300'000);
  return 0;
}

int Blobs(const char* path) {
  Memory memory(path);
  if (!memory.valid()) return 1;
  memory.Define(1, 0, "b");
  for (const uint64_t type : {1, 2, 3}) {
    const uint64_t record[] = {4 | uint64_t{5} << 4 | uint64_t{FXT_EVENT_BLOB} << 16 |
                                   uint64_t{1} << 20 | uint64_t{1} << 24 | uint64_t{1} << 48,
                               memory.Now(), 10 | uint64_t{2} << 4 | uint64_t{8} << 32, 42, type};
    memory.Write(record, 5, false);
  }
  usleep(300'000);
  return 0;
}

int Noise(const char* path, uint64_t seed, int ms) {
  Memory shared(path);
  if (!shared.valid()) return 1;
  // The seals must prevent both.
  if (ftruncate(shared.fd(), 0) == 0 || ftruncate(shared.fd(), off_t{1} << 40) == 0) return 3;
  uint8_t* memory = shared.bytes();
  fxt_buffer_header* header = shared.header();
  const uint32_t blocks = shared.blocks();
  fxt_block* descriptors = &shared.block(0);
  uint64_t* words = shared.words(0);
  uint32_t* places = shared.places();
  std::mt19937_64 random(seed);
  const auto end = After(ms);
  const uint64_t words_in_all = uint64_t{blocks} * FXT_BLOCK_BYTES / 8;
  while (Clock::now() < end) {
    for (int i = 0; i < 1000; ++i) {
      const uint64_t r = random();
      fxt_block& block = descriptors[r % blocks];
      switch (r >> 32 & 15) {
        case 0:
          block.sequence = random();
          break;
        case 1:
          block.committed = static_cast<uint32_t>(random());
          break;
        case 2:
          block.state = static_cast<uint32_t>(random() % 4);
          break;
        case 3:
          block.tid = static_cast<uint32_t>(random() % 4 == 0 ? random() : getpid());
          break;
        case 4:
          places[r % FXT_MAX_STRINGS] =
              static_cast<uint32_t>(random() % 3 == 0 ? random() : r % 4096 * 8 + 1);
          break;
        case 5:
          header->strings = static_cast<uint32_t>(random() % 2 == 0 ? random() : 40000);
          break;
        case 6:
          header->lost = random();
          break;
        case 7:
          memory[fxt_strings_offset() + r % FXT_STRING_BYTES] = static_cast<uint8_t>(random());
          break;
        case 8:
          header->magic = header->bytes = random();
          header->blocks = static_cast<uint32_t>(random());
          break;
        case 9: {
          // A plausible block.
          block.state = FXT_BLOCK_OWNED;
          block.tid = static_cast<uint32_t>(getpid());
          block.committed = static_cast<uint32_t>(random() % (FXT_BLOCK_BYTES / 8) * 8);
          ++block.sequence;
          break;
        }
        default: {
          // A plausible record header.
          uint64_t* at = words + r % words_in_all;
          at[0] = 4 | (random() % 12) << 4 | (random() % 16) << 16 | (random() % 4) << 20 |
                  uint64_t{1} << 24 | (random() % 64) << 32 | (random() % 64) << 48;
          if (r % words_in_all + 1 < words_in_all) at[1] = shared.Now() - random() % 100'000;
          break;
        }
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* path = argv[1];
  const std::string action = argv[2];
  const int first = argc > 3 ? atoi(argv[3]) : 0;
  const int second = argc > 4 ? atoi(argv[4]) : 0;
  if (action == "noise") return Noise(path, static_cast<uint64_t>(first), second);
  if (action == "strings") return Strings(path, first);
  if (action == "async") return Spans(path, first, false);
  if (action == "flood") return Spans(path, first, true);
  if (action == "holes") return Holes(path, first);
  if (action == "places") return Places(path, first, second);
  if (action == "forge") return Forge(path, static_cast<uint32_t>(first));
  if (action == "blob") return Blobs(path);
  return 2;
}
