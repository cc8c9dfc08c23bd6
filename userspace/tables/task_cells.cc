// SPDX-License-Identifier: BSD-2-Clause
#include "tables/task_cells.h"

#include "tables/put.h"

namespace tables {

uint32_t TaskCells::Find(fxt::Koid thread, const std::optional<fxt::Koid>& process) {
  const TaskRef task{thread, process};
  Cells cells;
  PutTask<TaskColumn::kTid>(cells[kTaskTid], nullptr, names_, task);
  PutTask<TaskColumn::kPid>(cells[kTaskPid], nullptr, names_, task);
  PutTask<TaskColumn::kThread>(cells[kTaskThread], nullptr, names_, task);
  PutTask<TaskColumn::kProcess>(cells[kTaskProcess], nullptr, names_, task);
  cells[kTaskKoid].SetId(thread);
  Key key;
  int64_t& nulls = key.back();
  nulls = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    key[i] = cells[i].is_null() ? 0 : cells[i].integer;
    if (cells[i].is_null()) nulls |= int64_t{1} << i;
  }
  if (const auto found = numbers_.find(key); found != numbers_.end()) return found->second;
  if (cells_.size() >= kMost) {
    is_full_ = true;
    return kNone;
  }
  const auto number = static_cast<uint32_t>(cells_.size());
  cells_.push_back(cells);
  numbers_.emplace(key, number);
  return number;
}

}  // namespace tables
