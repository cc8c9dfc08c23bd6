// SPDX-License-Identifier: BSD-2-Clause
#include "util/priority_mutex.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

namespace util {
namespace {

// The priority of a thread of this process in the scheduler: negative for real time.
int PriorityOf(pid_t tid) {
  std::ifstream stat("/proc/self/task/" + std::to_string(tid) + "/stat");
  std::string text;
  std::getline(stat, text);
  text.erase(0, text.rfind(')') + 1);
  // Behind the name: state, then fourteen numbers, then the priority.
  size_t at = 0;
  for (int i = 0; i < 15 && at != std::string::npos; ++i) at = text.find(' ', at + 1);
  return at == std::string::npos ? 0 : std::stoi(text.substr(at));
}

TEST(PriorityMutexTest, OwnerInheritsThePriorityOfAWaiter) {
  PriorityMutex mutex;
  mutex.lock();
  ASSERT_GE(PriorityOf(gettid()), 0);
  std::atomic<bool> real_time = true;
  std::thread waiter([&] {
    const sched_param fifo{.sched_priority = 1};
    real_time = sched_setscheduler(0, SCHED_FIFO, &fifo) == 0;
    const std::lock_guard lock(mutex);
  });
  int priority = 0;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  while (priority >= 0 && real_time && std::chrono::steady_clock::now() < deadline) {
    priority = PriorityOf(gettid());
    std::this_thread::yield();
  }
  mutex.unlock();
  waiter.join();
  if (!real_time) GTEST_SKIP() << "real-time scheduling is not allowed here";
  EXPECT_LT(priority, 0);
  EXPECT_GE(PriorityOf(gettid()), 0) << "given back";
}

}  // namespace
}  // namespace util
