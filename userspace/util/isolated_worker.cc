// SPDX-License-Identifier: BSD-2-Clause
#include "util/isolated_worker.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include "util/clock.h"
#include "util/isolation.h"

namespace util {
namespace {

enum class Answer : uint64_t { kReply, kInvalid, kCrashed };

// A message in each direction. A call has a file; an answer of kReply has a memory file with the
// reply.
struct Message {
  uint64_t call = 0;
  Answer answer = Answer::kReply;
};

bool Send(int socket, const Message& message, int file) {
  iovec part = {const_cast<Message*>(&message), sizeof(message)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (file >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(rights), &file, sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(sizeof(message));
}

// Takes at most one descriptor.
bool Receive(int socket, Message* message, UniqueFd* file) {
  iovec part = {message, sizeof(*message)};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t got = 0;
  do {
    got = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); got >= 0 && each != nullptr;
       each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    int fd = -1;
    memcpy(&fd, CMSG_DATA(each), sizeof(fd));
    file->reset(fd);
  }
  return got == static_cast<ssize_t>(sizeof(*message));
}

UniqueFd MakeReplyFile(const IsolatedWorker::Bytes& reply) {
  UniqueFd file(memfd_create("reply", MFD_CLOEXEC));
  for (size_t done = 0; done < reply.size();) {
    const ssize_t n = write(file.get(), reply.data() + done, reply.size() - done);
    if (n <= 0) return {};
    done += static_cast<size_t>(n);
  }
  return file;
}

// Bytes of address space; 0 if not known.
uint64_t AddressSpace() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void Limit(__rlimit_resource what, uint64_t value) {
  const rlimit limit = {value, value};
  setrlimit(what, &limit);
}

// Serves calls until the other end is closed. `current`: the call in progress, for the server.
int Serve(int socket, const IsolatedWorker::Work& work, const IsolatedWorker::Limits& limits,
          volatile uint64_t* current) {
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_CPU, limits.cpu_seconds);
  if (const uint64_t begin = AddressSpace(); begin != 0 && !kIsSanitized) {
    Limit(RLIMIT_AS, begin + limits.memory_bytes);
  }
  if (!LeaveOnly(Rights::kDescriptors)) return 1;
  for (;;) {
    Message call;
    UniqueFd file;
    if (!Receive(socket, &call, &file)) return 0;
    *current = call.call;
    IsolatedWorker::Bytes reply;
    Message answer = {call.call, Answer::kInvalid};
    UniqueFd memory;
    if (file && work(file.get(), &reply) && reply.size() <= limits.reply_bytes) {
      memory = MakeReplyFile(reply);
      if (memory) answer.answer = Answer::kReply;
    }
    *current = 0;
    if (!Send(socket, answer, memory.get())) return 0;
  }
}

// The caller sends this signal to the server when a call takes too long.
constexpr int kEndWorker = SIGUSR1;

// Waits for the worker's end, and kills it if the caller says so.
void WaitFor(pid_t worker, const sigset_t& signals) {
  while (waitpid(worker, nullptr, WNOHANG) != worker) {
    if (sigwaitinfo(&signals, nullptr) == kEndWorker) kill(worker, SIGKILL);
  }
}

// The caller is gone.
bool IsClosed(int socket) {
  pollfd other_end = {socket, 0, 0};
  return poll(&other_end, 1, 0) == 1 && (other_end.revents & POLLHUP) != 0;
}

// Returns false if the caller is gone before a call.
bool AwaitCall(int socket) {
  pollfd call = {socket, POLLIN, 0};
  while (poll(&call, 1, -1) < 0 && errno == EINTR) {
  }
  return (call.revents & POLLIN) != 0 && !IsClosed(socket);
}

// Has a worker from the first call on. Never returns.
[[noreturn]] void RunServer(int socket, const IsolatedWorker::Work& work,
                            const IsolatedWorker::Limits& limits) {
  prctl(PR_SET_NAME, "fxt-parser");
  const int kept[] = {socket, STDERR_FILENO};
  CloseAllBut(kept);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signal(number, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  sigaddset(&signals, kEndWorker);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  // Memory that the worker can write to as well; what it says there concerns its own calls alone.
  void* shared =
      mmap(nullptr, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) _exit(1);
  auto* current = static_cast<volatile uint64_t*>(shared);
  const pid_t server = getpid();
  for (uint32_t crashes = 0; crashes <= limits.crashes && AwaitCall(socket); ++crashes) {
    const pid_t worker = fork();
    if (worker < 0) _exit(1);
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != server) _exit(0);
      int status = 1;
      try {
        status = Serve(socket, work, limits, current);
      } catch (...) {
        // Out of memory: a crash like another.
      }
      _exit(status);
    }
    WaitFor(worker, signals);
    if (IsClosed(socket)) break;
    const uint64_t call = *current;
    *current = 0;
    if (call != 0 && !Send(socket, {call, Answer::kCrashed}, -1)) break;
  }
  _exit(0);
}

std::optional<IsolatedWorker::Bytes> ReadReply(int file, size_t limit) {
  struct stat status = {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0 ||
      static_cast<uint64_t>(status.st_size) > limit) {
    return std::nullopt;
  }
  IsolatedWorker::Bytes bytes(static_cast<size_t>(status.st_size));
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (n <= 0) return std::nullopt;
    done += static_cast<size_t>(n);
  }
  return bytes;
}

}  // namespace

