// SPDX-License-Identifier: BSD-2-Clause
// Queries tasks from the kernel: all, or one by id. Shows the whole machine also from a nested pid
// namespace. See bpf/task_walk.bpf.c.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fxt_record/task_walk.h"
#include "util/result.h"

namespace capture {

class TaskWalk {
 public:
  // `program_fd` and `map_fd` are those of walk_tasks; they must stay open.
  static util::Result<TaskWalk> Map(int program_fd, int map_fd);
  TaskWalk(TaskWalk&& other) noexcept
      : program_fd_(other.program_fd_), walk_(std::exchange(other.walk_, nullptr)) {}
  TaskWalk& operator=(TaskWalk&&) = delete;
  ~TaskWalk();

  // The number of pid namespaces around this process's own; 0: it is in the initial one.
  uint32_t own_level() const { return walk_->own_level; }
  // Sets the namespace level of fxr_walked_task.number; initially 0.
  void set_number_level(uint32_t level) { walk_->number_level = level; }

  // Calls `visit(const fxr_walked_task&)` for each task, ordered by id.
  template <typename Visit>
  util::Status ForEach(Visit visit) {
    for (uint32_t next = 1; next != 0 && next <= FXR_TID_MASK;) {
      if (util::Status status = Run(0, next, FXR_TID_MASK); !status) return status;
      next = walk_->next;
      // A copy, because `visit` may look up a task.
      const std::vector<fxr_walked_task> tasks(walk_->tasks, walk_->tasks + walk_->count);
      for (const fxr_walked_task& task : tasks) visit(task);
    }
    return util::Ok();
  }
  // The task with this id in the initial namespace.
  std::optional<fxr_walked_task> Find(uint32_t tid) { return FindAt(0, tid); }
  // The task with this id in this process's namespace.
  std::optional<fxr_walked_task> FindByOwnId(uint32_t id) { return FindAt(own_level(), id); }

 private:
  TaskWalk(int program_fd, fxr_task_walk* walk) : program_fd_(program_fd), walk_(walk) {}
  util::Status Run(uint32_t level, uint32_t next, uint32_t last);
  std::optional<fxr_walked_task> FindAt(uint32_t level, uint32_t id);

  int program_fd_;
  fxr_task_walk* walk_;  // shared memory; the program writes it only during Run
};

}  // namespace capture
