// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/report/sleep_ledger.h"

#include <algorithm>
#include <utility>

#include "schema/wait_object.h"

namespace analyze {
namespace {

std::string ProcessName(const facts::TaskNames& names, fxt::Koid thread) {
  const auto* known = names.thread(thread);
  if (known == nullptr || !known->process) return "";
  const std::string& name = names.process_name(*known->process);
  return name.empty() ? names.thread_name(thread) : name;
}

template <typename Row>
void SortByTime(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(b.times.ns, a.process, a.object) < std::tie(a.times.ns, b.process, b.object);
  });
}

}  // namespace

void SleepLedger::Times::Add(const facts::Wait& wait) {
  const uint64_t length = wait.end - wait.begin;
  ++count;
  ns += length;
  if (length <= longest_ns) return;
  longest_ns = length;
  longest_begin = wait.begin;
}

void SleepLedger::Add(const facts::Wait& wait, const facts::TaskNames& names) {
  if (wait.object == nullptr || wait.is_runnable() || wait.touches_loss) return;
  const facts::WaitObject& what = *wait.object;
  const auto& ended_by = wait.woken_by();
  const auto whom = what.peer ? what.peer : ended_by;
  Sleep row{.process = ProcessName(names, wait.thread),
            .thread = names.thread_name(wait.thread),
            .syscall = what.syscall,
            .kind = what.kind,
            .object = what.object,
            .whom = whom ? ProcessName(names, *whom) : std::string(),
            .times = {}};
  // The blocking function of a kernel thread, or of a thread whose call is not informative.
  if (row.kind.empty() && row.syscall.empty()) row.kind = what.function;
  std::string key;
  for (const std::string* text :
       {&row.process, &row.thread, &row.syscall, &row.kind, &row.object, &row.whom}) {
    key += *text;
    key += '\0';
  }
  const auto found = sleeps_.find(key);
  if (found != sleeps_.end()) {
    found->second.times.Add(wait);
  } else if (sleeps_.size() < kMaxRows) {
    sleeps_.emplace(std::move(key), std::move(row)).first->second.times.Add(wait);
  } else {
    left_out_.Add(wait);
  }
  const bool is_lock =
      what.kind == schema::wait_kind::kFutex || what.kind == schema::wait_kind::kFileLock;
  if (is_lock && what.peer) AddLock(wait, names);
}

void SleepLedger::AddLock(const facts::Wait& wait, const facts::TaskNames& names) {
  const facts::WaitObject& what = *wait.object;
  const auto* thread = names.thread(wait.thread);
  const bool is_futex = what.kind == schema::wait_kind::kFutex;
  const fxt::Koid process = is_futex && thread != nullptr && thread->process ? *thread->process : 0;
  auto found = locks_.find({process, what.object});
  if (found == locks_.end()) {
    if (locks_.size() >= kMaxLocks) return;
    found = locks_
                .emplace(std::tuple(process, what.object),
                         Lock{.process = ProcessName(names, wait.thread),
                              .kind = what.kind,
                              .object = what.object,
                              .waiters = {},
                              .holders = {},
                              .times = {}})
                .first;
  }
  Lock& lock = found->second;
  lock.times.Add(wait);
  if (lock.waiters.size() < kMaxThreads) lock.waiters.insert(wait.thread);
  if (lock.holders.size() < kMaxThreads || lock.holders.contains(*what.peer)) {
    lock.holders[*what.peer] += wait.end - wait.begin;
  }
}

std::vector<SleepLedger::Sleep> SleepLedger::Sleeps() const {
  std::vector<Sleep> rows;
  rows.reserve(sleeps_.size());
  for (const auto& [key, row] : sleeps_) rows.push_back(row);
  // The map has no order of its own.
  std::sort(rows.begin(), rows.end(), [](const Sleep& a, const Sleep& b) {
    return std::tie(a.thread, a.syscall, a.kind, a.whom) <
           std::tie(b.thread, b.syscall, b.kind, b.whom);
  });
  SortByTime(rows);
  return rows;
}

std::vector<SleepLedger::Lock> SleepLedger::Locks() const {
  std::vector<Lock> rows;
  for (const auto& [key, lock] : locks_) rows.push_back(lock);
  SortByTime(rows);
  return rows;
}

}  // namespace analyze
