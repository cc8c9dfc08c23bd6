// SPDX-License-Identifier: BSD-2-Clause
#include "capture/tracepoint_recorder.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "capture/tracefs/tracefs.h"
#include "fxt_record/long_event.h"

namespace capture {
namespace {

struct Choice {
  std::string filter;
  bool by_name = false;  // selected without wildcards
};

util::Result<std::map<std::string, Choice>> Choose(
    const Tracefs& tracefs, const std::vector<request::Tracepoint>& requests) {
  const std::vector<std::string> names = tracefs.Names();
  std::map<std::string, Choice> choices;
  for (const request::Tracepoint& request : requests) {
    const std::vector<std::string> matches = Tracefs::Match(names, request.pattern);
    if (matches.empty()) return Tracefs::NoSuch(names, request.pattern);
    for (const std::string& name : matches) {
      Choice& choice = choices[name];
      choice.filter = request.filter;
      choice.by_name |= matches.size() == 1;
    }
  }
  if (choices.size() > TracepointRecorder::kMaxTracepoints) {
    return util::Error{fmt::format("{} tracepoints are asked for; {} can be recorded at once",
                                   choices.size(), TracepointRecorder::kMaxTracepoints),
                       "ask for fewer, as in -e 'sched:*'"};
  }
  return choices;
}

// Each tracepoint takes a descriptor per CPU.
void AllowManyFiles() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

util::Result<std::unique_ptr<TracepointRecorder>> TracepointRecorder::Open(
    const std::vector<request::Tracepoint>& requests, size_t ring_bytes,
    std::vector<std::string>* notes) {
  const auto tracefs = Tracefs::Open();
  if (!tracefs) return tracefs.error();
  const auto choices = Choose(*tracefs, requests);
  if (!choices) return choices.error();
  AllowManyFiles();
  auto session = std::make_unique<perf::TracepointSession>(ring_bytes);
  if (util::Status status = session->Open(); !status) return status.TakeError();
  std::vector<schema::TracepointFormat> formats;
  util::Error last_refusal;
  for (const auto& [name, choice] : *choices) {
    auto format = tracefs->Format(name);
    util::Status added =
        format ? session->Add(format->id, name, choice.filter) : util::Status(format.error());
    if (added) {
      formats.push_back(std::move(*format));
    } else if (choice.by_name || !choice.filter.empty()) {
      return added.TakeError();
    } else {
      notes->push_back(fmt::format("left out: {}", added.error().message));
      last_refusal = added.TakeError();
    }
  }
  if (formats.empty()) return last_refusal;
  return std::make_unique<TracepointRecorder>(std::move(session), std::move(formats));
}

TracepointRecorder::TracepointRecorder(std::unique_ptr<perf::TracepointSession> session,
                                       std::vector<schema::TracepointFormat> formats)
    : PerfSource(FXR_CATEGORY_TRACEPOINT),
      session_(std::move(session)),
      formats_(std::move(formats)) {
  for (size_t i = 0; i < formats_.size(); ++i) {
    numbers_.emplace(formats_[i].id, static_cast<uint32_t>(i));
  }
}

void TracepointRecorder::Disable(uint64_t now) {
  session_->Disable();
  Collect(now);
  for (const auto& [cpu, count] : session_->CountUnreported()) {
    if (count > 0) queue().AddLoss(now, cpu, count);
  }
}

void TracepointRecorder::Collect(uint64_t now) {
  const auto take = [this, now](unsigned cpu, const perf::Record& record) {
    OnRecord(cpu, record, now);
  };
  session_->FollowCpus(take);
  session_->Drain(take);
}

void TracepointRecorder::OnRecord(unsigned cpu, const perf::Record& record, uint64_t now) {
  if (const auto* sample = std::get_if<perf::Sample>(&record.body)) {
    OnSample(cpu, *sample, sample->where.time.value_or(now));
  } else {
    TakeCommon(cpu, record, now);
  }
}

void TracepointRecorder::OnSample(unsigned cpu, const perf::Sample& sample, uint64_t time) {
  schema::TracepointHeader header{};
  if (!sample.raw || sample.raw->size() < sizeof(header)) return;
  std::memcpy(&header, sample.raw->data(), sizeof(header));
  const auto number = numbers_.find(header.id);
  const auto tid = static_cast<uint32_t>(header.tid);
  if (number == numbers_.end() || !IsWanted(tid, sample.where.pid.value_or(0))) return;
  const size_t size = FXR_LONG_SIZE(tracepoint, sample.raw->size());
  PerfQueue::Event words((size + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  auto* event = reinterpret_cast<fxr_long*>(words.data());
  event->header.time = time;
  event->header.type = FXR_SIDE_LONG;
  event->header.cpu = static_cast<fxr_u16>(sample.where.cpu.value_or(cpu));
  event->header.size = static_cast<fxr_u32>(words.size() * sizeof(uint64_t));
  event->category = FXR_CATEGORY_TRACEPOINT;
  fxr_pack_tracepoint(event, fxr_tracepoint_long{number->second, tid},
                      static_cast<fxr_u32>(sample.raw->size()));
  std::memcpy(fxr_tracepoint_bytes(event), sample.raw->data(), sample.raw->size());
  queue().Add(time, std::move(words));
}

}  // namespace capture
