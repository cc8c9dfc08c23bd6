// SPDX-License-Identifier: BSD-2-Clause
// Parts in which tasks wake each other: PingPong and Messaging.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "util/unique_fd.h"
#include "workload/child.h"
#include "workload/workload.h"

namespace workload {
namespace {

struct Channel {
  util::UniqueFd read;
  util::UniqueFd write;
};

bool OpenPipe(Channel* channel) {
  int fds[2];
  if (pipe(fds) != 0) {
    perror("workload: pipe");
    return false;
  }
  channel->read.reset(fds[0]);
  channel->write.reset(fds[1]);
  return true;
}

bool OpenSocketPair(Channel* channel) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0) {
    perror("workload: socketpair");
    return false;
  }
  channel->read.reset(fds[0]);
  channel->write.reset(fds[1]);
  return true;
}

constexpr size_t kMessageBytes = 100;
using Message = std::array<char, kMessageBytes>;

bool ReadWhole(int fd, char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = read(fd, data, bytes);
    if (got <= 0) return false;
    data += got;
    bytes -= static_cast<size_t>(got);
  }
  return true;
}

bool WriteWhole(int fd, const char* data, size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = write(fd, data, bytes);
    if (put <= 0) return false;
    data += put;
    bytes -= static_cast<size_t>(put);
  }
  return true;
}

int Receive(int fd, uint64_t messages) {
  Message message;
  for (uint64_t i = 0; i < messages; ++i) {
    if (!ReadWhole(fd, message.data(), message.size())) return 1;
  }
  return 0;
}

int Send(const std::vector<Channel>& channels, uint32_t count) {
  Message message;
  message.fill('m');
  for (uint32_t i = 0; i < count; ++i) {
    for (const Channel& channel : channels) {
      if (!WriteWhole(channel.write.get(), message.data(), message.size())) return 1;
    }
  }
  return 0;
}

}  // namespace

int PingPong(const PingPongOptions& options) {
  Channel there, back;
  if (!OpenPipe(&there) || !OpenPipe(&back)) return 1;
  // Each end has to see the end of file if the other process ends.
  auto serve = [&](Channel* in, Channel* out, bool first) {
    in->write.reset();
    out->read.reset();
    if (options.cpu >= 0 && !PinTo(options.cpu)) return 1;
    char byte = 'p';
    for (uint32_t i = 0; i < options.count; ++i) {
      if (first && write(out->write.get(), &byte, 1) != 1) return 1;
      if (read(in->read.get(), &byte, 1) != 1) return 1;
      if (!first && write(out->write.get(), &byte, 1) != 1) return 1;
    }
    return 0;
  };
  const pid_t ping = StartChild("wl-ping", [&] { return serve(&back, &there, true); });
  const pid_t pong = StartChild("wl-pong", [&] { return serve(&there, &back, false); });
  there = Channel();
  back = Channel();
  const bool ping_done = WaitForChild(ping);
  const bool pong_done = WaitForChild(pong);
  if (!ping_done || !pong_done) return 1;
  printf("pingpong ping=%d pong=%d count=%u cpu=%d\n", ping, pong, options.count, options.cpu);
  return 0;
}

int Messaging(const MessagingOptions& options) {
  std::vector<pid_t> children;
  bool done = true;
  for (uint32_t group = 0; group < options.groups; ++group) {
    std::vector<Channel> channels(options.pairs);
    for (Channel& channel : channels) {
      if (!OpenSocketPair(&channel)) return 1;
    }
    const uint64_t expected = uint64_t{options.count} * options.pairs;
    for (uint32_t i = 0; i < options.pairs; ++i) {
      children.push_back(StartChild("wl-receiver", [&] {
        for (Channel& channel : channels) channel.write.reset();
        return Receive(channels[i].read.get(), expected);
      }));
    }
    for (uint32_t i = 0; i < options.pairs; ++i) {
      children.push_back(StartChild("wl-sender", [&] { return Send(channels, options.count); }));
    }
  }
  for (pid_t child : children) done = WaitForChild(child) && done;
  if (!done) return 1;
  printf("messaging groups=%u pairs=%u count=%u messages=%llu\n", options.groups, options.pairs,
         options.count,
         static_cast<unsigned long long>(options.groups) * options.pairs * options.pairs *
             options.count);
  return 0;
}

}  // namespace workload
