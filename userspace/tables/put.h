// SPDX-License-Identifier: BSD-2-Clause
// Columns of the thread of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tables/rows/cell.h"
#include "tables/rows/text_budget.h"
#include "tables/task_names.h"

namespace tables {

// A thread, and its process if the thread's record does not name it.
struct TaskRef {
  fxt::Koid thread = 0;
  std::optional<fxt::Koid> process;
};

enum class TaskColumn : uint8_t { kTid, kPid, kThread, kProcess };

// Puts a text that outlives the rows. `texts` counts it once for each row that has it; null: it is
// counted elsewhere.
inline void PutText(Cell& cell, TextBudget* texts, const std::string* text) {
  if (text == nullptr) {
    cell.SetNull();
  } else {
    cell.Set(texts == nullptr ? std::string_view(*text) : texts->Fit(*text));
  }
}

inline void PutNumber(Cell& cell, const TaskNames& names, const std::optional<fxt::Koid>& koid) {
  cell.SetId(koid ? names.NumberOf(*koid) : std::nullopt);
}

inline void PutThreadName(Cell& cell, TextBudget* texts, const TaskNames& names,
                          const std::optional<fxt::Koid>& koid) {
  PutText(cell, texts, koid ? names.ThreadName(*koid) : nullptr);
}

template <TaskColumn column>
void PutTask(Cell& cell, TextBudget* texts, const TaskNames& names, const TaskRef& task) {
  if constexpr (column == TaskColumn::kTid) {
    cell.SetId(names.NumberOf(task.thread));
  } else if constexpr (column == TaskColumn::kPid) {
    PutNumber(cell, names, names.ProcessOf(task.thread, task.process));
  } else if constexpr (column == TaskColumn::kThread) {
    PutText(cell, texts, names.ThreadName(task.thread));
  } else {
    PutText(cell, texts, names.ProcessName(names.ProcessOf(task.thread, task.process)));
  }
}

}  // namespace tables
