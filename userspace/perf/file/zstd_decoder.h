// SPDX-License-Identifier: BSD-2-Clause
// The zstd stream that `perf record -z` spreads over its COMPRESSED records: one frame after the
// other, cut anywhere.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "util/byte_cursor.h"
#include "util/result.h"

struct ZSTD_DCtx_s;

namespace perf {

class ZstdDecoder {
 public:
  ZstdDecoder();
  ~ZstdDecoder();
  ZstdDecoder(ZstdDecoder&&) noexcept;
  ZstdDecoder& operator=(ZstdDecoder&&) noexcept;

  // Decompresses from `*input`, which shrinks by what was taken, into `out`; returns the bytes
  // written. The input is used up when `*input` is empty and less than `out.size()` came out.
  // Memory is bounded by zstd's window limit (128 MiB), however large the announced content.
  util::Result<size_t> Decode(util::Bytes* input, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace perf
