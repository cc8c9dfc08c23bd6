// SPDX-License-Identifier: BSD-2-Clause
#include "translate/syscall_translator.h"

#include "util/syscall_names.h"

namespace translate {
namespace {

using model::ThreadHandle;

constexpr int kResultBits = 50;
// Numbers come from programs, which can make up as many as they like.
constexpr size_t kMaxNames = 2048;
constexpr uint64_t kNoKey = ~uint64_t{0};  // stands for all numbers beyond these

// 42 bits in the body, 8 above them in the extra byte, signed.
constexpr int64_t Result(uint64_t body, uint8_t extra) {
  uint64_t bits = (body >> FXR_TID_BITS) | uint64_t{extra} << (64 - FXR_TID_BITS);
  return static_cast<int64_t>(bits << (64 - kResultBits)) >> (64 - kResultBits);
}

fxt::ThreadRef EnteredAs(const model::Thread& thread) {
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

void SyscallTranslator::OnEntry(uint64_t time, uint64_t body, uint8_t extra) {
  ThreadHandle handle = tasks_.Thread(static_cast<uint32_t>(body & FXR_TID_MASK));
  const auto number = static_cast<uint32_t>(body >> FXR_TID_BITS);
  model::Thread& thread = file_.tasks().thread(handle);
  thread.syscall = number;
  thread.syscall_is_compat = extra != 0;
  thread.syscall_koid = thread.koid;
  thread.in_syscall = true;
  file_.Note(file_.writer().WriteEvent(fxt::EventType::kDurationBegin, time, file_.Mention(handle),
                                       file_.Id(Word::kCategorySyscall), Name(number, extra != 0)));
  ++stats_.recorded[FXR_CATEGORY_SYSCALL];
}

void SyscallTranslator::OnExit(uint64_t time, uint64_t body, uint8_t extra) {
  ThreadHandle handle = tasks_.Thread(static_cast<uint32_t>(body & FXR_TID_MASK));
  model::Thread& thread = file_.tasks().thread(handle);
  if (!thread.in_syscall) {
    ++stats_.unmatched_ends;
    return;
  }
  thread.in_syscall = false;
  int64_t result = Result(body, extra);
  // The duration ends on the thread it began on, which an exec has renumbered since.
  const bool renumbered = thread.syscall_koid != thread.koid;
  OpenRecord record = renumbered ? file_.Begin() : file_.Begin(handle);
  fxt::Argument argument{record.Ref(Word::kRet), result};
  if (result == static_cast<int32_t>(result)) argument.value = static_cast<int32_t>(result);
  record.Write(fxt::Event{.type = fxt::EventType::kDurationEnd,
                          .timestamp = time,
                          .thread = renumbered ? EnteredAs(thread) : record.thread(),
                          .category = record.Ref(Word::kCategorySyscall),
                          .name = record.Refer(Name(thread.syscall, thread.syscall_is_compat)),
                          .arguments = {&argument, 1}});
  ++stats_.recorded[FXR_CATEGORY_SYSCALL];
}

void SyscallTranslator::OnThreadEnd(uint64_t time, uint32_t tid) {
  ThreadHandle handle = file_.tasks().Find(tid);
  if (handle == model::kNoHandle || !file_.tasks().thread(handle).in_syscall) return;
  model::Thread& thread = file_.tasks().thread(handle);
  thread.in_syscall = false;
  if (thread.syscall_koid != thread.koid) {
    OpenRecord record = file_.Begin();
    record.Write(fxt::Event{.type = fxt::EventType::kDurationEnd,
                            .timestamp = time,
                            .thread = EnteredAs(thread),
                            .category = record.Ref(Word::kCategorySyscall),
                            .name = record.Refer(Name(thread.syscall, thread.syscall_is_compat)),
                            .arguments = {}});
    return;
  }
  file_.Note(file_.writer().WriteEvent(fxt::EventType::kDurationEnd, time, file_.Mention(handle),
                                       file_.Id(Word::kCategorySyscall),
                                       Name(thread.syscall, thread.syscall_is_compat)));
}

}  // namespace translate
