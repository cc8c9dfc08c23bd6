// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/wait_names.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "schema/wait_object.h"

namespace translate {
namespace {

constexpr uint32_t kMptcp = 262;

uint32_t Major(uint32_t device) { return device >> 20; }
uint32_t Minor(uint32_t device) { return device & 0xfffff; }

// The path from `names`: its components in reverse order, each followed by a NUL.
std::string PathOf(std::string_view names, uint32_t flags) {
  std::vector<std::string_view> parts;
  while (!names.empty()) {
    const size_t end = names.find('\0');
    parts.push_back(names.substr(0, end));
    if (end == std::string_view::npos) break;
    names.remove_prefix(end + 1);
  }
  std::string path;
  if ((flags & FXR_WAIT_PATH_CUT) != 0) path = "...";
  const bool rooted = (flags & (FXR_WAIT_PATH_ROOTED | FXR_WAIT_PATH_CUT)) != 0;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (rooted || part != parts.rbegin()) path += '/';
    path += *part;
  }
  if (parts.empty() && (flags & FXR_WAIT_PATH_ROOTED) != 0) path = "/";
  return path;
}

std::string EndOf(const char* address, int family, uint32_t port) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (inet_ntop(family, address, text.data(), text.size()) == nullptr) return "";
  if (family == AF_INET6) return fmt::format("[{}]:{}", text.data(), port);
  return fmt::format("{}:{}", text.data(), port);
}

std::string UnixPath(const fxr_wait_long& wait, std::string_view text) {
  if (text.empty()) return fmt::format("socket:[{}]", wait.object);
  if (text[0] == '\0') return "@" + std::string(text.substr(1));
  return std::string(text.substr(0, text.find('\0')));
}

WaitName NameOfSocket(const fxr_wait_long& wait, std::string_view text) {
  const uint32_t family = wait.device & 0xff;
  const uint32_t type = wait.device >> 8 & 0xff;
  const uint32_t protocol = wait.device >> 16;
  if (family == AF_UNIX) return {"unix", UnixPath(wait, text)};
  if (family != AF_INET && family != AF_INET6) {
    const std::string_view kind = family == AF_NETLINK  ? "netlink"
                                  : family == AF_PACKET ? "packet"
                                  : family == AF_VSOCK  ? "vsock"
                                                        : "socket";
    return {kind, fmt::format("socket:[{}]", wait.object)};
  }
  WaitName name;
  name.kind = protocol == IPPROTO_TCP   ? "tcp"
              : protocol == IPPROTO_UDP ? "udp"
              : protocol == kMptcp      ? "mptcp"
              : type == SOCK_RAW        ? "raw"
                                        : "socket";
  const size_t bytes = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (text.size() < 2 * bytes) return name;
  name.object = EndOf(text.data(), static_cast<int>(family), wait.ports >> 16);
  const uint32_t remote = wait.ports & 0xffff;
  if (remote != 0 && (wait.flags & FXR_WAIT_LISTENS) == 0) {
    name.object += " -> " + EndOf(text.data() + bytes, static_cast<int>(family), remote);
  }
  return name;
}

// Names an anonymous inode: "[eventfd]" becomes "eventfd", "[eventpoll]" becomes "epoll".
WaitName NameOfAnonymous(const fxr_wait_long& wait, std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  if (text == "eventpoll") return {"epoll", ""};
  if (text == "eventfd") return {"eventfd", fmt::format("eventfd:{}", wait.object)};
  if (text == "pidfd") return {"pidfd", ""};
  return {text, ""};
}

// True if the futex lies in no named file. Anonymous shared memory has the path "dev/zero".
bool IsAnonymous(const fxr_wait_long& wait, std::string_view path) {
  return (wait.flags & FXR_WAIT_MAPPED) == 0 || path.empty() || path == "dev/zero";
}

// The place of a futex: "/usr/lib/libc.so.6+0x1d2c80" in a mapped file, else its address.
std::string PlaceOf(const fxr_wait_long& wait, std::string_view text) {
  const std::string path = PathOf(text, wait.flags);
  if (IsAnonymous(wait, path)) return fmt::format("{:#x}", wait.object);
  return fmt::format("{}+{:#x}", path, wait.offset);
}

bool IsTerminal(uint32_t device) {
  // include/uapi/linux/major.h: ttys, tty and console, serial lines, pseudo terminals
  const uint32_t major = Major(device);
  return major == 4 || (major == 5 && Minor(device) <= 1) || (major >= 136 && major <= 143);
}

}  // namespace

