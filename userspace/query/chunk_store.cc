// SPDX-License-Identifier: BSD-2-Clause
#include "query/chunk_store.h"

#include <unistd.h>

#include <cerrno>
#include <utility>

#include "output/unnamed_file.h"

namespace query {
namespace {

off_t OffsetOf(uint32_t place) {
  return static_cast<off_t>(place) * static_cast<off_t>(ChunkStore::kChunkBytes);
}

template <typename Container>
bool TakeLast(Container& from, uint32_t& to) {
  if (from.empty()) return false;
  to = from.back();
  from.pop_back();
  return true;
}

}  // namespace

uint32_t ChunkStore::TakePlace() {
  uint32_t place = 0;
  if (TakeLast(free_places_, place)) return place;
  if (places_ % kBlockChunks == 0) {
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kBlockChunks * kChunkBytes));
  }
  return places_++;
}

util::Status ChunkStore::Grow(List& list) {
  if (list.last != kNone) {
    if (kept_ < kKept) {
      ++kept_;
    } else if (auto status = WriteOut(chunks_[list.last]); !status) {
      return status;
    }
  }
  uint32_t number = 0;
  if (!TakeLast(free_chunks_, number)) {
    number = static_cast<uint32_t>(chunks_.size());
    chunks_.emplace_back();
  }
  chunks_[number] = Chunk{.place = TakePlace()};
  (list.last == kNone ? list.first : chunks_[list.last].next) = number;
  list.last = number;
  return util::Ok();
}

util::Status ChunkStore::WriteOut(Chunk& chunk) {
  if (!file_) {
    auto made = output::MakeUnnamedFile();
    if (!made) return made.TakeError();
    file_ = std::move(*made);
  }
  uint32_t place = 0;
  if (!TakeLast(free_file_places_, place)) place = file_places_++;
  for (size_t done = 0; done < kChunkBytes;) {
    const ssize_t n = pwrite(file_.get(), At(chunk.place) + done, kChunkBytes - done,
                             OffsetOf(place) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return output::UnnamedFileFailed("write");
    done += static_cast<size_t>(n);
  }
  free_places_.push_back(chunk.place);
  chunk.place = place;
  chunk.in_file = true;
  return util::Ok();
}

util::Status ChunkStore::ReadIn(const Chunk& chunk, std::span<std::byte> into) const {
  for (size_t done = 0; done < into.size();) {
    const ssize_t n = pread(file_.get(), into.data() + done, into.size() - done,
                            OffsetOf(chunk.place) + static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return output::UnnamedFileFailed("read");
    done += static_cast<size_t>(n);
  }
  return util::Ok();
}

void ChunkStore::Free(uint32_t number) {
  const Chunk& chunk = chunks_[number];
  (chunk.in_file ? free_file_places_ : free_places_).push_back(chunk.place);
  if (!chunk.in_file && kept_ != 0) --kept_;
  free_chunks_.push_back(number);
}

util::Result<std::span<const std::byte>> ChunkStore::Reader::Rest() {
  if (!rest_.empty() || store_ == nullptr) return rest_;
  if (chunk_ != kNone) store_->Free(chunk_);
  chunk_ = next_;
  if (chunk_ == kNone) return rest_;
  const Chunk& chunk = store_->chunks_[chunk_];
  next_ = chunk.next;
  if (chunk.in_file) {
    if (auto status = store_->ReadIn(chunk, std::span(copy_).first(chunk.used)); !status) {
      return status.TakeError();
    }
    rest_ = std::span(copy_).first(chunk.used);
  } else {
    rest_ = {store_->At(chunk.place), chunk.used};
  }
  return rest_;
}

}  // namespace query
