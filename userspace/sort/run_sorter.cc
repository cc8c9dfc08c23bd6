// SPDX-License-Identifier: BSD-2-Clause
#include "sort/run_sorter.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "output/unnamed_file.h"

namespace sort {
namespace {

constexpr size_t kMinMemory = size_t{64} << 10;
constexpr size_t kWriteBytes = size_t{256} << 10;
constexpr size_t kMinBuffer = size_t{4} << 10;
constexpr size_t kMaxBuffer = size_t{1} << 20;

util::Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return output::UnnamedFileFailed("write");
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return util::Ok();
}

int64_t TimeAt(const std::byte* item) {
  int64_t time;
  std::memcpy(&time, item, sizeof time);
  return time;
}

uint32_t BytesAt(const std::byte* item) {
  uint32_t bytes;
  std::memcpy(&bytes, item + sizeof(int64_t), sizeof bytes);
  return bytes;
}

}  // namespace

RunSorter::RunSorter(size_t memory_bytes) : memory_bytes_(std::max(memory_bytes, kMinMemory)) {}

void RunSorter::MakeRoom(size_t bytes) {
  if (entries_ == nullptr) {
    const size_t most = memory_bytes_ / (kHeadBytes + 2 * sizeof(Entry)) + 1;
    entries_ = std::make_unique_for_overwrite<Entry[]>(most);
    spare_ = std::make_unique_for_overwrite<Entry[]>(most);
  }
  if (arena_room_ >= bytes) return;
  // The first allocation, or one item larger than the memory.
  const size_t room = std::max(bytes, memory_bytes_);
  auto larger = std::make_unique_for_overwrite<std::byte[]>(room);
  if (arena_size_ != 0) std::memcpy(larger.get(), arena_.get(), arena_size_);
  arena_ = std::move(larger);
  arena_room_ = room;
}

util::Status RunSorter::Add(int64_t time, std::span<const std::byte> bytes) {
  const size_t needed = kHeadBytes + bytes.size();
  const size_t used = arena_size_ + 2 * count_ * sizeof(Entry);
  if (used + needed + 2 * sizeof(Entry) > memory_bytes_ && count_ != 0) {
    if (auto status = Spill(); !status) return status;
  }
  if (arena_size_ + needed > arena_room_) MakeRoom(arena_size_ + needed);
  if (count_ != 0 && time < entries_[count_ - 1].time) in_order_ = false;
  entries_[count_++] = {time, arena_size_};
  std::byte* const at = arena_.get() + arena_size_;
  const auto size = static_cast<uint32_t>(bytes.size());
  std::memcpy(at, &time, sizeof time);
  std::memcpy(at + sizeof time, &size, sizeof size);
  if (size != 0) std::memcpy(at + kHeadBytes, bytes.data(), size);
  arena_size_ += needed;
  ++items_;
  return util::Ok();
}

void RunSorter::SortEntries() {
  constexpr size_t kFew = 1000;
  if (in_order_) return;
  const std::span<Entry> entries(entries_.get(), count_);
  if (count_ < kFew) {
    // Offsets grow as items are added, so they define the order of equal times.
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
      return a.time != b.time ? a.time < b.time : a.offset < b.offset;
    });
    return;
  }
  const auto [least, most] =
      std::minmax_element(entries.begin(), entries.end(),
                          [](const Entry& a, const Entry& b) { return a.time < b.time; });
  SortByDigits(least->time, most->time);
}

// A radix sort from the lowest digit to the highest, stable in each pass. It is several times as
// fast as a comparison sort, whose branches are unpredictable.
void RunSorter::SortByDigits(int64_t least, int64_t most) {
  constexpr unsigned kDigitBits = 11;
  constexpr size_t kDigits = size_t{1} << kDigitBits;
  const auto from = static_cast<uint64_t>(least);
  const auto bits = static_cast<unsigned>(std::bit_width(static_cast<uint64_t>(most) - from));
  for (unsigned shift = 0; shift < bits; shift += kDigitBits) {
    const auto digit = [&](const Entry& entry) {
      return (static_cast<uint64_t>(entry.time) - from) >> shift & (kDigits - 1);
    };
    std::array<uint32_t, kDigits> places{};
    for (size_t i = 0; i < count_; ++i) ++places[digit(entries_[i])];
    uint32_t place = 0;
    for (uint32_t& many : places) place += std::exchange(many, place);
    for (size_t i = 0; i < count_; ++i) spare_[places[digit(entries_[i])]++] = entries_[i];
    std::swap(entries_, spare_);
  }
}

util::Status RunSorter::WriteOut() {
  auto status = WriteAll(file_.get(), {out_.get(), out_size_});
  out_size_ = 0;
  return status;
}

util::Status RunSorter::CopyOut(const Entry& entry) {
  const std::byte* const item = arena_.get() + entry.offset;
  const size_t bytes = kHeadBytes + BytesAt(item);
  if (out_size_ + bytes > kWriteBytes) {
    if (auto status = WriteOut(); !status) return status;
    if (bytes > kWriteBytes) return WriteAll(file_.get(), {item, bytes});
  }
  std::memcpy(out_.get() + out_size_, item, bytes);
  out_size_ += bytes;
  return util::Ok();
}

