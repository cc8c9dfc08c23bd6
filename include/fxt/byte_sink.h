// SPDX-License-Identifier: BSD-2-Clause
// Receives encoded records.
#pragma once

#include <cstddef>
#include <span>

namespace fxt {

class ByteSink {
 public:
  ByteSink() = default;
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;
  virtual ~ByteSink() = default;

  // Takes `records`, one or more whole records (a multiple of 8 bytes), in the order of the file.
  // Returns false if it cannot. The sink keeps the reason, and accepts nothing afterwards.
  virtual bool Write(std::span<const std::byte> records) = 0;
};

}  // namespace fxt
