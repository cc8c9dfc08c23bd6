// SPDX-License-Identifier: BSD-2-Clause
// Pipes, sockets and anonymous inodes: calls that wait for one descriptor, and for one of several.
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "truth.h"

namespace truth {
namespace {

std::string PipeName(int fd) { return "pipe:[" + std::to_string(Inode(fd)) + "]"; }
std::string SocketName(int fd) { return "socket:[" + std::to_string(Inode(fd)) + "]"; }

std::string EventName(int event) {
  std::string id = "?";
  const std::string info = "/proc/self/fdinfo/" + std::to_string(event);
  if (FILE* file = std::fopen(info.c_str(), "r")) {
    char line[128];
    while (std::fgets(line, sizeof(line), file) != nullptr) {
      if (std::strncmp(line, "eventfd-id:", 11) == 0) id = std::to_string(std::atoi(line + 11));
    }
    std::fclose(file);
  }
  return id == "?" ? "?" : "eventfd:" + id;
}

void Pipes() {
  int ends[2];
  Check(pipe(ends), "pipe");
  Pair pair = Run([&](int) { ReadByte(ends[0]); }, [&](int) { WriteByte(ends[1]); });
  pair.waits.Print("pipe read", {"read", "pipe", PipeName(ends[0]), pair.peer(), ""});

  // A full pipe: its reader makes room.
  const int size = Check(fcntl(ends[1], F_SETPIPE_SZ, 4096), "F_SETPIPE_SZ");
  std::vector<char> block(static_cast<size_t>(size), 'x');
  if (write(ends[1], block.data(), block.size()) != size) Fail("write");
  pair = Run(
      [&](int) {
        if (write(ends[1], block.data(), block.size()) != size) Fail("write");
      },
      [&](int) {
        if (read(ends[0], block.data(), block.size()) != size) Fail("read");
      });
  pair.waits.Print("pipe write", {"write", "pipe", PipeName(ends[1]), pair.peer(), ""});

  const std::string path = folder + "/fifo";
  Check(mkfifo(path.c_str(), 0600), "mkfifo");
  const int both = Check(open(path.c_str(), O_RDWR), "open");
  const int in = Check(open(path.c_str(), O_RDONLY), "open");
  pair = Run([&](int) { ReadByte(in); }, [&](int) { WriteByte(both); });
  pair.waits.Print("fifo read", {"read", "pipe", path, pair.peer(), ""});
}

void UnixSockets() {
  int ends[2];
  for (const int type : {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET}) {
    Check(socketpair(AF_UNIX, type, 0, ends), "socketpair");
    const Pair pair = Run([&](int) { ReadByte(ends[0]); }, [&](int) { WriteByte(ends[1]); });
    const char* const name = type == SOCK_STREAM  ? "unix stream"
                             : type == SOCK_DGRAM ? "unix datagram"
                                                  : "unix seqpacket";
    pair.waits.Print(name, {"read", "unix", SocketName(ends[0]), pair.peer(), ""});
  }
  for (const bool is_abstract : {false, true}) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path =
        is_abstract ? "@waiting" + std::to_string(getpid()) : folder + "/socket";
    std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
    if (is_abstract) address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() +
                                             (is_abstract ? 0 : 1));
    auto* const named = reinterpret_cast<sockaddr*>(&address);
    const int server = Check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
    Check(bind(server, named, size), "bind");
    Check(listen(server, 8), "listen");
    const int client = Check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
    Check(connect(client, named, size), "connect");
    const int accepted = Check(accept(server, nullptr, nullptr), "accept");
    Pair pair = Run([&](int) { ReadByte(client); }, [&](int) { WriteByte(accepted); });
    pair.waits.Print(is_abstract ? "unix abstract" : "unix path",
                     {"read", "unix", path, pair.peer(), ""});
    if (is_abstract) continue;
    // The thread that connects.
    pair = Run([&](int) { close(Check(accept(server, nullptr, nullptr), "accept")); },
               [&](int) {
                 const int fd = Check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
                 Check(connect(fd, named, size), "connect");
                 close(fd);
               });
    pair.waits.Print("unix accept", {"accept", "unix", path, "?", ""});
  }
}

