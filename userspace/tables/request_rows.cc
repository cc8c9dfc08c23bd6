// SPDX-License-Identifier: BSD-2-Clause
#include "tables/request_rows.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "path/request_choice.h"
#include "path/trace_id.h"
#include "schema/koid.h"
#include "tables/put.h"
#include "tables/rows/schema.h"

namespace tables {
namespace {

path::PathOptions OptionsFor(const Batches& batches, const TaskNames& names) {
  const RowBatch* rows = batches.of(Table::kRequests);
  path::PathOptions options;
  options.wants_span = [](std::string_view category, std::string_view, bool of_kernel) {
    return path::MayBeRequest(category, of_kernel);
  };
  if (rows != nullptr && rows->Wants(requests::kTraceId)) {
    options.arguments = path::KeptArguments::kTraceId;
  }
  if (rows != nullptr && rows->Wants(requests::kArgs)) {
    options.arguments = path::KeptArguments::kAll;
  }
  options.with_parts = batches.of(Table::kPath) != nullptr;
  options.free_steps = RequestRows::kFreeSteps;
  options.names = &names;
  return options;
}

void PutKept(Cell& cell, RowBatch& batch, std::string_view text) {
  if (text.empty()) {
    cell.SetNull();
  } else {
    cell.Set(batch.KeepClean(text));
  }
}

}  // namespace

RequestRows::RequestRows(const TaskNames& names, const facts::TimelineState& timeline,
                         Batches& batches)
    : names_(names),
      texts_(batches.texts()),
      requests_(batches.of(Table::kRequests)),
      path_(batches.of(Table::kPath)),
      builder_(timeline, OptionsFor(batches, names),
               [this](const path::Request& request, std::span<const path::Part> parts) {
                 Add(request, parts);
               }) {}

void RequestRows::AddRequest(const path::Request& request) {
  const RowFilter& filter = requests_->filter();
  if (!filter.HasTime(request.begin) ||
      (filter.tid && !filter.HasTid(names_.NumberOf(request.thread)))) {
    return requests_->PassOver();
  }
  const TaskRef task{request.thread, request.process};
  requests_->Add([&](uint8_t column, Cell& cell) {
    switch (column) {
      case requests::kId:
        return cell.Set(request.id);
      case requests::kName:
        return cell.Set(requests_->KeepClean(request.name));
      case requests::kTs:
        return cell.Set(request.begin);
      case requests::kDur:
        return cell.Set(request.duration());
      case requests::kTid:
        return PutTask<TaskColumn::kTid>(cell, &texts_, names_, task);
      case requests::kPid:
        return PutTask<TaskColumn::kPid>(cell, &texts_, names_, task);
      case requests::kTraceId:
        return PutKept(cell, *requests_, path::TraceIdOf(request.members));
      default:
        if (request.members.empty()) return cell.SetNull();
        return cell.Set(requests_->Keep(fmt::format("{{{}}}", request.members)));
    }
  });
}

void RequestRows::Add(const path::Request& request, std::span<const path::Part> parts) {
  if (requests_ != nullptr) AddRequest(request);
  if (path_ == nullptr) return;
  const RowFilter& filter = path_->filter();
  for (const path::Part& part : parts) {
    const bool has_thread = part.thread != facts::kNoThread;
    const auto tid = has_thread ? names_.NumberOf(builder_.KoidOf(part.thread)) : std::nullopt;
    if (!filter.HasTime(part.begin) || !filter.HasTid(tid)) {
      path_->PassOver();
      continue;
    }
    path_->Add([&](uint8_t column, Cell& cell) {
      switch (column) {
        case path_parts::kRequest:
          return cell.Set(request.id);
        case path_parts::kTs:
          return cell.Set(part.begin);
        case path_parts::kDur:
          return cell.Set(part.length);
        case path_parts::kKind:
          return cell.Set(std::string_view(path::NameOf(part.kind)));
        case path_parts::kTid:
          return cell.SetId(tid);
        case path_parts::kWaitedFor:
          return PutKept(cell, *path_, text_.WaitedFor(part, path::PartText::Names::kWithId));
        case path_parts::kObject:
          return PutKept(cell, *path_, text_.Text(part.waited_for.object));
        default:
          return PutKept(cell, *path_, text_.Text(part.waited_for.stack));
      }
    });
  }
}

}  // namespace tables
