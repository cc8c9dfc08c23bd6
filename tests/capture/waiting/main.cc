// SPDX-License-Identifier: BSD-2-Clause
// Waits for things that it knows, and prints for each thread what its waits are for.
//
//   waiting COUNT FOLDER
//
// Output is a line for each kind of wait, with tabs between: the kind, the id of the waiting thread, the system call, the
// kind of the thing, its name, the peer (0: none), the asked time (ns, -1: none), and the number of waits. A name with
// "a..b" is an address in this range. A kind with differing waits has one line for each, in order.
#include <fcntl.h>
#include <netinet/in.h>
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

namespace {

constexpr long kPause = 400'000;  // ns; the other side acts after this time

int count = 0;
std::string folder;

int Tid() { return static_cast<int>(syscall(SYS_gettid)); }

[[noreturn]] void Fail(const char* what) {
  std::perror(what);
  std::exit(1);
}
int Check(int result, const char* what) {
  if (result < 0) Fail(what);
  return result;
}

void Pause(long ns = kPause) {
  timespec time{0, ns};
  while (nanosleep(&time, &time) != 0 && errno == EINTR) {
  }
}

uint64_t Inode(int fd) {
  struct stat info {};
  Check(fstat(fd, &info), "fstat");
  return info.st_ino;
}

void Say(const char* kind, int tid, const char* call, const char* thing, const std::string& name, int peer,
         long long asked, int waits) {
  std::printf("%s\t%d\t%s\t%s\t%s\t%d\t%lld\t%d\n", kind, tid, call, thing, name.c_str(), peer, asked, waits);
}

// Runs `wait` in one thread, and `act` in another after a pause for each of the waits. Both get their number. The ids of
// the threads are returned.
struct Pair {
  int waiter = 0;
  int actor = 0;
};
Pair Run(const std::function<void(int)>& wait, const std::function<void(int)>& act) {
  std::atomic<int> waiter{0};
  std::atomic<int> actor{0};
  std::atomic<int> begun{-1};
  std::thread waiting([&] {
    waiter = Tid();
    for (int i = 0; i < count; ++i) {
      begun = i;
      wait(i);
    }
  });
  std::thread acting([&] {
    actor = Tid();
    for (int i = 0; i < count; ++i) {
      while (begun < i) sched_yield();
      Pause();
      act(i);
    }
  });
  waiting.join();
  acting.join();
  return {waiter, actor};
}

void ReadByte(int fd) {
  char byte;
  if (read(fd, &byte, 1) != 1) Fail("read");
}
void WriteByte(int fd) {
  if (write(fd, "x", 1) != 1) Fail("write");
}

std::string Address(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN];
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
  return std::string(text) + ":" + std::to_string(ntohs(address.sin_port));
}
std::string Ends(int fd) {
  sockaddr_in local{};
  sockaddr_in remote{};
  socklen_t size = sizeof(local);
  Check(getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size), "getsockname");
  size = sizeof(remote);
  Check(getpeername(fd, reinterpret_cast<sockaddr*>(&remote), &size), "getpeername");
  return Address(local) + " -> " + Address(remote);
}
sockaddr_in Loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void Connect(int type, int ends[2]) {
  sockaddr_in address = Loopback();
  socklen_t size = sizeof(address);
  auto* const named = reinterpret_cast<sockaddr*>(&address);
  const int first = Check(socket(AF_INET, type, 0), "socket");
  Check(bind(first, named, size), "bind");
  Check(getsockname(first, named, &size), "getsockname");
  ends[0] = Check(socket(AF_INET, type, 0), "socket");
  if (type == SOCK_STREAM) Check(listen(first, 1), "listen");
  Check(connect(ends[0], named, size), "connect");
  if (type == SOCK_STREAM) {
    ends[1] = Check(accept(first, nullptr, nullptr), "accept");
    close(first);
  } else {
    Check(getsockname(ends[0], named, &size), "getsockname");
    Check(connect(first, named, size), "connect");
    ends[1] = first;
  }
}

