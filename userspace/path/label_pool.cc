// SPDX-License-Identifier: BSD-2-Clause
#include "path/label_pool.h"

#include "fxt/utf8.h"

namespace path {

Label LabelPool::Add(std::string_view text) {
  if (text.empty()) return 0;
  text = fxt::CutUtf8(text, kMaxTextBytes);
  const auto known = labels_.find(text);
  if (known != labels_.end()) return known->second;
  const size_t bytes = text.size() + kEntryBytes;
  if (bytes > free_) return 0;
  free_ -= bytes;
  const auto added = labels_.emplace(text, static_cast<Label>(texts_.size())).first;
  texts_.push_back(&added->first);
  return added->second;
}

}  // namespace path
