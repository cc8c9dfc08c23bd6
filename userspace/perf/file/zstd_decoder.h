// SPDX-License-Identifier: BSD-2-Clause
// Decodes the zstd stream of `perf record -z`: consecutive frames, split arbitrarily over
// COMPRESSED records.
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

  // Decompresses from `*input`, which is advanced, into `out`; returns the bytes written. The input
  // is used up if `*input` is empty and fewer than `out.size()` bytes were written. Memory is
  // bounded by zstd's window limit (128 MiB).
  util::Result<size_t> Decode(util::Bytes* input, std::span<std::byte> out);

 private:
  struct Free {
    void operator()(ZSTD_DCtx_s* context) const;
  };
  std::unique_ptr<ZSTD_DCtx_s, Free> context_;
};

}  // namespace perf
