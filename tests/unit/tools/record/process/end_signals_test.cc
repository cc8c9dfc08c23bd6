// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/process/end_signals.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace tools {
namespace {

// Changes of signals are made in a child process, whose exit status is the result of `check`.
int InProcess(const std::function<int()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool IsReadable(int fd) {
  pollfd ready{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&ready, 1, 0) == 1;
}

void WaitForAnotherWish() { usleep(150'000); }

TEST(EndSignalsTest, CountsRequestsForTheEnd) {
  EXPECT_EQ(InProcess([] {
              EndSignals signals;
              signals.Take();
              signals.Look();
              if (signals.count() != 0 || signals.first() != 0 || IsReadable(signals.fd()))
                return 1;
              raise(SIGTERM);
              if (!IsReadable(signals.fd())) return 2;
              signals.Look();
              if (signals.count() != 1 || signals.first() != SIGTERM) return 3;
              WaitForAnotherWish();
              raise(SIGINT);
              signals.Look();
              if (signals.count() != 2 || signals.first() != SIGTERM) return 4;
              return signals.last() == SIGINT && !signals.from_terminal() ? 0 : 5;
            }),
            0);
}

TEST(EndSignalsTest, SignalsOfOneMomentAreOneRequest) {
  EXPECT_EQ(InProcess([] {
              EndSignals signals;
              signals.Take();
              for (const int number : {SIGTERM, SIGINT, SIGHUP}) raise(number);
              signals.Look();
              return signals.count() == 1 ? 0 : 1;
            }),
            0);
}

TEST(EndSignalsTest, AnIgnoredHangupStaysIgnored) {
  EXPECT_EQ(InProcess([] {
              signal(SIGHUP, SIG_IGN);
              EndSignals signals;
              signals.Take();
              raise(SIGHUP);
              signals.Look();
              return signals.count() == 0 ? 0 : 1;
            }),
            0);
}

TEST(EndSignalsTest, TheEndOfAChildWakesButIsNoRequest) {
  EXPECT_EQ(InProcess([] {
              signal(SIGCHLD, SIG_IGN);
              EndSignals signals;
              signals.Take();
              const pid_t child = fork();
              if (child == 0) _exit(3);
              pollfd ready{.fd = signals.fd(), .events = POLLIN, .revents = 0};
              if (poll(&ready, 1, 300'000) != 1) return 1;
              signals.Look();
              int status = 0;
              if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 2;
              return signals.count() == 0 ? 0 : 3;
            }),
            0);
}

TEST(EndSignalsTest, AClosedPipeFailsInsteadOfKilling) {
  EXPECT_EQ(InProcess([] {
              EndSignals signals;
              signals.Take();
              raise(SIGPIPE);
              raise(SIGXFSZ);
              return 0;
            }),
            0);
}

}  // namespace
}  // namespace tools
