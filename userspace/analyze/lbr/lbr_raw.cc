// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/lbr/lbr_raw.h"

#include <fmt/format.h>

#include <iterator>

#include "branches/brstack_text.h"
#include "perf/record/branch_entry.h"
#include "text/clean_text.h"
#include "text/json_writer.h"

namespace analyze {

using perf::BranchEntry;
using perf::BranchStackSample;

namespace {

constexpr uint64_t kNsPerSecond = 1'000'000'000;

char PredictionOf(const BranchEntry& entry) {
  if (entry.mispredicted()) return 'M';
  return entry.predicted() ? 'P' : '-';
}

}  // namespace

LbrRawWriter::LbrRawWriter(text::TextWriter& out, LbrRawForm form,
                           const std::optional<LbrSymbolOptions>& symbols)
    : out_(out), form_(form) {
  if (symbols && form != LbrRawForm::kBrstack) places_.emplace(*symbols);
}

void LbrRawWriter::OnModule(const ModuleDeclaration& module) {
  if (places_) places_->OnModule(module);
}

void LbrRawWriter::OnMapping(const MappingDeclaration& mapping) {
  if (places_) places_->OnMapping(mapping);
}

void LbrRawWriter::OnSample(const BranchStackSample& sample) {
  ++samples_;
  branches_ += sample.entries.size();
  switch (form_) {
    case LbrRawForm::kText:
      return WriteText(sample);
    case LbrRawForm::kBrstack:
      line_.clear();
      branches::AppendBrstackLine(sample.pid, sample.tid, sample.cpu, sample.time, sample.entries,
                                  &line_);
      line_.push_back('\n');
      return out_.Append(line_);
    case LbrRawForm::kJson:
      return WriteJson(sample);
  }
}

void LbrRawWriter::WriteText(const BranchStackSample& sample) {
  out_.Print("sample {}.{:09} pid {} tid {}", sample.time / kNsPerSecond,
             sample.time % kNsPerSecond, static_cast<int32_t>(sample.pid),
             static_cast<int32_t>(sample.tid));
  if (sample.cpu) out_.Print(" cpu {}", *sample.cpu);
  if (sample.ip) out_.Print(" ip {:#x}", *sample.ip);
  if (sample.period) out_.Print(" period {}", *sample.period);
  if (sample.hw_idx) out_.Print(" hw_idx {}", static_cast<int64_t>(*sample.hw_idx));
  out_.Print(" branches {}", sample.entries.size());
  if (!sample.event.empty()) out_.Print(" event {}", text::CleanText(sample.event));
  // The name is last: it may contain spaces.
  if (const std::string& name = names_.thread(sample.tid); !name.empty()) {
    out_.Print(" thread {}", text::CleanText(name));
  }
  out_.Append("\n");
  for (size_t i = 0; i < sample.entries.size(); ++i) {
    const BranchEntry& entry = sample.entries[i];
    out_.Print("  {:#x} {:#x} {} {}", entry.from, entry.to, PredictionOf(entry), entry.cycles());
    if (entry.unfilled()) out_.Append(" unfilled");
    if (entry.in_transaction()) out_.Append(" in_tx");
    if (entry.aborted()) out_.Append(" abort");
    for (const std::string_view word :
         {perf::BranchTypeName(entry), perf::SpeculationName(entry), perf::PrivilegeName(entry)}) {
      if (!word.empty()) out_.Print(" {}", word);
    }
    if (i < sample.counters.size()) out_.Print(" counters {:#x}", sample.counters[i]);
    if (places_ && !entry.unfilled()) {
      const PlaceId from = places_->Resolve(sample.pid, entry.from);
      const PlaceId to = places_->Resolve(sample.pid, entry.to);
      out_.Print(" {} -> {}", text::CleanText(places_->Text(from)),
                 text::CleanText(places_->Text(to)));
    }
    out_.Append("\n");
  }
}

void LbrRawWriter::WriteJson(const BranchStackSample& sample) {
  text::JsonWriter json(out_.buffer());
  json.BeginObject().Key("time_ns").Unsigned(sample.time);
  json.Key("pid").Signed(static_cast<int32_t>(sample.pid));
  json.Key("tid").Signed(static_cast<int32_t>(sample.tid));
  if (sample.cpu) json.Key("cpu").Unsigned(*sample.cpu);
  if (const std::string& name = names_.thread(sample.tid); !name.empty()) {
    json.Key("thread").String(name);
  }
  if (!sample.event.empty()) json.Key("event").String(sample.event);
  if (sample.ip) json.Key("ip").Hex(*sample.ip);
  if (sample.period) json.Key("period").Unsigned(*sample.period);
  if (sample.hw_idx) json.Key("hw_idx").Signed(static_cast<int64_t>(*sample.hw_idx));
  json.Key("branches").BeginArray();
  for (size_t i = 0; i < sample.entries.size(); ++i) {
    const BranchEntry& entry = sample.entries[i];
    json.BeginObject().Key("from").Hex(entry.from).Key("to").Hex(entry.to);
    json.Key("mispredicted").Bool(entry.mispredicted());
    json.Key("predicted").Bool(entry.predicted());
    json.Key("cycles").Unsigned(entry.cycles());
    if (entry.unfilled()) json.Key("unfilled").Bool(true);
    if (entry.in_transaction()) json.Key("in_tx").Bool(true);
    if (entry.aborted()) json.Key("abort").Bool(true);
    const auto word = [&](std::string_view key, std::string_view value) {
      if (!value.empty()) json.Key(key).String(value);
    };
    word("type", perf::BranchTypeName(entry));
    word("speculation", perf::SpeculationName(entry));
    word("privilege", perf::PrivilegeName(entry));
    if (i < sample.counters.size()) json.Key("counters").Hex(sample.counters[i]);
    if (places_ && !entry.unfilled()) {
      json.Key("from_place").String(places_->Text(places_->Resolve(sample.pid, entry.from)));
      json.Key("to_place").String(places_->Text(places_->Resolve(sample.pid, entry.to)));
    }
    json.EndObject();
  }
  json.EndArray().EndObject();
  out_.Append("\n");
}

}  // namespace analyze
