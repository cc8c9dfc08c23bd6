// SPDX-License-Identifier: BSD-2-Clause
#include "tables/rows/text_pool.h"

#include <utility>

#include "text/clean_text.h"

namespace tables {

const std::string* TextPool::Add(std::string_view text) {
  // Clean texts are found as they are, and others are no key.
  if (const auto found = texts_.find(text); found != texts_.end()) return &*found;
  std::string clean = text::CleanText(text);
  if (const auto found = texts_.find(clean); found != texts_.end()) return &*found;
  if (!budget_.Take(clean.size() + kNodeBytes)) {
    is_full_ = true;
    return nullptr;
  }
  return &*texts_.insert(std::move(clean)).first;
}

}  // namespace tables
