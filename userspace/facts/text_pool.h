// SPDX-License-Identifier: BSD-2-Clause
// Names, each of them once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fxt/reader_provider.h"
#include "fxt/text_map.h"

namespace facts {

// Texts keep their addresses, and equal texts have one address.
class TextPool {
 public:
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  using Clean = std::string (*)(std::string_view);

  // `shared`: counts the bytes, too, and must outlive it, if it is not null. `clean`: makes what is
  // kept of a text, and leaves that as it is; null: texts are kept as they are.
  explicit TextPool(size_t max_bytes = kMaxBytes, fxt::TableBudget* shared = nullptr,
                    Clean clean = nullptr)
      : budget_{.limit = max_bytes, .shared = shared}, clean_(clean) {}
  ~TextPool() { budget_.GiveBack(); }
  TextPool(const TextPool&) = delete;
  TextPool& operator=(const TextPool&) = delete;

  // `text` as it is kept; null when there is no room for it.
  const std::string* Add(std::string_view text);
  // A text found no room.
  bool is_full() const { return is_full_; }

 private:
  // Bytes of the node and its bucket.
  static constexpr size_t kNodeBytes = 80;

  fxt::TableBudget budget_;
  Clean clean_;
  bool is_full_ = false;
  fxt::TextSet texts_;
};

}  // namespace facts
