// SPDX-License-Identifier: BSD-2-Clause
// Scenarios that were made, and whose causes were written down, before anybody had seen what
// `fxt diff` says of them.
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

#include "regress/planted/parts.h"
#include "regress/planted/scenarios.h"

namespace planted {
namespace {

// A socket that listens at a port of this machine that nobody else has.
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

// One byte there and one back: false when the other side is gone.
bool Exchange(int connection, char question) {
  return send(connection, &question, 1, MSG_NOSIGNAL) == 1 &&
         recv(connection, &question, 1, 0) == 1;
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

// A file of so many bytes without a name; -1, with a message, when there can be none.
int MakeFileOf(const Options& options, size_t bytes) {
  std::string path = options.folder + "/planted-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  const std::vector<char> content(bytes, 'x');
  if (file < 0 || write(file, content.data(), bytes) != static_cast<ssize_t>(bytes) ||
      fsync(file) != 0) {
    perror(("planted: " + path).c_str());
    return -1;
  }
  unlink(path.c_str());
  return file;
}

// So many may do something at a time, and now and then one permission is never given back.
class Permits {
 public:
  explicit Permits(int count) : count_(count) {}
  void Take() {
    std::unique_lock<std::mutex> lock(mutex_);
    given_back_.wait(lock, [&] { return count_ > 0; });
    --count_;
  }
  void GiveBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++count_;
    given_back_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int count_;
};

}  // namespace

int SlowStart(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("station", [&] {
    // Reads its configuration.
    Work(milliseconds(options.slow ? 150 : 10));
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(40));
      answers.Send(question);
    }
  });
  processes.Start("caller", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(4));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
    }
    questions.Shut();
  });
  return 0;
}

int NoKeepAlive(const Options& options) {
  sockaddr_in address;
  const int listening = Listen(&address);
  if (listening < 0) return 1;
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("gate", [&] {
    for (char question = 0; question != 'q';) {
      const int connection = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) return;
      while (recv(connection, &question, 1, 0) == 1) {
        // Keys cost more than an answer.
        Work(microseconds(question == 'k' ? 250 : 60));
        if (send(connection, &question, 1, MSG_NOSIGNAL) != 1) break;
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

int NoOverlap(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel full, empty;
  Processes processes;
  processes.Start("press", [&] {
    Threads threads;
    threads.Start("fetcher", [&] {
      int buffer = 0;
      while (Clock::now() < end && empty.Receive(&buffer)) {
        Nap(milliseconds(3));  // the device
        full.Send(buffer);
      }
      full.Shut();
    });
    threads.Start("cruncher", [&] {
      int buffer = 0;
      while (full.Receive(&buffer)) {
        Work(milliseconds(3));
        empty.Send(buffer);
      }
    });
    for (int buffer = 0; buffer < (options.slow ? 1 : 2); ++buffer) empty.Send(buffer);
  });
  return 0;
}

int DiskNeighbour(const Options& options) {
  constexpr size_t kRecord = 4096;
  const size_t archived = options.slow ? 4 << 20 : 64 << 10;
  const int journal = MakeFileOf(options, kRecord);
  const int archive = MakeFileOf(options, archived);
  if (journal < 0 || archive < 0) return 1;
  {
    const auto end = Clock::now() + options.length;
    Processes processes;
    processes.Start("journal", [&] {
      const std::vector<char> record(kRecord, 'j');
      while (Clock::now() < end) {
        Nap(milliseconds(4));
        Work(microseconds(50));
        if (pwrite(journal, record.data(), kRecord, 0) < 0) return;
        fdatasync(journal);
      }
    });
    processes.Start("archive", [&] {
      const std::vector<char> all(archived, 'a');
      while (Clock::now() < end) {
        Nap(milliseconds(options.slow ? 10 : 80));
        if (pwrite(archive, all.data(), archived, 0) < 0) return;
        fdatasync(archive);
      }
    });
  }
  close(journal);
  close(archive);
  return 0;
}

int GracePeriods(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("registry", [&] {
    syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
    const int barrier = options.slow ? MEMBARRIER_CMD_GLOBAL : MEMBARRIER_CMD_PRIVATE_EXPEDITED;
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(80));
      // What was there before is given back when nobody can look at it any more.
      if (syscall(SYS_membarrier, barrier, 0, 0) != 0) {
        perror("planted: membarrier");
        return;
      }
      answers.Send(question);
    }
  });
  processes.Start("tenant", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(10));
      Work(microseconds(30));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
    }
    questions.Shut();
  });
  return 0;
}

int LostPermits(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("crawler", [&] {
    constexpr int kPermits = 8;
    Permits permits(kPermits);
    Threads threads;
    for (int i = 0; i < 6; ++i) {
      threads.Start("fetch-" + std::to_string(i), [&] {
        while (Clock::now() < end) {
          permits.Take();
          Nap(milliseconds(5));
          permits.GiveBack();
          Work(microseconds(100));
        }
      });
    }
    if (!options.slow) return;
    threads.Start("failing", [&] {
      // One is left.
      for (int lost = 1; lost < kPermits; ++lost) {
        Nap(milliseconds(350));
        permits.Take();
      }
    });
  });
  return 0;
}

int Bursts(const Options& options) {
  const auto end = Clock::now() + options.length;
  Channel questions, answers;
  Processes processes;
  processes.Start("front", [&] {
    int question = 0;
    while (questions.Receive(&question)) {
      Work(microseconds(200));
      answers.Send(question);
    }
  });
  processes.Start("guest", [&] {
    int answer = 0;
    while (Clock::now() < end) {
      Nap(milliseconds(4));
      if (!questions.Send(0) || !answers.Receive(&answer)) break;
    }
    questions.Shut();
  });
  processes.Start("reports", [&] {
    Threads threads;
    for (int i = 0; i < 2; ++i) {
      threads.Start("query-" + std::to_string(i), [&] {
        Pace pace(milliseconds(500));
        while (Clock::now() < end) {
          pace.Wait();
          Work(milliseconds(options.slow ? 60 : 5));
        }
      });
    }
  });
  return 0;
}

int HeavierHelper(const Options& options) {
  const auto end = Clock::now() + options.length;
  Processes processes;
  processes.Start("mailer", [&] {
    while (Clock::now() < end) {
      Nap(milliseconds(15));
      const pid_t helper = fork();
      if (helper == 0) {
        NameThread("filter");
        Work(microseconds(options.slow ? 4000 : 500));
        _exit(0);
      }
      if (helper < 0 || waitpid(helper, nullptr, 0) < 0) return;
      Work(microseconds(100));
    }
  });
  return 0;
}

}  // namespace planted
