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

void LabelTable::Save(IndexWriter& out) const {
  out.Put(left_out_);
  std::vector<uint32_t> sizes;
  uint64_t total = 0;
  for (const std::string_view text : texts_) {
    sizes.push_back(static_cast<uint32_t>(text.size()));
    total += text.size();
  }
  out.PutAll(sizes);
  out.Put(total);
  for (const std::string_view text : texts_) out.PutBytes(std::as_bytes(std::span(text)));
}

bool LabelTable::Load(IndexReader& in) {
  std::vector<uint32_t> sizes;
  auto all = std::make_unique<std::string>();
  if (!in.Get(left_out_) || !in.GetAll(sizes) || !in.GetText(*all)) return false;
  bytes_ = all->size() + sizes.size() * sizeof(std::string_view);
  if (bytes_ > max_bytes_) return false;
  std::string_view rest = *all;
  texts_.clear();
  for (const uint32_t size : sizes) {
    if (size > rest.size()) return false;
    texts_.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  owned_.push_back(std::move(all));
  return !texts_.empty() && texts_[0].empty();
}

}  // namespace view
