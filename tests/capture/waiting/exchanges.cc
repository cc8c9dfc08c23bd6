// SPDX-License-Identifier: BSD-2-Clause
// A client and a server that answer each other over sockets. A line for each wakeup that one of
// them owes the other, with tabs between: "wakeup", the kind, the id of the receiver, that of the
// sender, when it was sent, when it was received.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "truth.h"

namespace truth {
namespace {

struct Side {
  std::atomic<int> tid{0};
  std::vector<uint64_t> sent;
  std::vector<uint64_t> received;
};

// `rests`: so that the other side falls asleep.
void Serve(int fd, Side& side, bool rests) {
  char text[8];
  side.tid = Tid();
  for (int i = 0; i < count; ++i) {
    Check(recv(fd, text, sizeof(text), 0), "recv");
    side.received.push_back(Now());
    if (rests) Rest();
    side.sent.push_back(Now());
    Check(send(fd, "answered", 8, 0), "send");
  }
}

void Ask(int fd, Side& side, bool rests) {
  char text[8];
  side.tid = Tid();
  for (int i = 0; i < count; ++i) {
    if (rests) Rest();
    side.sent.push_back(Now());
    Check(send(fd, "question", 8, 0), "send");
    Check(recv(fd, text, sizeof(text), 0), "recv");
    side.received.push_back(Now());
  }
}

void Print(const char* kind, const Side& receiver, const Side& sender) {
  for (size_t i = 0; i < receiver.received.size(); ++i) {
    std::printf("wakeup\t%s\t%d\t%d\t%llu\t%llu\n", kind, receiver.tid.load(), sender.tid.load(),
                static_cast<unsigned long long>(sender.sent[i]),
                static_cast<unsigned long long>(receiver.received[i]));
  }
}

void Exchange(const char* kind, int client_fd, int server_fd, bool rests = false) {
  const int on = 1;
  for (const int fd : {client_fd, server_fd})
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  Side client;
  Side server;
  std::thread serves([&] { Serve(server_fd, server, rests); });
  std::thread asks([&] { Ask(client_fd, client, rests); });
  serves.join();
  asks.join();
  Print(kind, server, client);
  Print(kind, client, server);
  std::fflush(stdout);
}

// A message to the kernel about links.
class LinkMessage {
 public:
  LinkMessage() {
    auto* const header = reinterpret_cast<nlmsghdr*>(bytes_.data());
    header->nlmsg_type = RTM_NEWLINK;
    header->nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK;
    size_ = NLMSG_LENGTH(sizeof(ifinfomsg));
  }
  size_t Begin(unsigned short type, size_t fixed_bytes = 0) {
    const size_t at = size_;
    reinterpret_cast<rtattr*>(&bytes_[at])->rta_type = type;
    size_ += RTA_LENGTH(0) + fixed_bytes;
    return at;
  }
  void End(size_t at) {
    reinterpret_cast<rtattr*>(&bytes_[at])->rta_len = static_cast<unsigned short>(size_ - at);
    size_ = RTA_ALIGN(size_);
  }
  void Add(unsigned short type, std::string_view data) {
    const size_t at = Begin(type);
    std::memcpy(&bytes_[size_], data.data(), data.size());
    size_ += data.size();
    End(at);
  }
  // Returns 0 or an errno.
  int Send() {
    const int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
    reinterpret_cast<nlmsghdr*>(bytes_.data())->nlmsg_len = static_cast<unsigned>(size_);
    alignas(nlmsghdr) std::array<char, 4096> answer{};
    const bool done = fd >= 0 && send(fd, bytes_.data(), size_, 0) >= 0 &&
                      recv(fd, answer.data(), answer.size(), 0) > 0;
    const int error = done ? -reinterpret_cast<nlmsgerr*>(&answer[NLMSG_HDRLEN])->error : errno;
    close(fd);
    return error;
  }

