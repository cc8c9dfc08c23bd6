// SPDX-License-Identifier: BSD-2-Clause
#include "query/table_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace query {

KeptScans::Entry& KeptScans::Find(const std::string& plan, const tables::RowFilter& constant) {
  for (Entry& entry : entries_) {
    if (entry.plan == plan && entry.constant == constant) return entry;
  }
  if (entries_.size() == kMost) entries_.pop_front();
  return entries_.emplace_back(Entry{.plan = plan, .constant = constant});
}

util::Status TableCursor::Begin(const ScanPlan& plan, const ScanRequest& request) {
  groups_.reset();
  scan_.reset();
  column_scan_.reset();
  kept_.reset();
  grouped_ = -1;
  left_ = 0;
  ++begins_;
  const bool may_keep = plan.grouped_by.empty() && plan.windows == 0 && (begins_ > 1 || plan.key);
  KeptScans::Entry* entry = may_keep ? &kept_scans_.Find(plan.Encode(), request.constant) : nullptr;
  if (entry != nullptr && entry->begins == 1 && !FindsRoom(plan)) entry->has_no_room = true;
  if (entry != nullptr && ++entry->begins > 1 && !entry->rows && !entry->has_no_room) {
    auto rows = Keep(plan, request.constant);
    if (!rows) return rows.TakeError();
    entry->rows = std::move(*rows);
    entry->has_no_room = entry->rows == nullptr;
  }
  if (entry == nullptr || !entry->rows) {
    if (auto status = Scan(plan, request.filter, request.conditions); !status) return status;
    return Fetch();
  }
  kept_ = entry->rows;
  batch_ = &kept_->shape();
  kept_row_.resize(kept_->width());
  width_ = kept_->width();
  kept_order_ = plan.key ? KeptRows::Order::kKey : KeptRows::Order::kScan;
  if (!plan.key) {
    kept_range_ = kept_->All();
  } else if (!plan.key_condition) {
    kept_range_ = kept_->Between(request.filter.from, request.filter.to);
  } else if (IsText(plan) == (request.key.kind == tables::Cell::Kind::kText) ||
             request.key.is_null()) {
    kept_range_ = kept_->Equal(request.key, request.filter.from, request.filter.to);
  } else {
    // SQLite compares numbers with texts by rules of its own.
    kept_order_ = KeptRows::Order::kScan;
    kept_range_ = kept_->All();
  }
  return Fetch();
}

bool TableCursor::FindsRoom(const ScanPlan& plan) const {
  if (cache_ == nullptr || cache_->has_failed()) return true;
  const auto columns = cache_->Columns(table_, 0);
  const auto bytes_of_row = KeptRows::LeastBytes(static_cast<size_t>(std::popcount(plan.columns)));
  return !columns || (*columns)->table(table_).rows <= kept_scans_.budget().free / bytes_of_row;
}

bool TableCursor::IsText(const ScanPlan& plan) const {
  return InfoOf(table_).columns[*plan.key].type == tables::Type::kText;
}

util::Result<std::shared_ptr<const KeptRows>> TableCursor::Keep(const ScanPlan& plan,
                                                                const tables::RowFilter& constant) {
  ScanPlan all = plan;
  if (plan.key) all.columns |= uint64_t{1} << *plan.key;
  if (auto status = Scan(all, constant, {}); !status) return status.TakeError();
  auto rows = std::make_shared<KeptRows>(table_, all.columns, plan.key, kept_scans_.staying(),
                                         kept_scans_.budget());
  for (;;) {
    const auto more = Advance();
    if (!more) return more.error();
    if (!*more) break;
    for (size_t i = 0; i < batch_->size(); ++i) {
      if (!rows->Add(batch_->row(i), 1 + static_cast<int64_t>(batch_->IdOf(i)))) {
        return std::shared_ptr<const KeptRows>();
      }
    }
  }
  if (auto status = CheckEnd(); !status) return status.TakeError();
  rows->Seal();
  scan_.reset();
  column_scan_.reset();
  return std::shared_ptr<const KeptRows>(std::move(rows));
}

