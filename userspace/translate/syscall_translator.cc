// SPDX-License-Identifier: BSD-2-Clause
#include "translate/syscall_translator.h"

#include "util/syscall_names.h"

namespace translate {
namespace {

using model::ThreadHandle;

// Limits the names, because programs can call any number.
constexpr size_t kMaxNames = 2048;
constexpr uint64_t kNoKey = ~uint64_t{0};  // shared by all numbers beyond these

fxt::ThreadRef EnteredAs(const FileThread& thread) {
  return fxt::ThreadRef::Inline(thread.process_koid, thread.syscall_koid);
}

}  // namespace

fxt::StringId SyscallTranslator::Name(uint32_t number, bool compat) {
  uint64_t key = uint64_t{number} << 1 | (compat ? 1 : 0);
  auto known = names_.find(key);
  if (known != names_.end()) return known->second;
  std::string name = "syscall";
  if (names_.size() < kMaxNames) {
    name = util::SyscallName(static_cast<int>(number),
                             compat ? util::SyscallTable::kCompat : util::SyscallTable::kNative);
  } else if (known = names_.find(kNoKey); known != names_.end()) {
    return known->second;
  } else {
    key = kNoKey;
  }
  return names_.emplace(key, file_.Declare(name)).first->second;
}

void SyscallTranslator::OnEntry(uint64_t time, const fxr_syscall_entry_body& event) {
  ThreadHandle handle = tasks_.Thread(event.tid);
  const bool compat = event.is_compat != 0;
  FileThread& thread = file_.thread(handle);
  // A thread is in one call at a time, so the return of the previous one was lost.
  if (thread.in_syscall) EndOpen(time, handle);
  thread.syscall = event.number;
  thread.syscall_is_compat = compat;
  thread.syscall_koid = file_.tasks().thread(handle).koid;
  thread.in_syscall = true;
  file_.CountRefusal(
      file_.writer().WriteEvent(fxt::EventType::kDurationBegin, time, file_.Mention(handle),
                                file_.Id(FXR_CATEGORY_SYSCALL), Name(event.number, compat)));
  ++stats_.recorded[FXR_CATEGORY_SYSCALL];
}

void SyscallTranslator::OnExit(uint64_t time, const fxr_syscall_exit_body& event) {
  ThreadHandle handle = tasks_.Thread(event.tid);
  FileThread& thread = file_.thread(handle);
  if (!thread.in_syscall) {
    ++stats_.unmatched_ends;
    return;
  }
  thread.in_syscall = false;
  const int64_t result = event.result;
  // The duration must end under the koid it began with, which exec may have changed.
  const bool renumbered = thread.syscall_koid != file_.tasks().thread(handle).koid;
  OpenRecord record = renumbered ? file_.Begin() : file_.Begin(handle);
  fxt::Argument argument{record.Ref(CommonString::kRet), result};
  if (result == static_cast<int32_t>(result)) argument.value = static_cast<int32_t>(result);
  record.Write(fxt::Event{.type = fxt::EventType::kDurationEnd,
                          .timestamp = time,
                          .thread = renumbered ? EnteredAs(thread) : record.thread(),
                          .category = record.Ref(FXR_CATEGORY_SYSCALL),
                          .name = record.Refer(Name(thread.syscall, thread.syscall_is_compat)),
                          .arguments = {&argument, 1}});
  ++stats_.recorded[FXR_CATEGORY_SYSCALL];
}

void SyscallTranslator::OnThreadEnd(uint64_t time, uint32_t tid) {
  const ThreadHandle handle = file_.tasks().Find(tid);
  if (handle != model::kNoHandle && file_.thread(handle).in_syscall) EndOpen(time, handle);
}

void SyscallTranslator::EndOpen(uint64_t time, ThreadHandle handle) {
  FileThread& thread = file_.thread(handle);
  thread.in_syscall = false;
  if (thread.syscall_koid != file_.tasks().thread(handle).koid) {
    OpenRecord record = file_.Begin();
    record.Write(fxt::Event{.type = fxt::EventType::kDurationEnd,
                            .timestamp = time,
                            .thread = EnteredAs(thread),
                            .category = record.Ref(FXR_CATEGORY_SYSCALL),
                            .name = record.Refer(Name(thread.syscall, thread.syscall_is_compat)),
                            .arguments = {}});
    return;
  }
  file_.CountRefusal(file_.writer().WriteEvent(
      fxt::EventType::kDurationEnd, time, file_.Mention(handle), file_.Id(FXR_CATEGORY_SYSCALL),
      Name(thread.syscall, thread.syscall_is_compat)));
}

}  // namespace translate
