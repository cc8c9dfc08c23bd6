// SPDX-License-Identifier: BSD-2-Clause
#include "fxt/archive_writer.h"

#include "fxt/record.h"
#include "fxt/utf8.h"

namespace fxt {

ArchiveWriter::ArchiveWriter(ByteSink& sink, size_t chunk_bytes)
    : buffer_(sink, chunk_bytes), encoder_(buffer_) {
  // It fails only with the sink; every later record fails then.
  static_cast<void>(encoder_.Write(MagicNumber{}));
}

uint32_t ArchiveWriter::OpenProvider(std::string_view name) {
  const uint32_t id = ++last_id_;
  static_cast<void>(
      encoder_.Write(ProviderInfo{.id = id, .name = CutUtf8(name, kMaxProviderNameBytes)}));
  static_cast<void>(WriteSection(id));
  static_cast<void>(encoder_.Write(Initialization{.ticks_per_second = kTicksPerSecond}));
  return id;
}

EncodeStatus ArchiveWriter::WriteSection(uint32_t id) {
  const auto status = encoder_.Write(ProviderSection{.id = id});
  if (status == EncodeStatus::kOk) {
    current_ = id;
    ++sections_;
  }
  return status;
}

}  // namespace fxt