WaitName NameOfWait(const fxr_wait_long& wait, std::string_view text) {
  const auto file = [&](std::string_view kind) {
    const bool is_lock = (wait.flags & FXR_WAIT_FILE_LOCK) != 0;
    const bool is_fuse = (wait.flags & FXR_WAIT_FUSE) != 0;
    return WaitName{is_lock   ? schema::wait_kind::kFileLock
                    : is_fuse ? std::string_view("fuse")
                              : kind,
                    PathOf(text, wait.flags)};
  };
  switch (wait.kind) {
    case FXR_WAIT_FILE:
      return file(schema::wait_kind::kFile);
    case FXR_WAIT_DIRECTORY:
      return file("directory");
    case FXR_WAIT_CHARACTER:
      return file(IsTerminal(wait.device) ? "terminal" : "device");
    case FXR_WAIT_BLOCK:
      return file("block device");
    case FXR_WAIT_FIFO:
      return file("pipe");
    case FXR_WAIT_PIPE:
      return {"pipe", fmt::format("pipe:[{}]", wait.object)};
    case FXR_WAIT_ANONYMOUS:
      return NameOfAnonymous(wait, text);
    case FXR_WAIT_SOCKET:
      return NameOfSocket(wait, text);
    case FXR_WAIT_FUTEX:
      return {schema::wait_kind::kFutex, PlaceOf(wait, text)};
    case FXR_WAIT_SLEEP:
      return {schema::wait_kind::kSleep, ""};
    case FXR_WAIT_CHILD:
      return {schema::wait_kind::kChild, ""};
    case FXR_WAIT_SIGNAL:
      return {"signal", ""};
    case FXR_WAIT_STOP:
      return {"stop", ""};
    case FXR_WAIT_TRACER:
      return {"tracer", ""};
    case FXR_WAIT_DESCRIPTORS:
      return {"poll", ""};
    case FXR_WAIT_PIDFD:
      return {"pidfd", ""};
    case FXR_WAIT_ADDRESS_SPACE:
      return {schema::wait_kind::kAddressSpace, ""};
    default:
      return {};
  }
}

std::string FileOfFault(const fxr_wait_long& wait, std::string_view text) {
  if ((wait.flags & FXR_WAIT_FAULT) == 0) return "";
  std::string path = PathOf(text, wait.flags);
  return IsAnonymous(wait, path) ? "anonymous" : path;
}

std::string DeviceNumber(const fxr_wait_long& wait) {
  const bool is_fault = (wait.flags & FXR_WAIT_FAULT) != 0;
  switch (is_fault ? fxr_u8{FXR_WAIT_FILE} : wait.kind) {
    case FXR_WAIT_FILE:
    case FXR_WAIT_DIRECTORY:
    case FXR_WAIT_CHARACTER:
    case FXR_WAIT_BLOCK:
    case FXR_WAIT_FIFO:
      return fmt::format("{}:{}", Major(wait.device), Minor(wait.device));
    default:
      return "";
  }
}

std::string_view KindOfFunctions(std::span<const std::string> functions) {
  struct Known {
    std::string_view function;
    std::string_view kind;
  };
  // The innermost known function decides: a page fault may reclaim memory, for example.
  static constexpr Known kKnown[] = {
      {"mem_cgroup_handle_over_high", "memory.high"},
      {"__mem_cgroup_handle_over_high", "memory.high"},
      {"try_to_free_pages", "reclaim"},
      {"try_to_free_mem_cgroup_pages", "reclaim"},
      {"do_try_to_free_pages", "reclaim"},
      // Inner functions of reclaim, for deep stacks whose outer functions are not recorded.
      {"shrink_node", "reclaim"},
      {"shrink_lruvec", "reclaim"},
      {"shrink_folio_list", "reclaim"},
      {"shrink_page_list", "reclaim"},
      {"__alloc_pages_direct_compact", "compaction"},
      {"balance_dirty_pages", "dirty pages"},
      {"do_swap_page", "swap"},
      {"filemap_fault", "page fault"},
      {"handle_mm_fault", "page fault"},
      {"do_user_addr_fault", "page fault"},
      {"exc_page_fault", "page fault"},
      {"do_page_fault", "page fault"},
      {"fuse_simple_request", "fuse"},
      {"__fuse_simple_request", "fuse"},
      {"request_wait_answer", "fuse"},
  };
  for (const std::string& function : functions) {
    const auto* found = std::find_if(std::begin(kKnown), std::end(kKnown), [&](const Known& known) {
      return known.function == function;
    });
    if (found != std::end(kKnown)) return found->kind;
  }
  return "";
}

}  // namespace translate