void Pipes() {
  int ends[2];
  Check(pipe(ends), "pipe");
  const std::string name = "pipe:[" + std::to_string(Inode(ends[0])) + "]";
  Pair pair = Run([&](int) { ReadByte(ends[0]); }, [&](int) { WriteByte(ends[1]); });
  Say("pipe", pair.waiter, "read", "pipe", name, pair.actor, -1, count);

  const std::string path = folder + "/fifo";
  Check(mkfifo(path.c_str(), 0600), "mkfifo");
  const int both = Check(open(path.c_str(), O_RDWR), "open");
  const int in = Check(open(path.c_str(), O_RDONLY), "open");
  pair = Run([&](int) { ReadByte(in); }, [&](int) { WriteByte(both); });
  Say("fifo", pair.waiter, "read", "pipe", path, pair.actor, -1, count);
}

void Sockets() {
  int ends[2];
  Check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), "socketpair");
  Pair pair = Run([&](int) { ReadByte(ends[0]); }, [&](int) { WriteByte(ends[1]); });
  Say("unix pair", pair.waiter, "read", "unix", "socket:[" + std::to_string(Inode(ends[0])) + "]", pair.actor, -1, count);

  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder + "/socket";
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int server = Check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  Check(bind(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)), "bind");
  Check(listen(server, 1), "listen");
  const int client = Check(socket(AF_UNIX, SOCK_STREAM, 0), "socket");
  Check(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof(address)), "connect");
  const int accepted = Check(accept(server, nullptr, nullptr), "accept");
  pair = Run([&](int) { ReadByte(client); }, [&](int) { WriteByte(accepted); });
  Say("unix path", pair.waiter, "read", "unix", path, pair.actor, -1, count);

  for (const int type : {SOCK_STREAM, SOCK_DGRAM}) {
    Connect(type, ends);
    // Each side waits for the other: the peer of a wait is the one that was last seen to wait there.
    const auto receive = [](int fd) {
      char byte;
      if (recv(fd, &byte, 1, 0) != 1) Fail("recv");
    };
    const auto send_byte = [](int fd) {
      if (send(fd, "x", 1, 0) != 1) Fail("send");
    };
    pair = Run([&](int) { receive(ends[0]); Pause(); send_byte(ends[0]); },
               [&](int) { send_byte(ends[1]); receive(ends[1]); });
    const char* const name = type == SOCK_STREAM ? "tcp" : "udp";
    Say(name, pair.waiter, "recvfrom", name, Ends(ends[0]), pair.actor, -1, count);
  }
}

void Anonymous() {
  const int event = Check(eventfd(0, 0), "eventfd");
  std::string id = "?";
  const std::string info = "/proc/self/fdinfo/" + std::to_string(event);
  if (FILE* file = std::fopen(info.c_str(), "r")) {
    char line[128];
    while (std::fgets(line, sizeof(line), file) != nullptr) {
      if (std::strncmp(line, "eventfd-id:", 11) == 0) id = std::to_string(std::atoi(line + 11));
    }
    std::fclose(file);
  }
  uint64_t value = 0;
  const Pair pair = Run([&](int) { if (read(event, &value, 8) != 8) Fail("read"); },
                        [&](int) { const uint64_t one = 1; if (write(event, &one, 8) != 8) Fail("write"); });
  Say("eventfd", pair.waiter, "read", "eventfd", "eventfd:" + id, pair.actor, -1, count);

  std::thread([&] {
    const int timer = Check(timerfd_create(CLOCK_MONOTONIC, 0), "timerfd_create");
    for (int i = 0; i < count; ++i) {
      itimerspec time{};
      time.it_value.tv_nsec = kPause;
      Check(timerfd_settime(timer, 0, &time, nullptr), "timerfd_settime");
      if (read(timer, &value, 8) != 8) Fail("read");
    }
    Say("timerfd", Tid(), "read", "timerfd", "", 0, -1, count);
  }).join();
}

