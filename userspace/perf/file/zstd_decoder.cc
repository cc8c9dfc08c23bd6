// SPDX-License-Identifier: BSD-2-Clause
#include "perf/file/zstd_decoder.h"

#include <fmt/core.h>
#include <zstd.h>

namespace perf {

void ZstdDecoder::Free::operator()(ZSTD_DCtx_s* context) const { ZSTD_freeDCtx(context); }

ZstdDecoder::ZstdDecoder() : context_(ZSTD_createDCtx()) {}
ZstdDecoder::~ZstdDecoder() = default;
ZstdDecoder::ZstdDecoder(ZstdDecoder&&) noexcept = default;
ZstdDecoder& ZstdDecoder::operator=(ZstdDecoder&&) noexcept = default;

util::Result<size_t> ZstdDecoder::Decode(util::Bytes* input, std::span<std::byte> out) {
  if (!context_) return util::Error{"no memory for zstd", ""};
  ZSTD_inBuffer in{input->data(), input->size(), 0};
  ZSTD_outBuffer produced{out.data(), out.size(), 0};
  while (produced.pos < produced.size) {
    const size_t in_before = in.pos;
    const size_t out_before = produced.pos;
    const size_t status = ZSTD_decompressStream(context_.get(), &produced, &in);
    if (ZSTD_isError(status)) {
      return util::Error{fmt::format("zstd: {}", ZSTD_getErrorName(status)), ""};
    }
    if (in.pos == in_before && produced.pos == out_before) break;
  }
  *input = input->subspan(in.pos);
  return produced.pos;
}

}  // namespace perf
