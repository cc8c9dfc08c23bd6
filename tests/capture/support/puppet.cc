// SPDX-License-Identifier: BSD-2-Clause
#include "capture/support/puppet.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace truth {

Puppet::Puppet(const std::function<void(char)>& act) {
  int ends[2];
  int back[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  EXPECT_EQ(pipe2(back, O_CLOEXEC), 0);
  pid_ = fork();
  if (pid_ == 0) {
    char word;
    close(ends[1]);
    while (read(ends[0], &word, 1) == 1) {
      act(word);
      if (write(back[1], &word, 1) != 1) break;
    }
    _exit(0);
  }
  close(ends[0]);
  close(back[1]);
  to_.reset(ends[1]);
  from_.reset(back[0]);
}

Puppet::~Puppet() {
  to_.reset();
  waitpid(pid_, nullptr, 0);
}

void Puppet::Command(char word) {
  EXPECT_EQ(write(to_.get(), &word, 1), 1);
  EXPECT_EQ(read(from_.get(), &word, 1), 1);
}

}  // namespace truth
