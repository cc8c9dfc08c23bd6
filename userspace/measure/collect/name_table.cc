// SPDX-License-Identifier: BSD-2-Clause
#include "measure/collect/name_table.h"

#include <utility>

#include "measure/capture.h"

namespace measure {

uint32_t NameTable::Add(std::string text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  if (texts_.size() + 1 == limit_ && text != kOthers) return Add(std::string(kOthers));
  if (texts_.size() >= limit_) return numbers_.at(std::string(kOthers));
  const auto number = static_cast<uint32_t>(texts_.size());
  texts_.push_back(text);
  numbers_.emplace(std::move(text), number);
  return number;
}

}  // namespace measure
