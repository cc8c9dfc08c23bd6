// SPDX-License-Identifier: BSD-2-Clause
// Records that were copied out of a provider's memory: nobody changes them any more. Only their
// framing has been looked at.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fxt/reader_provider.h"

namespace provider {

// Who it is.
struct Identity {
  uint32_t id = 0;
  uint32_t pid = 0;  // of the process, in the namespace of whoever asked the kernel
  std::string name;
};

// The strings of a provider, by index. They stay as they are once they are there.
struct StringTable {
  StringTable() : provider(0, *budget) { provider.DefineThread(1, 0, 0); }

  // Of all copies together.
  std::shared_ptr<fxt::TableBudget> budget =
      std::make_shared<fxt::TableBudget>(fxt::TableBudget{.limit = size_t{4} << 20});
  fxt::ReaderProvider provider;
};

struct RecordEntry {
  uint64_t time = 0;    // ns of CLOCK_MONOTONIC
  uint32_t tid = 0;     // as the provider says
  uint32_t offset = 0;  // in words
  uint32_t words = 0;
};

struct Alert {
  uint64_t time = 0;  // ns of CLOCK_MONOTONIC
  std::string name;
};
// So many are kept that nobody takes.
inline constexpr size_t kMaxAlerts = 1024;

struct RecordBatch {
  std::shared_ptr<const Identity> identity;
  std::shared_ptr<const StringTable> strings;
  std::vector<uint64_t> words;
  std::vector<RecordEntry> entries;  // by time
  std::vector<Alert> alerts;
  uint64_t lost = 0;     // records, since the one before
  uint64_t invalid = 0;  // that could not be told apart, or say what cannot be
};

}  // namespace provider
