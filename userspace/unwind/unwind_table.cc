// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/unwind_table.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace unwind {
namespace {

// Rules by content, numbered from 0 up.
class RuleSet {
 public:
  uint32_t NumberOf(const fxr_unwind_rule& rule) {
    Key key;
    static_assert(sizeof(key) == sizeof(rule));
    std::memcpy(key.data(), &rule, sizeof(rule));
    const auto [found, is_new] = numbers_.try_emplace(key, rules_.size());
    if (is_new) rules_.push_back(rule);
    return found->second;
  }
  const std::vector<fxr_unwind_rule>& rules() const { return rules_; }

 private:
  using Key = std::array<uint64_t, 2>;
  struct Hash {
    size_t operator()(const Key& key) const {
      const uint64_t mixed = (key[0] ^ key[1] * 0x9e37'79b9'7f4a'7c15) * 0xff51'afd7'ed55'8ccd;
      return mixed ^ mixed >> 32;
    }
  };
  std::unordered_map<Key, uint32_t, Hash> numbers_;
  std::vector<fxr_unwind_rule> rules_;
};

struct Row {
  uint64_t place = 0;  // offset in the file
  uint32_t rule = 0;
};

constexpr uint32_t kNoRule = 0;  // the number of FXR_UNWIND_NONE

// Collects the rows of all functions; a function without a successor ends with kNoRule.
class RowCollector {
 public:
  explicit RowCollector(std::span<const symbols::LoadSegment> segments) : segments_(segments) {
    rules_.NumberOf({});
  }

  bool Add(uint64_t begin, uint64_t end, std::span<const FrameRow> rows) {
    const auto segment = std::ranges::find_if(segments_, [=](const symbols::LoadSegment& each) {
      return each.executable && begin >= each.address && end - each.address <= each.file_size;
    });
    if (segment == segments_.end()) return true;
    if (rows_.size() + rows.size() + 1 > UnwindTable::kMaxRows) {
      is_too_large_ = true;
      return false;
    }
    const uint64_t to_place = segment->file_offset - segment->address;
    for (const FrameRow& row : rows) {
      if (row.address >= end) break;
      const bool is_full = rules_.rules().size() >= FXR_UNWIND_MAX_RULES - 1;
      rows_.push_back({row.address + to_place, is_full ? kNoRule : rules_.NumberOf(row.rule)});
    }
    ends_.push_back(end + to_place);
    return true;
  }

  // The rows by place, at most one for each.
  std::vector<Row> TakeSorted() {
    // Most compilers and linkers write functions in order.
    if (!std::ranges::is_sorted(rows_, {}, &Row::place)) {
      std::ranges::stable_sort(rows_, {}, &Row::place);
    }
    std::ranges::sort(ends_);
    std::vector<Row> sorted;
    sorted.reserve(rows_.size() + ends_.size());
    auto end = ends_.begin();
    for (const Row& row : rows_) {
      // If several functions end between two rows, the last end counts: functions may overlap.
      uint64_t last = 0;
      for (; end != ends_.end() && *end <= row.place; ++end) last = *end;
      if (last != 0 && last < row.place) {
        sorted.push_back(
            {last, sorted.empty() ? kNoRule : RuleOfGap(sorted.back(), {last, 0}, row)});
      }
      if (!sorted.empty() && sorted.back().place == row.place) {
        sorted.back() = row;
      } else {
        sorted.push_back(row);
      }
    }
    if (end != ends_.end()) sorted.push_back({ends_.back(), kNoRule});
    return sorted;
  }

  // glibc's clone() describes neither side of its system call: the function ends before it, and
  // the new thread's entry follows after a few instructions. On the caller's side nothing changes.
  uint32_t RuleOfGap(const Row& before, const Row& gap, const Row& after) {
    constexpr uint64_t kMaxGapBytes = 16;
    fxr_unwind_rule rule = rules_.rules()[before.rule];
    if (rule.kind != FXR_UNWIND_SP || rules_.rules()[after.rule].kind != FXR_UNWIND_END ||
        after.place - gap.place > kMaxGapBytes ||
        rules_.rules().size() >= FXR_UNWIND_MAX_RULES - 1) {
      return kNoRule;
    }
    rule.kind = FXR_UNWIND_CLONE;
    return rules_.NumberOf(rule);
  }

  bool is_too_large() const { return is_too_large_; }
  const std::vector<fxr_unwind_rule>& rules() const { return rules_.rules(); }