util::Status TableCursor::CheckEnd() const {
  const std::string error = scan_ ? scan_->error() : column_scan_->faults().error;
  if (error.empty()) return util::Ok();
  return util::Error{fmt::format("{}: {}", file_.path(), error),
                     "fxt recover saves what is left of a damaged trace"};
}

std::optional<tables::ScanFaults> TableCursor::faults() const {
  if (scan_) return scan_->faults();
  if (column_scan_) return column_scan_->faults();
  return std::nullopt;
}

util::Status TableCursor::Scan(const ScanPlan& plan, const tables::RowFilter& filter,
                               const std::vector<ColumnCondition>& conditions) {
  if (cache_ != nullptr && !cache_->has_failed()) {
    auto columns = cache_->Columns(table_, plan.columns);
    if (!columns && cache_->has_failed()) return Scan(plan, filter, {});
    if (!columns) return columns.TakeError();
    column_scan_ = std::make_unique<ColumnScan>(std::move(*columns), table_, plan.columns, filter,
                                                conditions, file_.path(), texts_);
    batch_ = &column_scan_->rows();
    width_ = batch_->columns().size();
    return Group(plan);
  }
  auto source = file_.Read();
  if (!source) return source.TakeError();
  source_ = std::move(*source);
  scan_ = std::make_unique<tables::Scan>(file_.path(), *source_, texts_, &shared_);
  scan_->Want(table_, plan.columns, filter);
  batch_ = scan_->rows(table_);
  width_ = batch_->columns().size();
  return Group(plan);
}

util::Result<bool> TableCursor::Advance() {
  if (cancelled_ && cancelled_()) return util::Error{"interrupted", ""};
  return scan_ ? scan_->Advance() : column_scan_->Advance();
}

util::Status TableCursor::Group(const ScanPlan& plan) {
  std::vector<uint8_t> keys;
  for (const uint8_t column : plan.grouped_by) {
    if (batch_->Wants(column)) keys.push_back(batch_->SlotOf(column));
  }
  if (keys.empty()) return util::Ok();
  // Values of windows come behind the columns.
  windows_of_rows_ = plan.windows;
  const size_t windows = static_cast<size_t>(std::popcount(plan.windows));
  auto groups = std::make_unique<RowGroups>(width_ + windows, std::move(keys));
  std::vector<tables::Cell> row(width_ + windows);
  for (;;) {
    const auto more = Advance();
    if (!more) return more.error();
    if (!*more) break;
    for (size_t i = 0; i < batch_->size(); ++i) {
      const tables::Cell* cells = batch_->row(i);
      if (windows != 0) {
        std::copy_n(cells, width_, row.begin());
        size_t at = width_;
        for (size_t number = 0; number < StatementWindows::kMost; ++number) {
          if ((plan.windows >> number & 1) != 0) PutWindow(number, i, row[at++]);
        }
        cells = row.data();
      }
      if (auto status = groups->Add(cells); !status) return status;
    }
  }
  groups->Seal();
  groups_ = std::move(groups);
  return util::Ok();
}

void TableCursor::PutWindow(size_t number, size_t row, tables::Cell& cell) const {
  const bool exists = windows_ != nullptr && number < windows_->values.size() && column_scan_ &&
                      windows_->values[number].table() == table_;
  if (!exists) return cell.SetNull();
  windows_->values[number].Put(column_scan_->RowOf(row), cell);
}

const tables::Cell& TableCursor::Window(size_t number) {
  if (groups_) {
    const uint64_t before = windows_of_rows_ & ((uint64_t{1} << number) - 1);
    return row_[width_ + static_cast<size_t>(std::popcount(before))];
  }
  PutWindow(number, batch_->size() - left_, window_);
  return window_;
}

util::Status TableCursor::Fetch() {
  left_ = 0;
  if (kept_) {
    if (kept_range_.from == kept_range_.to) return util::Ok();
    kept_id_ = kept_->Read(kept_order_, kept_range_.from++, kept_row_.data());
    row_ = kept_row_.data();
    left_ = 1;
    return util::Ok();
  }
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
  auto end = CheckEnd();
  return end ? end : fail(end.TakeError());
}

}  // namespace query
