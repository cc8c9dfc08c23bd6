// SPDX-License-Identifier: BSD-2-Clause
#include "output/publish_together.h"

#include <csignal>

namespace output {
namespace {

// SIGINT and its like find all done or nothing.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_ = {};
};

}  // namespace

util::Status PublishTogether(std::span<const std::shared_ptr<OutputFile>> files) {
  for (const auto& file : files) {
    if (auto staged = file->Stage(); !staged) return staged;
  }
  const SignalsWait wait;
  for (const auto& file : files) {
    if (auto named = file->Exchange(); !named) {
      for (const auto& other : files) other->TakeBack();
      return named;
    }
  }
  for (const auto& file : files) file->Settle();
  return util::Ok();
}

}  // namespace output
