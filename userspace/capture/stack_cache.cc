// SPDX-License-Identifier: BSD-2-Clause
#include "capture/stack_cache.h"

#include <algorithm>
#include <utility>

#include "fxt_record/long_event.h"

namespace capture {

const fxr_side_header& StackCache::Complete(const fxr_side_header& event) {
  if (event.type != FXR_SIDE_LONG) return event;
  const auto& sent = reinterpret_cast<const fxr_long&>(event);
  fxr_stack_long stack;
  if (fxr_unpack_stack(&sent, &stack)) {
    if (stack.id != 0) {
      const auto* frames = static_cast<const uint64_t*>(fxr_long_bytes(&sent));
      stacks_.insert_or_assign(
          stack.id,
          Stack{stack.user_frames, stack.end, {frames, frames + sent.bytes / sizeof(uint64_t)}});
    }
    return event;
  }
  fxr_stack_again_long again;
  if (!fxr_unpack_stack_again(&sent, &again)) return event;
  static const Stack kNothing;
  const Stack* known = &kNothing;
  if (const auto found = stacks_.find(again.id); found != stacks_.end()) {
    known = &found->second;
  } else if (const auto older = older_.find(again.id); older != older_.end()) {
    known = &older->second;
  }
  const size_t bytes = known->frames.size() * sizeof(uint64_t);
  const size_t size = FXR_LONG_SIZE(stack, bytes);
  completed_.resize(size / sizeof(uint64_t));
  auto* whole = reinterpret_cast<fxr_long*>(completed_.data());
  whole->header = sent.header;
  whole->header.size = static_cast<fxr_u32>(size);
  whole->category = sent.category;
  fxr_stack_long fields{};
  fields.kind = again.kind;
  fields.tid = again.tid;
  fields.tgid = again.tgid;
  fields.away = again.away;
  fields.user_frames = known->user_frames;
  fields.end = known->end;
  fxr_pack_stack(whole, fields, static_cast<fxr_u32>(bytes));
  std::ranges::copy(known->frames, static_cast<uint64_t*>(fxr_stack_bytes(whole)));
  return whole->header;
}

bool StackCache::BeginGeneration() {
  if (stacks_.size() < kMax) return false;
  older_ = std::exchange(stacks_, {});
  return true;
}

}  // namespace capture