util::Status RunSorter::Spill() {
  constexpr size_t kAhead = 16;
  if (!file_) {
    auto made = output::MakeUnnamedFile();
    if (!made) return made.TakeError();
    file_ = std::move(*made);
    out_ = std::make_unique_for_overwrite<std::byte[]>(kWriteBytes);
  }
  SortEntries();
  if (runs_.empty() || entries_[0].time < runs_.back().last_time) {
    Run& run = runs_.emplace_back();
    run.next = file_bytes_;
  }
  if (in_order_) {
    if (auto status = WriteAll(file_.get(), {arena_.get(), arena_size_}); !status) return status;
  } else {
    for (size_t i = 0; i < count_; ++i) {
      if (i + kAhead < count_) __builtin_prefetch(arena_.get() + entries_[i + kAhead].offset);
      if (auto status = CopyOut(entries_[i]); !status) return status;
    }
    if (auto status = WriteOut(); !status) return status;
  }
  file_bytes_ += arena_size_;
  runs_.back().end = file_bytes_;
  runs_.back().last_time = entries_[count_ - 1].time;
  count_ = 0;
  arena_size_ = 0;
  in_order_ = true;
  return util::Ok();
}

util::Status RunSorter::Finish() {
  if (!file_) {
    SortEntries();
    spare_.reset();
    return util::Ok();
  }
  if (count_ != 0) {
    if (auto status = Spill(); !status) return status;
  }
  arena_.reset();
  entries_.reset();
  spare_.reset();
  out_.reset();
  return StartMerge();
}

util::Status RunSorter::StartMerge() {
  const size_t share =
      std::clamp(memory_bytes_ / std::max<size_t>(runs_.size(), 1), kMinBuffer, kMaxBuffer);
  // A time earlier than any item, until all runs have entered.
  losers_.assign(runs_.size(), {std::numeric_limits<int64_t>::min(), -1});
  for (size_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(share);
    if (auto status = Enter(i); !status) return status;
  }
  return util::Ok();
}

util::Result<bool> RunSorter::Fill(Run& run) {
  for (;;) {
    const size_t have = run.filled - run.at;
    size_t needed = kHeadBytes;
    if (have >= needed) needed += BytesAt(run.buffer.data() + run.at);
    if (have >= needed) return true;
    if (run.next == run.end) return false;
    std::memmove(run.buffer.data(), run.buffer.data() + run.at, have);
    run.at = 0;
    run.filled = have;
    if (run.buffer.size() < needed) run.buffer.resize(needed);
    const size_t room = std::min<uint64_t>(run.buffer.size() - have, run.end - run.next);
    const ssize_t n =
        pread(file_.get(), run.buffer.data() + have, room, static_cast<off_t>(run.next));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return output::UnnamedFileFailed("read");
    run.filled += static_cast<size_t>(n);
    run.next += static_cast<uint64_t>(n);
  }
}

// A tree of losers: each node holds the loser of its match, so a new item changes only the path
// from its leaf to the top.
util::Status RunSorter::Enter(size_t number) {
  Run& run = runs_[number];
  auto filled = Fill(run);
  if (!filled) return filled.TakeError();
  Contender winner{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::max()};
  if (*filled) {
    winner = {TimeAt(run.buffer.data() + run.at), static_cast<int64_t>(number)};
  } else {
    std::vector<std::byte>().swap(run.buffer);
  }
  for (size_t at = (number + losers_.size()) / 2; at > 0; at /= 2) {
    Contender& other = losers_[at];
    const bool lost =
        other.time < winner.time || (other.time == winner.time && other.run < winner.run);
    if (lost) std::swap(other, winner);
  }
  losers_[0] = winner;
  return util::Ok();
}

util::Result<bool> RunSorter::Next(Item& item) {
  if (!file_) {
    if (next_entry_ == count_) return false;
    const std::byte* const at = arena_.get() + entries_[next_entry_++].offset;
    item = {TimeAt(at), {at + kHeadBytes, BytesAt(at)}};
    return true;
  }
  if (advance_) {
    Run& run = runs_[static_cast<size_t>(losers_[0].run)];
    run.at += kHeadBytes + BytesAt(run.buffer.data() + run.at);
    if (auto status = Enter(static_cast<size_t>(losers_[0].run)); !status) {
      return status.TakeError();
    }
    advance_ = false;
  }
  if (losers_[0].run == std::numeric_limits<int64_t>::max()) return false;
  const Run& run = runs_[static_cast<size_t>(losers_[0].run)];
  const std::byte* const at = run.buffer.data() + run.at;
  item = {losers_[0].time, {at + kHeadBytes, BytesAt(at)}};
  advance_ = true;
  return true;
}

}  // namespace sort