void Internet() {
  struct Kind {
    const char* name;
    int family;
    int type;
  };
  for (const Kind& kind :
       {Kind{"tcp", AF_INET, SOCK_STREAM}, Kind{"udp", AF_INET, SOCK_DGRAM},
        Kind{"tcp6", AF_INET6, SOCK_STREAM}, Kind{"udp6", AF_INET6, SOCK_DGRAM}}) {
    const int probe = socket(kind.family, kind.type, 0);
    if (probe < 0) {
      Skip(kind.name, "no such sockets here");
      continue;
    }
    close(probe);
    int ends[2];
    Connect(kind.family, kind.type, ends);
    // Each side waits for the other: the peer of a wait is the one that was last seen to wait
    // there.
    const auto receive = [](int fd) {
      char byte;
      if (recv(fd, &byte, 1, 0) != 1) Fail("recv");
    };
    const auto send_byte = [](int fd) {
      if (send(fd, "x", 1, 0) != 1) Fail("send");
    };
    std::atomic<int> waiter{0};
    std::atomic<int> actor{0};
    std::thread other([&] {
      actor = Tid();
      for (int i = 0; i < count; ++i) {
        receive(ends[1]);
        AwaitSleep(waiter);
        send_byte(ends[1]);
      }
    });
    std::thread([&] {
      Waits waits;
      waiter = Tid();
      for (int i = 0; i < count; ++i) {
        AwaitSleep(actor);
        send_byte(ends[0]);
        waits.Add([&] { receive(ends[0]); });
      }
      waits.Print(kind.name, {"recvfrom", kind.type == SOCK_STREAM ? "tcp" : "udp", Ends(ends[0]),
                              std::to_string(actor), ""});
    }).join();
    other.join();
    if (kind.type != SOCK_STREAM) continue;

    // A sender whose receiver does not read.
    const int bytes = 1 << 16;
    Check(setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes)), "SO_SNDBUF");
    Check(setsockopt(ends[1], SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)), "SO_RCVBUF");
    std::vector<char> block(1 << 18);
    const Pair pair = Run(
        [&](int) {
          size_t sent = 0;
          while (sent < block.size()) {
            sent += static_cast<size_t>(
                Check(send(ends[0], block.data() + sent, block.size() - sent, 0), "send"));
          }
        },
        [&](int) {
          size_t left = block.size();
          std::vector<char> into(left);
          while (left != 0)
            left -= static_cast<size_t>(Check(recv(ends[1], into.data(), left, 0), "recv"));
        });
    pair.waits.Print(std::string(kind.name) + " send", {"sendto", "tcp", Ends(ends[0]), "?", ""});
  }

  const int listener = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
  Check(listen(listener, 8), "listen");
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  Check(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), "getsockname");
  const Pair pair =
      Run([&](int) { close(Check(accept(listener, nullptr, nullptr), "accept")); },
          [&](int) {
            const int fd = Check(socket(AF_INET, SOCK_STREAM, 0), "socket");
            Check(connect(fd, reinterpret_cast<sockaddr*>(&address), size), "connect");
            close(fd);
          });
  pair.waits.Print("tcp accept", {"accept", "tcp", LocalEnd(listener), "", ""});
}

void EventFiles() {
  const int event = Check(eventfd(0, 0), "eventfd");
  uint64_t value = 0;
  const auto read_value = [&](int fd) {
    if (read(fd, &value, 8) != 8) Fail("read");
  };
  Pair pair = Run([&](int) { read_value(event); },
                  [&](int) {
                    const uint64_t one = 1;
                    if (write(event, &one, 8) != 8) Fail("write");
                  });
  pair.waits.Print("eventfd", {"read", "eventfd", EventName(event), pair.peer(), ""});

  std::thread([&] {
    const int timer = Check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
    Waits waits;
    for (int i = 0; i < count; ++i) {
      itimerspec time{};
      time.it_value.tv_nsec = kPause;
      Check(timerfd_settime(timer, 0, &time, nullptr), "timerfd_settime");
      waits.Add([&] { read_value(timer); });
    }
    waits.Print("timerfd", {"read", "timerfd", "", "", ""});
  }).join();

  const int watch = Check(inotify_init1(0), "inotify_init1");
  const std::string watched = folder + "/watched";
  const int file = Check(open(watched.c_str(), O_CREAT | O_RDWR, 0600), "open");
  Check(inotify_add_watch(watch, watched.c_str(), IN_MODIFY), "inotify_add_watch");
  char events[4096];
  pair = Run([&](int) { Check(read(watch, events, sizeof(events)), "read"); },
             [&](int) { WriteByte(file); });
  pair.waits.Print("inotify", {"read", "inotify", "", "?", ""});

  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int signals = Check(signalfd(-1, &set, 0), "signalfd");
  pair = Run([&](int) { Check(read(signals, events, sizeof(events)), "read"); },
             [&](int) { Check(kill(getpid(), SIGUSR1), "kill"); });
  pair.waits.Print("signalfd", {"read", "signalfd", "", "?", ""});
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

// A ring whose requests poll a pipe.
void Ring() {
  io_uring_params parameters{};
  const auto ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &parameters));
  if (ring < 0) {
    Skip("io_uring", std::string("io_uring_setup: ") + std::strerror(errno));
    return;
  }
  const auto map = [&](size_t bytes, off_t at) {
    void* const found =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, at);
    if (found == MAP_FAILED) Fail("mmap");
    return static_cast<char*>(found);
  };
  char* const requests =
      map(parameters.sq_off.array + parameters.sq_entries * 4, IORING_OFF_SQ_RING);
  char* const answers = map(parameters.cq_off.cqes + parameters.cq_entries * sizeof(io_uring_cqe),
                            IORING_OFF_CQ_RING);
  auto* const entries = reinterpret_cast<io_uring_sqe*>(
      map(parameters.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  int ends[2];
  Check(pipe(ends), "pipe");
  const Pair pair = Run(
      [&](int) {
        auto* const tail = reinterpret_cast<unsigned*>(requests + parameters.sq_off.tail);
        const unsigned slot =
            *tail & *reinterpret_cast<unsigned*>(requests + parameters.sq_off.ring_mask);
        entries[slot] = {};
        entries[slot].opcode = IORING_OP_POLL_ADD;
        entries[slot].fd = ends[0];
        entries[slot].poll_events = POLLIN;
        reinterpret_cast<unsigned*>(requests + parameters.sq_off.array)[slot] = slot;
        __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
        Check(syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0),
              "io_uring_enter");
        auto* const head = reinterpret_cast<unsigned*>(answers + parameters.cq_off.head);
        __atomic_store_n(
            head,
            __atomic_load_n(reinterpret_cast<unsigned*>(answers + parameters.cq_off.tail),
                            __ATOMIC_ACQUIRE),
            __ATOMIC_RELEASE);
        ReadByte(ends[0]);
      },
      [&](int) { WriteByte(ends[1]); });
  pair.waits.Print("io_uring", {"io_uring_enter", "io_uring", "", "?", "?"});
}

}  // namespace