Result<std::unique_ptr<IsolatedWorker>> IsolatedWorker::Start(Work work, const Limits& limits) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{std::string("cannot start a parser: socketpair: ") + strerror(errno), ""};
  }
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  const pid_t server = fork();
  if (server < 0) return Error{std::string("cannot start a parser: fork: ") + strerror(errno), ""};
  if (server == 0) RunServer(theirs.get(), work, limits);
  return std::unique_ptr<IsolatedWorker>(new IsolatedWorker(std::move(ours), server, limits));
}

IsolatedWorker::~IsolatedWorker() {
  // An idle worker ends when the socket is closed, and the server after it. One at work is killed
  // with its server.
  socket_.reset();
  constexpr int kWaits = 200;
  for (int i = 0; i < kWaits; ++i) {
    const pid_t ended = waitpid(server_, nullptr, WNOHANG);
    if (ended == server_ || (ended < 0 && errno != EINTR)) return;
    usleep(1000);
  }
  kill(server_, SIGKILL);
  while (waitpid(server_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::optional<IsolatedWorker::Bytes> IsolatedWorker::Call(int file) {
  if (!socket_ || file < 0) return std::nullopt;
  const Message call = {++last_call_, Answer::kReply};
  if (!Send(socket_.get(), call, file)) return std::nullopt;
  const uint64_t deadline = MonotonicNow() + limits_.call_ns;
  for (;;) {
    const uint64_t now = MonotonicNow();
    pollfd ready = {socket_.get(), POLLIN, 0};
    const int timeout = now >= deadline ? 0 : static_cast<int>((deadline - now) / 1'000'000 + 1);
    const int polled = poll(&ready, 1, timeout);
    if (polled < 0 && errno == EINTR) continue;
    if (polled == 0) {
      // Its answer, should it come still, is that of an older call.
      kill(server_, kEndWorker);
      ++crashes_;
      return std::nullopt;
    }
    Message answer;
    UniqueFd reply;
    if (!Receive(socket_.get(), &answer, &reply)) {
      socket_.reset();
      return std::nullopt;
    }
    if (answer.call != call.call) continue;
    if (answer.answer == Answer::kCrashed) ++crashes_;
    if (answer.answer != Answer::kReply || !reply) return std::nullopt;
    return ReadReply(reply.get(), limits_.reply_bytes);
  }
}

}  // namespace util
