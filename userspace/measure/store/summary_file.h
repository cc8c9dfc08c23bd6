// SPDX-License-Identifier: BSD-2-Clause
// The figures of a capture as bytes: the .fxs format (docs/summary-format.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "measure/capture.h"
#include "util/result.h"

namespace measure {

// The first bytes of a summary.
inline constexpr size_t kSummaryMagicBytes = 8;
bool IsSummary(std::span<const std::byte> bytes);

// All of `capture`; equal captures give equal bytes.
std::string EncodeSummary(const Capture& capture);

// The capture that EncodeSummary was given. An error for bytes that it never gives, of which only a
// bounded part is looked at: no more than kMaxSummaryBytes, and no more memory than 256 MiB.
inline constexpr size_t kMaxSummaryBytes = size_t{64} << 20;
util::Result<Capture> DecodeSummary(std::span<const std::byte> bytes);
// Reads concatenated summaries, at least one; for all of them together the same limits.
util::Result<std::vector<Capture>> DecodeSummaries(std::span<const std::byte> bytes);

// The same without magic, version and compression.
std::string EncodeSummaryPayload(const Capture& capture);
util::Result<Capture> DecodeSummaryPayload(std::span<const std::byte> bytes);

}  // namespace measure