void Descriptors() {
  Pipes();
  UnixSockets();
  Internet();
  EventFiles();
  Ring();
}

// Waits for several descriptors of which one becomes ready.
void Multiplexers() {
  struct Source {
    const char* thing;
    int in;
    std::function<void()> raise;
    std::function<void()> take;
    std::string name;
    bool has_peer;
  };
  int pipe_ends[2];
  int tcp_ends[2];
  int udp_ends[2];
  int unix_ends[2];
  Check(pipe(pipe_ends), "pipe");
  Connect(AF_INET, SOCK_STREAM, tcp_ends);
  Connect(AF_INET, SOCK_DGRAM, udp_ends);
  Check(socketpair(AF_UNIX, SOCK_STREAM, 0, unix_ends), "socketpair");
  const int event = Check(eventfd(0, 0), "eventfd");
  const int timer = Check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
  uint64_t value = 0;
  const auto take_value = [&](int fd) {
    if (read(fd, &value, 8) != 8) Fail("read");
  };
  const std::vector<Source> sources = {
      {"pipe", pipe_ends[0], [&] { WriteByte(pipe_ends[1]); }, [&] { ReadByte(pipe_ends[0]); },
       PipeName(pipe_ends[0]), true},
      {"tcp", tcp_ends[0], [&] { WriteByte(tcp_ends[1]); }, [&] { ReadByte(tcp_ends[0]); },
       Ends(tcp_ends[0]), false},
      {"udp", udp_ends[0], [&] { WriteByte(udp_ends[1]); }, [&] { ReadByte(udp_ends[0]); },
       Ends(udp_ends[0]), false},
      {"unix", unix_ends[0], [&] { WriteByte(unix_ends[1]); }, [&] { ReadByte(unix_ends[0]); },
       SocketName(unix_ends[0]), true},
      {"eventfd", event,
       [&] {
         const uint64_t one = 1;
         if (write(event, &one, 8) != 8) Fail("write");
       },
       [&] { take_value(event); }, EventName(event), true},
      {"timerfd", timer,
       [&] {
         itimerspec time{};
         time.it_value.tv_nsec = kPause;
         Check(timerfd_settime(timer, 0, &time, nullptr), "timerfd_settime");
       },
       [&] { take_value(timer); }, "", false}};
  for (const Source& source : sources) {
    const int poller = Check(epoll_create1(0), "epoll_create1");
    for (const Source& each : sources) {
      epoll_event one{};
      one.events = EPOLLIN;
      Check(epoll_ctl(poller, EPOLL_CTL_ADD, each.in, &one), "epoll_ctl");
    }
    const auto print = [&](const Pair& pair, const char* way, const char* call, const char* asked) {
      pair.waits.Print(
          std::string(way) + " " + source.thing,
          {call, source.thing, source.name, source.has_peer ? pair.peer() : "", asked});
    };
    const auto act = [&](int) { source.raise(); };
    print(Run(
              [&](int) {
                epoll_event one{};
                Check(epoll_wait(poller, &one, 1, 5000), "epoll_wait");
                source.take();
              },
              act),
          "epoll", "epoll_wait", "5000000000");
    close(poller);
    print(Run(
              [&](int) {
                std::vector<pollfd> fds;
                for (const Source& each : sources) fds.push_back({each.in, POLLIN, 0});
                Check(poll(fds.data(), fds.size(), 7000), "poll");
                source.take();
              },
              act),
          "poll", "poll", "7000000000");
    print(Run(
              [&](int) {
                fd_set set;
                FD_ZERO(&set);
                for (const Source& each : sources) FD_SET(each.in, &set);
                Check(select(64, &set, nullptr, nullptr, nullptr), "select");
                source.take();
              },
              act),
          // glibc's select() is pselect6().
          "select", "pselect6", "");
  }
}

}  // namespace truth
