// SPDX-License-Identifier: BSD-2-Clause
#include "sort/run_sorter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "output/unnamed_file.h"

namespace sort {
namespace {

constexpr size_t kMinMemory = size_t{64} << 10;
constexpr size_t kWriteBytes = size_t{256} << 10;
constexpr size_t kMinBuffer = size_t{4} << 10;
constexpr size_t kMaxBuffer = size_t{1} << 20;
constexpr size_t kAlign = 8;

size_t Padded(size_t bytes) { return (bytes + kAlign - 1) & ~(kAlign - 1); }

util::Status WriteAll(int fd, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return output::UnnamedFileFailed("write");
    bytes = bytes.subspan(static_cast<size_t>(n));
  }
  return util::Ok();
}

}  // namespace

RunSorter::RunSorter(size_t memory_bytes) : memory_bytes_(std::max(memory_bytes, kMinMemory)) {}

util::Status RunSorter::Add(int64_t time, std::span<const std::byte> bytes) {
  const size_t needed = sizeof(Head) + Padded(bytes.size());
  const size_t used = arena_.size() + entries_.size() * sizeof(Entry);
  if (used + needed > memory_bytes_ && !entries_.empty()) {
    if (auto status = Spill(); !status) return status;
  }
  // Grown in large steps: a vector that doubles would take half as much again for a moment.
  if (arena_.capacity() < arena_.size() + needed) {
    arena_.reserve(std::max(arena_.size() + needed,
                            arena_.capacity() == 0 ? kWriteBytes : arena_.capacity() * 2));
  }
  if (!entries_.empty() && time < entries_.back().time) in_order_ = false;
  const size_t offset = arena_.size();
  entries_.push_back({time, offset});
  arena_.resize(offset + needed);
  const Head head{time, static_cast<uint32_t>(bytes.size()), 0};
  std::memcpy(arena_.data() + offset, &head, sizeof head);
  if (!bytes.empty()) {
    std::memcpy(arena_.data() + offset + sizeof head, bytes.data(), bytes.size());
  }
  ++items_;
  return util::Ok();
}

void RunSorter::SortEntries() {
  if (in_order_) return;
  // Offsets grow as items are added, which makes the order of equal times.
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.time != b.time ? a.time < b.time : a.offset < b.offset;
  });
}

util::Status RunSorter::WriteOut() {
  auto status = WriteAll(file_.get(), out_);
  out_.clear();
  return status;
}

util::Status RunSorter::Spill() {
  if (!file_) {
    auto made = output::MakeUnnamedFile();
    if (!made) return made.TakeError();
    file_ = std::move(*made);
    out_.reserve(kWriteBytes + kMinMemory);
  }
  SortEntries();
  if (runs_.empty() || entries_.front().time < runs_.back().last_time) {
    Run& run = runs_.emplace_back();
    run.next = file_bytes_;
  }
  for (const Entry& entry : entries_) {
    Head head;
    std::memcpy(&head, arena_.data() + entry.offset, sizeof head);
    const size_t bytes = sizeof head + Padded(head.bytes);
    const auto from = arena_.begin() + static_cast<ptrdiff_t>(entry.offset);
    out_.insert(out_.end(), from, from + static_cast<ptrdiff_t>(bytes));
    file_bytes_ += bytes;
    if (out_.size() >= kWriteBytes) {
      if (auto status = WriteOut(); !status) return status;
    }
  }
  runs_.back().end = file_bytes_;
  runs_.back().last_time = entries_.back().time;
  entries_.clear();
  arena_.clear();
  in_order_ = true;
  return WriteOut();
}

util::Status RunSorter::Finish() {
  if (!file_) {
    SortEntries();
    return util::Ok();
  }
  if (!entries_.empty()) {
    if (auto status = Spill(); !status) return status;
  }
  std::vector<std::byte>().swap(arena_);
  std::vector<Entry>().swap(entries_);
  std::vector<std::byte>().swap(out_);
  return StartMerge();
}

util::Status RunSorter::StartMerge() {
  const size_t share =
      std::clamp(memory_bytes_ / std::max<size_t>(runs_.size(), 1), kMinBuffer, kMaxBuffer);
  for (uint32_t i = 0; i < runs_.size(); ++i) {
    runs_[i].buffer.resize(share);
    auto filled = Fill(runs_[i]);
    if (!filled) return filled.TakeError();
    if (*filled) heap_.push_back(i);
  }
  for (size_t i = heap_.size(); i-- > 0;) SiftDown(i);
  return util::Ok();
}

const RunSorter::Head& RunSorter::HeadOf(const Run& run) const {
  return *reinterpret_cast<const Head*>(run.buffer.data() + run.at);
}

util::Result<bool> RunSorter::Fill(Run& run) {
  for (;;) {
    const size_t have = run.filled - run.at;
    size_t needed = sizeof(Head);
    if (have >= needed) needed += Padded(HeadOf(run).bytes);
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

bool RunSorter::Before(uint32_t a, uint32_t b) const {
  const int64_t time_a = HeadOf(runs_[a]).time;
  const int64_t time_b = HeadOf(runs_[b]).time;
  return time_a != time_b ? time_a < time_b : a < b;
}

void RunSorter::SiftDown(size_t at) {
  for (;;) {
    size_t least = at;
    for (const size_t child : {2 * at + 1, 2 * at + 2}) {
      if (child < heap_.size() && Before(heap_[child], heap_[least])) least = child;
    }
    if (least == at) return;
    std::swap(heap_[at], heap_[least]);
    at = least;
  }
}

util::Result<bool> RunSorter::Next(Item& item) {
  if (!file_) {
    if (next_entry_ == entries_.size()) return false;
    const std::byte* at = arena_.data() + entries_[next_entry_++].offset;
    Head head;
    std::memcpy(&head, at, sizeof head);
    item = {head.time, {at + sizeof head, head.bytes}};
    return true;
  }
  if (advance_) {
    Run& run = runs_[heap_.front()];
    run.at += sizeof(Head) + Padded(HeadOf(run).bytes);
    auto filled = Fill(run);
    if (!filled) return filled.TakeError();
    if (!*filled) {
      std::vector<std::byte>().swap(run.buffer);
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    SiftDown(0);
    advance_ = false;
  }
  if (heap_.empty()) return false;
  const Run& run = runs_[heap_.front()];
  const Head& head = HeadOf(run);
  item = {head.time, {run.buffer.data() + run.at + sizeof(Head), head.bytes}};
  advance_ = true;
  return true;
}

}  // namespace sort