 private:
  std::span<const symbols::LoadSegment> segments_;
  bool is_too_large_ = false;
  RuleSet rules_;
  std::vector<Row> rows_;
  std::vector<uint64_t> ends_;
};

}  // namespace

uint32_t UnwindTable::Shape::rules_at() const {
  constexpr auto kRuleAlignment = static_cast<uint32_t>(FXR_UNWIND_RULE_WORDS);
  return (rows_at() + rows + kRuleAlignment - 1) / kRuleAlignment * kRuleAlignment;
}

bool UnwindTable::Shape::Fits(size_t words) const {
  // The sums fit.
  return pages != 0 && file_offset <= kMaxFileOffset &&
         pages <= kMaxCodeBytes >> FXR_UNWIND_PAGE_SHIFT && rows <= 2 * kMaxRows &&
         rules <= FXR_UNWIND_MAX_RULES && words == rules_at() + rules * FXR_UNWIND_RULE_WORDS;
}

UnwindTable UnwindTable::Read(const symbols::ElfFile& file, std::vector<std::byte>* buffer) {
  if (!IsKnownMachine(file.machine())) return {};
  std::vector<std::byte> own;
  for (const char* name : {".eh_frame", ".debug_frame"}) {
    const auto bytes = file.ReadSection(name, buffer == nullptr ? &own : buffer);
    if (bytes.empty()) continue;
    const bool is_debug = std::string_view(name) == ".debug_frame";
    UnwindTable table =
        Make({bytes, file.SectionAddress(name), is_debug, file.machine()}, file.segments());
    if (table.empty()) continue;
    table.python_ = FindPython(file);
    return table;
  }
  return {};
}

std::optional<UnwindTable> UnwindTable::Restore(const Shape& shape, std::span<const fxr_u32> words,
                                                std::shared_ptr<const void> owner) {
  if (!shape.Fits(words.size())) return std::nullopt;
  UnwindTable table;
  table.file_offset_ = shape.file_offset;
  table.pages_ = shape.pages;
  table.row_count_ = shape.rows;
  table.rule_count_ = shape.rules;
  table.python_ = shape.python;
  table.words_ = words;
  table.owner_ = std::move(owner);
  return table;
}

UnwindTable UnwindTable::Make(const FrameSection& section,
                              std::span<const symbols::LoadSegment> segments) {
  RowCollector collector(segments);
  ReadFrameSection(section, [&](uint64_t begin, uint64_t end, std::span<const FrameRow> rows) {
    return collector.Add(begin, end, rows);
  });
  const std::vector<Row> rows = collector.TakeSorted();
  if (collector.is_too_large() || rows.empty()) return {};

  UnwindTable table;
  table.file_offset_ = rows.front().place & ~uint64_t{FXR_UNWIND_PAGE - 1};
  const uint64_t bytes = rows.back().place + 1 - table.file_offset_;
  if (bytes > kMaxCodeBytes || rows.back().place > kMaxFileOffset) return {};
  table.pages_ = static_cast<uint32_t>((bytes + FXR_UNWIND_PAGE - 1) >> FXR_UNWIND_PAGE_SHIFT);
  const auto owner = std::make_shared<std::vector<fxr_u32>>();
  std::vector<fxr_u32>& words = *owner;
  words.reserve(table.pages_ * 2 + rows.size() + 16 +
                collector.rules().size() * FXR_UNWIND_RULE_WORDS);
  words.resize(table.pages_ + 1);
  auto row = rows.begin();
  uint32_t current = kNoRule;
  for (uint32_t page = 0; page < table.pages_; ++page) {
    const uint64_t begin = table.file_offset_ + (uint64_t{page} << FXR_UNWIND_PAGE_SHIFT);
    words[page] = static_cast<fxr_u32>(words.size()) - table.rows_at();
    if (row == rows.end() || row->place > begin) words.push_back(current);
    for (; row != rows.end() && row->place < begin + FXR_UNWIND_PAGE; ++row) {
      // Equal neighbours are one row.
      if (row->place != begin && row->rule == current) continue;
      current = row->rule;
      const auto offset = static_cast<fxr_u32>(row->place - begin);
      words.push_back(offset << FXR_UNWIND_RULE_BITS | current);
    }
  }
  table.row_count_ = static_cast<uint32_t>(words.size()) - table.rows_at();
  words[table.pages_] = table.row_count_;
  table.rule_count_ = static_cast<uint32_t>(collector.rules().size());
  const size_t rules_at = table.rules_at();
  words.resize(rules_at + collector.rules().size() * FXR_UNWIND_RULE_WORDS);
  std::memcpy(words.data() + rules_at, collector.rules().data(),
              collector.rules().size() * sizeof(fxr_unwind_rule));
  table.words_ = words;
  table.owner_ = owner;
  return table;
}

fxr_unwind_rule UnwindTable::Find(uint64_t file_offset) const {
  fxr_unwind_rule rule{};
  const uint64_t offset = file_offset - file_offset_;
  const uint64_t page = offset >> FXR_UNWIND_PAGE_SHIFT;
  if (page >= pages_) return rule;
  const auto begin = words_.begin() + rows_at() + words_[page];
  const auto end = words_.begin() + rows_at() + words_[page + 1];
  const auto after = std::upper_bound(
      begin, end, offset % FXR_UNWIND_PAGE,
      [](uint64_t place, fxr_u32 row) { return place < row >> FXR_UNWIND_RULE_BITS; });
  if (after == begin) return rule;
  const size_t number = *(after - 1) % FXR_UNWIND_MAX_RULES;
  std::memcpy(&rule, words_.data() + rules_at() + number * FXR_UNWIND_RULE_WORDS, sizeof(rule));
  return rule;
}

}  // namespace unwind
