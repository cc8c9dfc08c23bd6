// SPDX-License-Identifier: BSD-2-Clause
#include "regress/planted/parts.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace planted {
namespace {

[[noreturn]] void Fail(const char* what) {
  perror(what);
  _exit(1);
}

timespec ToTimespec(Clock::time_point time) {
  const auto nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
  return {nanoseconds / 1'000'000'000, nanoseconds % 1'000'000'000};
}

void SleepUntil(Clock::time_point time) {
  const timespec until = ToTimespec(time);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace

void Work(microseconds about) {
  // Each multiplication depends on the one before it, so a step takes four to five cycles.
  constexpr int64_t kStepsPerMicrosecond = 700;
  volatile uint64_t sink = 0;
  uint64_t value = 1;
  for (int64_t i = about.count() * kStepsPerMicrosecond; i > 0; --i)
    value = value * 6364136223846793005U + 1442695040888963407U;
  sink = value;
  (void)sink;
}

void Nap(microseconds length) { SleepUntil(Clock::now() + length); }

void Pace::Wait() {
  const auto now = Clock::now();
  while (next_ <= now) next_ += period_;
  SleepUntil(next_);
  next_ += period_;
}

void NameThread(const std::string& name) { pthread_setname_np(pthread_self(), name.c_str()); }

void PinToLastCpu() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) Fail("planted: sched_getaffinity");
  int last = CPU_SETSIZE - 1;
  while (last > 0 && !CPU_ISSET(last, &allowed)) --last;
  CPU_ZERO(&allowed);
  CPU_SET(last, &allowed);
  if (sched_setaffinity(0, sizeof allowed, &allowed) != 0) Fail("planted: sched_setaffinity");
}

bool MakeRealTime(int priority) {
  const sched_param parameters{.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0;
}

Threads::~Threads() {
  for (std::thread& thread : threads_) thread.join();
}

void Threads::Start(const std::string& name, std::function<void()> body) {
  threads_.emplace_back([name, body = std::move(body)] {
    NameThread(name);
    body();
  });
}

void Threads::StartMany(const std::string& name, unsigned count,
                        const std::function<void(int)>& body) {
  for (unsigned i = 0; i < count; ++i) {
    Start(name + std::to_string(i), [body, i] { body(static_cast<int>(i)); });
  }
}

Processes::~Processes() {
  for (pid_t child : children_) {
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

pid_t Processes::Start(const std::string& name, const std::function<void()>& body) {
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) Fail("planted: fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    NameThread(name);
    body();
    _exit(0);
  }
  children_.push_back(child);
  return child;
}

Channel::Channel() {
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends_) != 0) Fail("planted: socketpair");
}

Channel::~Channel() {
  close(ends_[0]);
  close(ends_[1]);
}

bool Channel::Send(int message) {
  return send(ends_[0], &message, sizeof message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof message;
}

bool Channel::Receive(int* message) {
  ssize_t got;
  do {
    got = recv(ends_[1], message, sizeof *message, 0);
  } while (got < 0 && errno == EINTR);
  return got == sizeof *message;
}

void Channel::Shut() { shutdown(ends_[0], SHUT_RDWR); }

void WorkAtAPace(Clock::time_point end, microseconds period, microseconds work) {
  Pace pace(period);
  while (Clock::now() < end) {
    pace.Wait();
    Work(work);
  }
}

void Serve(Channel& requests, Channel& answers, const std::function<void(int)>& handle) {
  int request = 0;
  while (requests.Receive(&request)) {
    handle(request);
    answers.Send(request);
  }
}

void RequestUntil(Clock::time_point end, microseconds pause, Channel& requests, Channel& answers,
                  const std::function<void()>& then) {
  int answer = 0;
  while (Clock::now() < end) {
    Nap(pause);
    if (!requests.Send(0) || !answers.Receive(&answer)) break;
    if (then) then();
  }
  requests.Shut();
}

NamelessFile::NamelessFile(const std::string& folder) {
  std::string path = folder + "/planted-XXXXXX";
  descriptor_ = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor_ < 0) {
    perror(("planted: " + path).c_str());
  } else {
    unlink(path.c_str());
  }
}

NamelessFile::~NamelessFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool NamelessFile::Fill(size_t bytes) const {
  const std::string content(bytes, 'x');
  for (size_t done = 0; done < bytes;) {
    const ssize_t now = pwrite(descriptor_, content.data() + done, bytes - done, done);
    if (now <= 0) {
      perror("planted: write");
      return false;
    }
    done += static_cast<size_t>(now);
  }
  if (fsync(descriptor_) == 0) return true;
  perror("planted: fsync");
  return false;
}

int NamelessFile::OpenAgain(int flags) const {
  return open(("/proc/self/fd/" + std::to_string(descriptor_)).c_str(), flags | O_CLOEXEC);
}

}  // namespace planted
