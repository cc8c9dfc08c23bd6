// SPDX-License-Identifier: BSD-2-Clause
// Makes the rows of events, settings, log messages, losses and blobs.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "facts/open_spans.h"
#include "facts/settings_event.h"
#include "fxt/reader.h"
#include "tables/fact_rows.h"
#include "tables/put.h"
#include "tables/rows/batches.h"
#include "tables/task_names.h"

namespace tables {

class EventRows {
 public:
  // All must outlive it. `facts` takes each record before this does.
  EventRows(TaskNames& names, const FactRows& facts, Batches& batches, bool with_times);

  // Takes every record except switches and wakeups, in file order.
  void Add(const fxt::Reader& reader);
  // The begin of the capture, ns: for spans that began before it.
  void SetFirst(uint64_t time) { first_ = time; }
  // Spans without an end.
  void Finish();

  // The latest time of those records, ns.
  uint64_t latest() const { return latest_; }
  uint64_t lost_events() const { return lost_events_; }
  uint64_t unseen_switches() const { return unseen_switches_; }
  // Begins of spans that were dropped, because there was no room.
  uint64_t left_out() const { return open_.left_out(); }

 private:
  void AddEvent(const fxt::Reader& reader, const fxt::Event& event);
  void AddInstant(const fxt::Event& event, uint64_t time);
  void AddCounter(const fxt::Event& event, uint64_t time);
  void AddSpanEvent(const fxt::Reader& reader, const fxt::Event& event, uint64_t time);
  void AddSpan(const facts::OpenSpan& span, const std::optional<uint64_t>& duration);
  void AddSettings(const facts::SettingsEvent& event, uint64_t time);
  void AddLoss(const fxt::Event& event, uint64_t time);
  void PutLoss(uint64_t time, std::string_view kind, const std::optional<uint32_t>& cpu,
               const std::optional<std::string_view>& category,
               const std::optional<uint64_t>& count);
  void AddLog(const fxt::Log& log, uint64_t time);
  struct BlobRow {
    uint64_t time = 0;  // ns
    std::string_view name;
    std::string_view type = "large";
    size_t bytes = 0;
    std::optional<uint32_t> cpu = {};
    std::optional<fxt::Koid> thread = {};
  };
  void AddBlob(const fxt::Reader& reader, const fxt::Blob& blob);
  void PutBlob(const BlobRow& row);
  // For records without a time: the time of the record before.
  uint64_t TimeBefore() const { return std::max(latest_, facts_.latest()); }
  std::optional<uint32_t> CpuOf(fxt::Koid thread) const;
  std::optional<uint32_t> CpuOf(const fxt::Event& event) const;
  bool Chooses(const RowBatch& batch, uint64_t time, fxt::Koid thread) const;
  facts::OpenSpan MakeOpen(const fxt::Event& event, uint64_t time);
  void PutArgs(Cell& cell, RowBatch& batch, std::string_view members);

  TaskNames& names_;
  TextBudget& texts_;
  const FactRows& facts_;
  RowBatch* instants_;
  RowBatch* spans_;
  RowBatch* counters_;
  RowBatch* logs_;
  RowBatch* losses_;
  RowBatch* blobs_;
  RowBatch* settings_;
  // The provider of the record.
  const fxt::ReaderProvider* provider_ = nullptr;
  uint64_t definitions_ = 0;
  const std::string* provider_name_ = nullptr;
  uint64_t owner_ = 0;  // of spans, see facts::KernelSections
  bool with_times_;
  bool with_arguments_ = false;  // of spans
  uint64_t first_ = 0;
  uint64_t latest_ = 0;
  uint64_t lost_events_ = 0;
  uint64_t unseen_switches_ = 0;
  facts::OpenSpans open_;
  fmt::memory_buffer json_;
};

}  // namespace tables
