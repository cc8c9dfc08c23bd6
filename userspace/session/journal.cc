// SPDX-License-Identifier: BSD-2-Clause
#include "session/journal.h"

#include <algorithm>

namespace session {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 16;

}  // namespace

fxr_side_header& Journal::Append(const fxr_side_header& event) {
  const size_t size = Padded(event.size);
  if (chunks_.empty() ||
      chunks_.back().chunk->data.size() * sizeof(uint64_t) - chunks_.back().end < size) {
    const size_t capacity = std::max(kChunkBytes, size);
    chunks_.push_back({std::make_shared<Chunk>(capacity)});
    bytes_ += capacity;
  }
  Part& last = chunks_.back();
  std::byte* const place = reinterpret_cast<std::byte*>(last.chunk->data.data()) + last.end;
  std::memcpy(place, &event, event.size);
  last.end += size;
  return *reinterpret_cast<fxr_side_header*>(place);
}

const fxr_side_header* Journal::Front() const {
  return chunks_.empty() || chunks_.front().begin == chunks_.front().end
             ? nullptr
             : At(*chunks_.front().chunk, chunks_.front().begin);
}

void Journal::Pop() {
  Part& first = chunks_.front();
  first.begin += Padded(At(*first.chunk, first.begin)->size);
  if (first.begin < first.end || chunks_.size() == 1) return;
  bytes_ -= first.chunk->data.size() * sizeof(uint64_t);
  chunks_.pop_front();
}

Journal::View Journal::Share() const {
  View view;
  for (const Part& part : chunks_) {
    if (part.begin < part.end) view.parts_.push_back(part);
  }
  return view;
}

void Journal::View::Pop() {
  Part& part = parts_[part_];
  part.begin += Padded(At(*part.chunk, part.begin)->size);
  if (part.begin < part.end) return;
  part.chunk.reset();
  ++part_;
}

}  // namespace session
