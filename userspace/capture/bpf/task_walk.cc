// SPDX-License-Identifier: BSD-2-Clause
#include "capture/bpf/task_walk.h"

#include <bpf/bpf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace capture {
namespace {

size_t MappedBytes() {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return (sizeof(fxr_task_walk) + page - 1) / page * page;
}

}  // namespace

util::Result<TaskWalk> TaskWalk::Map(int program_fd, int map_fd) {
  void* memory = mmap(nullptr, MappedBytes(), PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (memory == MAP_FAILED) {
    return util::Error{fmt::format("cannot map the list of tasks: {}", strerror(errno)), ""};
  }
  TaskWalk walk(program_fd, static_cast<fxr_task_walk*>(memory));
  // An empty run yields own_level.
  if (util::Status status = walk.Run(0, 0, 0); !status) return status.error();
  return walk;
}

TaskWalk::~TaskWalk() {
  if (walk_) munmap(walk_, MappedBytes());
}

util::Status TaskWalk::Run(uint32_t level, uint32_t next, uint32_t last) {
  walk_->level = level;
  walk_->next = next;
  walk_->last = last;
  bpf_test_run_opts options{};
  options.sz = sizeof(options);
  int result = 0;
  do {
    result = bpf_prog_test_run_opts(program_fd_, &options);
  } while (result == -EINTR || result == -EAGAIN);
  if (result != 0) {
    return util::Error{fmt::format("cannot read the list of tasks: {}", strerror(-result)), ""};
  }
  return util::Ok();
}

std::optional<fxr_walked_task> TaskWalk::FindAt(uint32_t level, uint32_t id) {
  if (id == 0 || id > FXR_TID_MASK || !Run(level, id, id) || walk_->count == 0) {
    return std::nullopt;
  }
  return walk_->tasks[0];
}

}  // namespace capture