// Waits for several descriptors of which one becomes ready.
void Multiplexers() {
  struct Source {
    const char* kind;
    const char* thing;
    int in;
    int out;
    std::string name;
  };
  int pipe_ends[2];
  int tcp_ends[2];
  Check(pipe(pipe_ends), "pipe");
  Connect(SOCK_STREAM, tcp_ends);
  const Source sources[] = {
      {"pipe", "pipe", pipe_ends[0], pipe_ends[1], "pipe:[" + std::to_string(Inode(pipe_ends[0])) + "]"},
      {"tcp", "tcp", tcp_ends[0], tcp_ends[1], Ends(tcp_ends[0])}};
  const int other = Check(eventfd(0, 0), "eventfd");
  for (const Source& source : sources) {
    const bool has_peer = std::strcmp(source.kind, "pipe") == 0;
    const int poller = Check(epoll_create1(0), "epoll_create1");
    for (const int fd : {other, pipe_ends[0], tcp_ends[0]}) {
      epoll_event event{};
      event.events = EPOLLIN;
      Check(epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
    }
    const auto act = [&](int) { WriteByte(source.out); };
    Pair pair = Run(
        [&](int) {
          epoll_event event{};
          Check(epoll_wait(poller, &event, 1, 5000), "epoll_wait");
          ReadByte(source.in);
        },
        act);
    Say((std::string("epoll ") + source.kind).c_str(), pair.waiter, "epoll_wait", source.thing, source.name,
        has_peer ? pair.actor : 0, 5'000'000'000, count);
    close(poller);
    pair = Run(
        [&](int) {
          pollfd fds[] = {{other, POLLIN, 0}, {pipe_ends[0], POLLIN, 0}, {tcp_ends[0], POLLIN, 0}};
          Check(poll(fds, 3, 7000), "poll");
          ReadByte(source.in);
        },
        act);
    Say((std::string("poll ") + source.kind).c_str(), pair.waiter, "poll", source.thing, source.name,
        has_peer ? pair.actor : 0, 7'000'000'000, count);
    pair = Run(
        [&](int) {
          fd_set set;
          FD_ZERO(&set);
          for (const int fd : {other, pipe_ends[0], tcp_ends[0]}) FD_SET(fd, &set);
          Check(select(64, &set, nullptr, nullptr, nullptr), "select");
          ReadByte(source.in);
        },
        act);
    // glibc's select() is pselect6().
    Say((std::string("select ") + source.kind).c_str(), pair.waiter, "pselect6", source.thing, source.name,
        has_peer ? pair.actor : 0, -1, count);
  }
}

std::string Hex(const void* from) {
  char text[32];
  std::snprintf(text, sizeof(text), "0x%lx", reinterpret_cast<unsigned long>(from));
  return text;
}

void Locks() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  std::atomic<int> held{-1};
  std::atomic<int> passed{-1};
  std::atomic<int> waiter{0};
  std::atomic<int> owner{0};
  std::thread owns([&] {
    owner = Tid();
    for (int i = 0; i < count; ++i) {
      pthread_mutex_lock(&mutex);
      held = i;
      Pause();
      pthread_mutex_unlock(&mutex);
      while (passed < i) sched_yield();
    }
  });
  std::thread waits([&] {
    waiter = Tid();
    for (int i = 0; i < count; ++i) {
      while (held < i) sched_yield();
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
      passed = i;
    }
  });
  owns.join();
  waits.join();
  Say("mutex", waiter, "futex", "futex", Hex(&mutex), owner, -1, count);

  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  bool ready = false;
  const Pair pair = Run(
      [&](int) {
        pthread_mutex_lock(&mutex);
        while (!ready) pthread_cond_wait(&condition, &mutex);
        ready = false;
        pthread_mutex_unlock(&mutex);
      },
      [&](int) {
        pthread_mutex_lock(&mutex);
        ready = true;
        pthread_mutex_unlock(&mutex);
        // Without the mutex, so that the waiter does not wait for that one too.
        pthread_cond_signal(&condition);
      });
  Say("condition", pair.waiter, "futex", "futex", Hex(&condition) + ".." + Hex(&condition + 1), 0, -1, count);
}

void Sleeps() {
  std::thread([&] {
    for (int i = 0; i < count; ++i) {
      const long asked = 150'000 + (i * 7919L) % 900'000;
      Pause(asked);
      Say("sleep", Tid(), "clock_nanosleep", "sleep", "", 0, asked, 1);
    }
  }).join();
  std::thread([&] {
    for (int i = 0; i < count; ++i) Check(poll(nullptr, 0, 1 + i % 2), "poll");
    for (int i = 0; i < count; ++i) Say("poll sleep", Tid(), "poll", "sleep", "", 0, 1'000'000 + i % 2 * 1'000'000, 1);
  }).join();
}

void Children() {
  std::thread([&] {
    for (int i = 0; i < count; ++i) {
      const pid_t child = Check(fork(), "fork");
      if (child == 0) {
        Pause();
        _exit(0);
      }
      Check(waitpid(i % 2 == 0 ? child : -1, nullptr, 0), "waitpid");
      Say("child", Tid(), "wait4", "child", "", child, -1, 1);
    }
  }).join();
}

// A process of its own holds the lock.
void FileLocks() {
  for (const bool is_flock : {true, false}) {
    const std::string path = folder + (is_flock ? "/flock" : "/fcntl");
    Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
    int go[2];
    int gone[2];
    Check(pipe(go), "pipe");
    Check(pipe(gone), "pipe");
    const auto lock = [&](int fd, bool on) {
      if (is_flock) return flock(fd, on ? LOCK_EX : LOCK_UN);
      struct flock range {};
      range.l_type = static_cast<short>(on ? F_WRLCK : F_UNLCK);
      range.l_whence = SEEK_SET;
      range.l_start = 100;
      range.l_len = 50;
      return fcntl(fd, F_SETLKW, &range);
    };
    std::fflush(stdout);
    const pid_t holder = Check(fork(), "fork");
    if (holder == 0) {
      const int fd = Check(open(path.c_str(), O_RDWR), "open");
      for (int i = 0; i < count; ++i) {
        ReadByte(go[0]);
        Check(lock(fd, true), "lock");
        WriteByte(gone[1]);
        Pause();
        Check(lock(fd, false), "unlock");
      }
      _exit(0);
    }
    std::thread([&] {
      const int fd = Check(open(path.c_str(), O_RDWR), "open");
      for (int i = 0; i < count; ++i) {
        WriteByte(go[1]);
        ReadByte(gone[0]);
        Check(lock(fd, true), "lock");
        Check(lock(fd, false), "unlock");
      }
      Say(is_flock ? "flock" : "fcntl", Tid(), is_flock ? "flock" : "fcntl", "file lock", path, holder, -1, count);
    }).join();
    Check(waitpid(holder, nullptr, 0), "waitpid");
  }
}

void Stops() {
  std::fflush(stdout);
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    for (;;) pause();
  }
  for (int i = 0; i < count; ++i) {
    Check(kill(child, SIGSTOP), "kill");
    int status = 0;
    Check(waitpid(child, &status, WUNTRACED), "waitpid");
    Pause();
    Check(kill(child, SIGCONT), "kill");
    Check(waitpid(child, &status, WCONTINUED), "waitpid");
  }
  kill(child, SIGKILL);
  Check(waitpid(child, nullptr, 0), "waitpid");
  Say("stop", child, "pause", "stop", "", Tid(), -1, count);
}

// A debugger lets a traced process go on after each signal.
void Tracers() {
  std::fflush(stdout);
  const pid_t child = Check(fork(), "fork");
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) Fail("ptrace");
    for (;;) raise(SIGUSR1);
  }
  for (int i = 0; i < count; ++i) {
    int status = 0;
    Check(waitpid(child, &status, 0), "waitpid");
    Pause();
    if (ptrace(PTRACE_CONT, child, nullptr, nullptr) != 0) Fail("ptrace");
  }
  kill(child, SIGKILL);
  Check(waitpid(child, nullptr, 0), "waitpid");
  Say("tracer", child, "tgkill", "tracer", "", Tid(), -1, count);
}

void Files() {
  std::thread([&] {
    const std::string path = folder + "/written";
    const std::string block(128 << 10, 'x');
    const int fd = Check(open(path.c_str(), O_CREAT | O_RDWR, 0600), "open");
    int synced = 0;
    for (; synced < count; ++synced) {
      if (pwrite(fd, block.data(), block.size(), 0) < 0) Fail("pwrite");
      Check(fsync(fd), "fsync");
    }
    Say("fsync", Tid(), "fsync", "file", path, 0, -1, synced);
  }).join();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 || (count = std::atoi(argv[1])) <= 0) {
    std::fprintf(stderr, "usage: waiting COUNT FOLDER\n");
    return 2;
  }
  folder = argv[2];
  Pipes();
  Sockets();
  Anonymous();
  Multiplexers();
  Locks();
  Sleeps();
  Children();
  FileLocks();
  Stops();
  Tracers();
  Files();
  return 0;
}
