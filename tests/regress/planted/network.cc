// SPDX-License-Identifier: BSD-2-Clause
// Sockets, pipes and descriptors.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// Opens a listening socket at a free port of the loopback interface. Returns -1 on failure.
int Listen(sockaddr_in* address) {
  const int socket_number = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  *address = {};
  address->sin_family = AF_INET;
  address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof *address;
  auto* const plain = reinterpret_cast<sockaddr*>(address);
  if (socket_number < 0 || bind(socket_number, plain, size) != 0 ||
      getsockname(socket_number, plain, &size) != 0 || listen(socket_number, 64) != 0) {
    perror("planted: socket");
    return -1;
  }
  return socket_number;
}

// Sends one byte and waits for one. Returns false if the peer closed the connection.
bool Exchange(int connection, char request) {
  return send(connection, &request, 1, MSG_NOSIGNAL) == 1 && recv(connection, &request, 1, 0) == 1;
}

int Connect(const sockaddr_in& address) {
  const int connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return connection;
  }
  close(connection);
  return -1;
}

// Connects two sockets over the loopback interface.
bool ConnectPair(int ends[2]) {
  sockaddr_in address;
  const int listener = Listen(&address);
  ends[0] = listener < 0 ? -1 : Connect(address);
  ends[1] = ends[0] < 0 ? -1 : accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  close(listener);
  return ends[1] >= 0;
}

bool Read(int socket, char* bytes, size_t count) {
  for (size_t got = 0; got < count;) {
    const ssize_t now = read(socket, bytes + got, count - got);
    if (now <= 0) return false;
    got += static_cast<size_t>(now);
  }
  return true;
}

int DelayedSegments(const Options& options) {
  int ends[2];
  if (!ConnectPair(ends)) {
    perror("planted: loopback connection");
    return 1;
  }
  // A request is written in two parts. Without TCP_NODELAY the second part waits for the
  // acknowledgement of the first, which the peer sends with its answer or after 40 ms.
  const int no_delay = options.slow ? 0 : 1;
  setsockopt(ends[0], IPPROTO_TCP, TCP_NODELAY, &no_delay, sizeof no_delay);
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("ledger", [&] {
    close(ends[0]);
    char request[16];
    while (Read(ends[1], request, sizeof request)) {
      Work(microseconds(80));
      if (write(ends[1], request, sizeof request) < 0) return;
    }
  });
  close(ends[1]);
  processes.Start("till", [&] {
    char request[16] = {};
    while (Clock::now() < end) {
      Nap(milliseconds(5));
      if (write(ends[0], request, 4) < 0 || write(ends[0], request, 12) < 0) return;
      if (!Read(ends[0], request, sizeof request)) return;
    }
  });
  close(ends[0]);
  return 0;
}

int NoKeepAlive(const Options& options) {
  sockaddr_in address;
  const int listening = Listen(&address);
  if (listening < 0) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("gate", [&] {
    for (char request = 0; request != 'q';) {
      const int connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      while (recv(connection, &request, 1, 0) == 1) {
        // 'k' negotiates keys, which takes longer than an answer.
        Work(microseconds(request == 'k' ? 250 : 60));
        if (send(connection, &request, 1, MSG_NOSIGNAL) != 1) break;
      }
      close(connection);
    }
  });
  close(listening);
  processes.Start("patron", [&] {
    int connection = -1;
    while (Clock::now() < end) {
      Nap(milliseconds(5));
      if (connection < 0) {
        connection = Connect(address);
        if (connection < 0 || !Exchange(connection, 'k')) return;
        Work(microseconds(100));
      }
      if (!Exchange(connection, 'a')) return;
      if (options.slow) {
        close(connection);
        connection = -1;
      }
    }
    if (connection < 0) connection = Connect(address);
    Exchange(connection, 'q');
    close(connection);
  });
  return 0;
}

int SlowPipe(const Options& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    perror("planted: pipe2");
    return 1;
  }
  fcntl(ends[1], F_SETPIPE_SZ, 4096);
  {
    Processes processes;
    processes.Start("shipper", [&] {
      close(ends[1]);
      std::array<char, 512> lines{};
      while (read(ends[0], lines.data(), lines.size()) > 0) {
        if (options.slow) Nap(microseconds(1800));
      }
    });
    processes.Start("gateway", [&] {
      close(ends[0]);
      const auto end = Clock::now() + options.length;
      Threads threads;
      threads.StartMany("session-", 3, [&](int) {
        const std::array<char, 200> line{};
        while (Clock::now() < end) {
          Work(microseconds(120));
          if (write(ends[1], line.data(), line.size()) < 0) return;
          Nap(milliseconds(1));
        }
      });
    });
    close(ends[0]);
    close(ends[1]);
  }
  return 0;
}

int SmallPipe(const Options& options) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0 ||
      fcntl(ends[1], F_SETPIPE_SZ, options.slow ? 4096 : 1 << 20) < 0) {
    perror("planted: pipe");
    return 1;
  }
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("upload", [&] {
    close(ends[1]);
    std::vector<char> bytes(size_t{1} << 18);
    while (read(ends[0], bytes.data(), bytes.size()) > 0) Work(microseconds(5));
  });
  close(ends[0]);
  processes.Start("export", [&] {
    const std::vector<char> bytes(size_t{1} << 18, 'x');
    while (Clock::now() < end) {
      Nap(milliseconds(10));
      if (write(ends[1], bytes.data(), bytes.size()) < 0) return;
    }
  });
  close(ends[1]);
  return 0;
}

int ManyDescriptors(const Options& options) {
  const size_t count = options.slow ? 3000 : 8;
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  int ends[2];
  int silent[2];
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || pipe2(ends, O_CLOEXEC) != 0 ||
      pipe2(silent, O_CLOEXEC) != 0) {
    perror("planted: pipe");
    return 1;
  }
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("chat", [&] {
    close(ends[1]);
    std::vector<pollfd> watched(count, pollfd{silent[0], POLLIN, 0});
    watched.back().fd = ends[0];
    char message = 0;
    while (poll(watched.data(), watched.size(), -1) > 0) {
      if (read(ends[0], &message, 1) <= 0) return;
      Work(microseconds(20));
    }
  });
  close(ends[0]);
  processes.Start("talker", [&] {
    Pace pace(milliseconds(1));
    while (Clock::now() < end) {
      pace.Wait();
      if (write(ends[1], "", 1) < 0) return;
    }
  });
  for (const int descriptor : {ends[1], silent[0], silent[1]}) close(descriptor);
  return 0;
}

}  // namespace

std::vector<Scenario> NetworkScenarios() {
  return {
      {"delayed_segments", "TCP_NODELAY is not set", DelayedSegments},
      {"no_keepalive", "each request opens a connection and negotiates keys", NoKeepAlive},
      {"slow_pipe", "the log goes through a pipe that is read slowly", SlowPipe},
      {"small_pipe", "a pipe holds 4 KiB instead of 1 MiB", SmallPipe},
      {"many_descriptors", "each message polls 3,000 descriptors instead of 8", ManyDescriptors},
  };
}

}  // namespace planted
