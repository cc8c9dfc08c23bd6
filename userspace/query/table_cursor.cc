// SPDX-License-Identifier: BSD-2-Clause
#include "query/table_cursor.h"

#include <fmt/format.h>

#include <utility>

namespace query {

util::Status TableCursor::Begin(const ScanPlan& plan, const tables::RowFilter& filter) {
  groups_.reset();
  scan_.reset();
  grouped_ = -1;
  left_ = 0;
  auto source = file_.Read();
  if (!source) return source.TakeError();
  source_ = std::move(*source);
  scan_ = std::make_unique<tables::Scan>(file_.path(), *source_, texts_, &shared_);
  scan_->Want(table_, plan.columns, filter);
  batch_ = scan_->rows(table_);
  width_ = batch_->columns().size();
  if (auto status = Group(plan); !status) return status;
  return Fetch();
}

util::Result<bool> TableCursor::Advance() {
  if (cancelled_ && cancelled_()) return util::Error{"interrupted", ""};
  return scan_->Advance();
}

util::Status TableCursor::Group(const ScanPlan& plan) {
  std::vector<uint8_t> keys;
  for (const uint8_t column : plan.grouped_by) {
    if (batch_->Wants(column)) keys.push_back(batch_->SlotOf(column));
  }
  if (keys.empty()) return util::Ok();
  auto groups = std::make_unique<RowGroups>(width_, std::move(keys));
  for (;;) {
    const auto more = Advance();
    if (!more) return more.error();
    if (!*more) break;
    for (size_t i = 0; i < batch_->size(); ++i) {
      if (auto status = groups->Add(batch_->row(i)); !status) return status;
    }
  }
  groups->Seal();
  groups_ = std::move(groups);
  return util::Ok();
}

util::Status TableCursor::Fetch() {
  left_ = 0;
  const auto fail = [&](util::Error error) {
    error_ = error;
    return util::Status(std::move(error));
  };
  if (groups_) {
    auto row = groups_->Next();
    if (!row) return fail(row.TakeError());
    row_ = *row;
    ++grouped_;
    left_ = row_ == nullptr ? 0 : 1;
    if (row_ != nullptr) return util::Ok();
  } else {
    for (;;) {
      const auto more = Advance();
      if (!more) return fail(more.error());
      if (!*more) break;
      if (batch_->size() == 0) continue;
      row_ = batch_->row(0);
      left_ = batch_->size();
      return util::Ok();
    }
  }
  if (!scan_->error().empty()) {
    return fail({fmt::format("{}: {}", file_.path(), scan_->error()),
                 "fxt recover saves what is left of a damaged trace"});
  }
  return util::Ok();
}

}  // namespace query
