// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/read_texts.h"

#include "unit/fxt/support/record_text.h"

namespace fxt::testing {

std::vector<std::string> ReadTexts(Reader& reader) {
  std::vector<std::string> texts;
  while (reader.Next() == ReadStatus::kRecord) texts.push_back(ToText(reader.record()));
  return texts;
}

Event TestInstant(Ticks time, StringRef name, ThreadRef thread) {
  return {EventType::kInstant, time, thread, StringRef::Inline("test"), name, {}, 0};
}

}  // namespace fxt::testing
