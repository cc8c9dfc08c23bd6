// SPDX-License-Identifier: BSD-2-Clause
// A provider that writes valid records and invalid data into the shared memory, faster than the
// recorder reads it: hostile SOCKET SEED MS.
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

#include "fxt_provider/detail/buffer.h"

namespace {

uint64_t Ticks() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// Returns the descriptor of the shared memory, or -1.
int Register(const char* path) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return -1;
  const std::string call = R"({"method":"fuchsia.tracing.controller.RegisterProvider","more":true,)"
                           R"("parameters":{"name":"hostile"}})";
  if (send(fd, call.c_str(), call.size() + 1, 0) < 0) return -1;
  for (;;) {
    char bytes[4096];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    if (recvmsg(fd, &message, 0) <= 0) return -1;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr) continue;
    int memory = -1;
    memcpy(&memory, CMSG_DATA(header), sizeof memory);
    return memory;
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const int fd = Register(argv[1]);
  if (fd < 0) return 1;
  // The seals must prevent both.
  if (ftruncate(fd, 0) == 0 || ftruncate(fd, off_t{1} << 40) == 0) return 3;
  struct stat status = {};
  fstat(fd, &status);
  auto* memory = static_cast<uint8_t*>(mmap(nullptr, static_cast<size_t>(status.st_size),
                                            PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
  auto* header = reinterpret_cast<fxt_buffer_header*>(memory);
  const uint32_t blocks = header->blocks;
  auto* descriptors = reinterpret_cast<fxt_block*>(memory + fxt_descriptors_offset());
  auto* words = reinterpret_cast<uint64_t*>(memory + fxt_blocks_offset(blocks));
  auto* places = reinterpret_cast<uint32_t*>(memory + fxt_places_offset());
  std::mt19937_64 random(strtoull(argv[2], nullptr, 10));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(atoi(argv[3]));
  const uint64_t words_in_all = uint64_t{blocks} * FXT_BLOCK_BYTES / 8;
  while (std::chrono::steady_clock::now() < end) {
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
          if (r % words_in_all + 1 < words_in_all) at[1] = Ticks() - random() % 100'000;
          break;
        }
      }
    }
  }
  return 0;
}
