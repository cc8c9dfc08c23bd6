// SPDX-License-Identifier: BSD-2-Clause
// A mutex whose owner runs with the priority of whoever waits for it.
#pragma once

#include <pthread.h>

namespace util {

// For what a real-time thread shares with one that is not: without inheritance the second one could
// be kept from its CPU, and the first one with it, by programs that neither knows.
class PriorityMutex {
 public:
  PriorityMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    // A kernel without such mutexes has plain ones.
    if (pthread_mutex_init(&mutex_, &attributes) != 0) pthread_mutex_init(&mutex_, nullptr);
    pthread_mutexattr_destroy(&attributes);
  }
  PriorityMutex(const PriorityMutex&) = delete;
  PriorityMutex& operator=(const PriorityMutex&) = delete;
  ~PriorityMutex() { pthread_mutex_destroy(&mutex_); }

  // As std::mutex has them, so that std::lock_guard takes it.
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace util
