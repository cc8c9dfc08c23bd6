// SPDX-License-Identifier: BSD-2-Clause
// A mutex with priority inheritance.
#pragma once

#include <pthread.h>

namespace util {

// For data shared by a real-time thread and an ordinary one. Without inheritance, unrelated
// programs that preempt the ordinary thread would delay the real-time one.
class PriorityMutex {
 public:
  PriorityMutex() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
    // Some kernels lack such mutexes; an ordinary one serves.
    if (pthread_mutex_init(&mutex_, &attributes) != 0) pthread_mutex_init(&mutex_, nullptr);
    pthread_mutexattr_destroy(&attributes);
  }
  PriorityMutex(const PriorityMutex&) = delete;
  PriorityMutex& operator=(const PriorityMutex&) = delete;
  ~PriorityMutex() { pthread_mutex_destroy(&mutex_); }

  // The interface of std::mutex, for std::lock_guard.
  void lock() { pthread_mutex_lock(&mutex_); }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace util
