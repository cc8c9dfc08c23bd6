// SPDX-License-Identifier: BSD-2-Clause
#include "export/clickhouse/host_address.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "text/clean_text.h"

namespace exporting {
namespace {

bool IsAddress(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> into{};
  return inet_pton(AF_INET, text.c_str(), into.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), into.data()) == 1;
}

// What the program says, of which the beginning is enough; empty where it cannot be run.
std::string OutputOf(const std::array<const char*, 5>& command) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command[0], &actions, nullptr,
                                 const_cast<char* const*>(command.data()), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string said;
  std::array<char, 4096> piece{};
  while (error == 0) {
    const ssize_t got = read(pipe_ends[0], piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    if (said.size() < piece.size()) said.append(piece.data(), static_cast<size_t>(got));
  }
  close(pipe_ends[0]);
  if (error == 0) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  return said;
}

}  // namespace

util::Result<std::string> AddressOf(const std::string& host) {
  if (IsAddress(host)) return host;
  // "192.0.2.1  STREAM  name", and further lines.
  const std::string said = OutputOf({"getent", "ahosts", "--", host.c_str(), nullptr});
  const std::string address = said.substr(0, std::min(said.find(' '), said.size()));
  if (IsAddress(address)) return address;
  return util::Error{fmt::format("nobody knows the host {}", text::CleanText(host)), ""};
}

}  // namespace exporting
