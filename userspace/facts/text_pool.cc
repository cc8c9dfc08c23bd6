// SPDX-License-Identifier: BSD-2-Clause
#include "facts/text_pool.h"

#include <utility>

namespace facts {

const std::string* TextPool::Add(std::string_view text) {
  // Clean texts are found as they are, and others are no key.
  if (const auto found = texts_.find(text); found != texts_.end()) return &*found;
  std::string kept = clean_ == nullptr ? std::string(text) : clean_(text);
  if (clean_ != nullptr) {
    if (const auto found = texts_.find(kept); found != texts_.end()) return &*found;
  }
  if (!budget_.Take(kept.size() + kNodeBytes)) {
    is_full_ = true;
    return nullptr;
  }
  return &*texts_.insert(std::move(kept)).first;
}

}  // namespace facts
