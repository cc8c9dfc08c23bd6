// SPDX-License-Identifier: BSD-2-Clause
#include "provider/record_batch.h"

#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

namespace provider {
namespace {

// The overhead of a small allocation, bytes.
constexpr size_t kAllocation = 16;

constexpr uint64_t kIndexMask = 0x7fff;

// Calls visit(shift, word) for each string reference of a record; it begins at bit `shift` of the
// word. Stops at an argument with an invalid size.
template <typename Visit>
void VisitStrings(std::span<uint64_t> record, Visit visit) {
  const auto inline_words = [](uint64_t reference) {
    const bool is_inline = (reference & fxt::kInlineStringBit) != 0;
    return is_inline ? fxt::WordsForBytes(reference & kIndexMask) : 0;
  };
  const uint64_t header = record[0];
  visit(32, record[0]);
  visit(48, record[0]);
  size_t at = 2 + inline_words(header >> 32 & 0xffff) + inline_words(header >> 48);
  for (uint64_t left = header >> 20 & 0xf; left > 0 && at < record.size(); --left) {
    const uint64_t argument = record[at];
    const size_t words = argument >> 4 & 0xfff;
    if (words == 0 || words > record.size() - at) return;
    visit(16, record[at]);
    if ((argument & 0xf) == static_cast<uint64_t>(fxt::ArgumentType::kString)) {
      visit(32, record[at]);
    }
    at += words;
  }
}

}  // namespace

// Doubles the table's share of the total budget.
bool StringTable::Grow() {
  constexpr size_t kFirst = 4096;
  const size_t wanted = std::min(std::max(kFirst, share_.bytes()), kMaxBytes - share_.bytes());
  if (wanted == 0 || share_.TakeUpTo(wanted) == 0) return false;
  budget_.limit = share_.bytes();
  return true;
}

bool StringTable::Define(uint16_t index, std::string_view text) {
  while (!provider_.DefineString(index, text)) {
    if (!Grow()) return false;
  }
  if (index >= hashes_.size()) hashes_.resize(index + 1);
  hashes_[index] = std::hash<std::string_view>{}(text);
  return true;
}

bool StringTable::DefineAll(const StringTable& other, uint32_t end) {
  for (uint32_t index = 1; index < end; ++index) {
    const std::string* text = other.Find(static_cast<uint16_t>(index));
    if (text != nullptr && !Define(static_cast<uint16_t>(index), *text)) return false;
  }
  return true;
}

size_t Compact(RecordBatch& batch) {
  auto strings = std::make_shared<StringTable>();
  std::unordered_map<uint16_t, uint16_t> indexes;
  for (const RecordEntry& entry : batch.entries) {
    VisitStrings(std::span(batch.words).subspan(entry.offset, batch.WordsOf(entry).size()),
                 [&](unsigned shift, uint64_t& word) {
                   const auto reference = static_cast<uint16_t>(word >> shift);
                   if (reference == 0 || (reference & fxt::kInlineStringBit) != 0) return;
                   const auto [at, added] =
                       indexes.try_emplace(reference, static_cast<uint16_t>(indexes.size() + 1));
                   word = (word & ~(kIndexMask << shift)) | uint64_t{at->second} << shift;
                   if (!added) return;
                   const std::string* text = batch.strings->Find(reference);
                   if (text != nullptr) strings->Define(at->second, *text);
                 });
  }
  batch.words.shrink_to_fit();
  batch.entries.shrink_to_fit();
  batch.strings = strings;
  return batch.bytes() + strings->bytes() + indexes.size() * kAllocation;
}

}  // namespace provider