 private:
  alignas(nlmsghdr) std::array<char, 1024> bytes_{};
  size_t size_ = 0;
};

// Sets address and state of a device in the network namespace of this thread.
void BringUp(const char* name, const char* address) {
  const int fd = Check(socket(AF_INET, SOCK_DGRAM, 0), "socket");
  ifreq request{};
  std::strncpy(request.ifr_name, name, IFNAMSIZ - 1);
  auto* const to = reinterpret_cast<sockaddr_in*>(&request.ifr_addr);
  to->sin_family = AF_INET;
  inet_pton(AF_INET, address, &to->sin_addr);
  Check(ioctl(fd, SIOCSIFADDR, &request), "SIOCSIFADDR");
  inet_pton(AF_INET, "255.255.255.0", &to->sin_addr);
  Check(ioctl(fd, SIOCSIFNETMASK, &request), "SIOCSIFNETMASK");
  Check(ioctl(fd, SIOCGIFFLAGS, &request), "SIOCGIFFLAGS");
  request.ifr_flags |= IFF_UP;
  Check(ioctl(fd, SIOCSIFFLAGS, &request), "SIOCSIFFLAGS");
  close(fd);
}

// A pair of devices, each in a network namespace of its own. Sets two connected sockets, or says
// why not.
std::string ConnectNamespaces(int ends[2]) {
  constexpr const char* kServer = "10.99.0.2";
  std::string why;
  std::thread([&] {
    if (unshare(CLONE_NEWNET) != 0) {
      why = std::string("unshare: ") + std::strerror(errno);
      return;
    }
    std::atomic<int> space{-1};
    std::atomic<bool> is_made{false};
    int listener = -1;
    std::thread server([&] {
      Check(unshare(CLONE_NEWNET), "unshare");
      space = Check(
          open(("/proc/self/task/" + std::to_string(Tid()) + "/ns/net").c_str(), O_RDONLY), "open");
      while (!is_made) Rest();
      if (!why.empty()) return;
      BringUp("fxr1", kServer);
      listener = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
      Check(listen(listener, 1), "listen");
    });
    while (space < 0) Rest();
    LinkMessage message;
    message.Add(IFLA_IFNAME, "fxr0");
    const size_t info = message.Begin(IFLA_LINKINFO);
    message.Add(IFLA_INFO_KIND, "veth");
    const size_t data = message.Begin(IFLA_INFO_DATA);
    const size_t peer = message.Begin(VETH_INFO_PEER, sizeof(ifinfomsg));
    message.Add(IFLA_IFNAME, "fxr1");
    const int number = space;
    message.Add(IFLA_NET_NS_FD, {reinterpret_cast<const char*>(&number), sizeof(number)});
    message.End(peer);
    message.End(data);
    message.End(info);
    if (const int error = message.Send(); error != 0)
      why = std::string("no veth: ") + std::strerror(error);
    if (why.empty()) BringUp("fxr0", "10.99.0.1");
    is_made = true;
    server.join();
    if (!why.empty()) return;
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    Check(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
    inet_pton(AF_INET, kServer, &address.sin_addr);
    ends[0] = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
    Check(connect(ends[0], reinterpret_cast<sockaddr*>(&address), size), "connect over veth");
    ends[1] = Check(accept(listener, nullptr, nullptr), "accept");
  }).join();
  return why;
}

}  // namespace

void Exchanges() {
  int ends[2];
  Connect(AF_INET, SOCK_STREAM, ends);
  Exchange("tcp", ends[0], ends[1]);
  Connect(AF_INET, SOCK_DGRAM, ends);
  Exchange("udp", ends[0], ends[1]);
  Check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
  Exchange("unix", ends[0], ends[1], true);
  if (const std::string why = ConnectNamespaces(ends); !why.empty()) {
    Skip("veth", why);
  } else {
    Exchange("veth", ends[0], ends[1]);
  }
}

}  // namespace truth
