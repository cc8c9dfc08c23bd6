// SPDX-License-Identifier: BSD-2-Clause
#include "view/label_table.h"

#include "text/clean_text.h"

namespace view {

uint32_t LabelTable::Add(std::string_view text) {
  if (text.empty()) return 0;
  text = text.substr(0, kMaxTextBytes);
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  auto clean = std::make_unique<std::string>(text::CleanText(text));
  if (const auto found = numbers_.find(*clean); found != numbers_.end()) return found->second;
  const size_t bytes = clean->size() + kEntryBytes;
  if (bytes > max_bytes_ - bytes_) {
    ++left_out_;
    return 0;
  }
  bytes_ += bytes;
  const auto number = static_cast<uint32_t>(texts_.size());
  texts_.push_back(*clean);
  numbers_.emplace(*clean, number);
  owned_.push_back(std::move(clean));
  return number;
}

}  // namespace view
