// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "facts/text_pool.h"
#include "text/clean_text.h"

namespace tables {

// Texts escaped for terminals.
class TextPool final : public facts::TextPool {
 public:
  // See facts::TextPool.
  explicit TextPool(size_t max_bytes = kMaxBytes, fxt::TableBudget* shared = nullptr)
      : facts::TextPool(max_bytes, shared, text::CleanText) {}
};

}  // namespace tables
