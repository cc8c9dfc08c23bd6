// SPDX-License-Identifier: BSD-2-Clause
#include "translate/log_translator.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "fxt/utf8.h"

namespace translate {
namespace {

// Viewers draw the instant's name; the log record has the whole message.
constexpr size_t kMaxNameBytes = 120;

}  // namespace

void LogTranslator::OnMessage(uint64_t time, model::ThreadHandle thread, const fxr_log& event) {
  std::string_view text(event.text, std::min<size_t>(event.length, FXR_LOG_BYTES));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
  std::string message = fxt::ToValidUtf8(text);
  OpenRecord record = file_.Begin(thread);
  record.Write(fxt::Log{.timestamp = time, .thread = record.thread(), .message = message});
  std::string_view name = fxt::CutUtf8(message, kMaxNameBytes);
  if (name.empty()) name = "(empty message)";
  const fxt::Argument argument{record.Ref(CommonString::kMessage), fxt::StringRef::Inline(message)};
  fxt::StringRef category = record.Ref(FXR_CATEGORY_LOG);
  record.Write(
      fxt::Event{.type = fxt::EventType::kInstant,
                 .timestamp = time,
                 .thread = record.thread(),
                 .category = category,
                 .name = fxt::StringRef::Inline(name),
                 .arguments = {&argument, message.size() > name.size() ? size_t{1} : size_t{0}}});
  ++stats_.recorded[FXR_CATEGORY_LOG];
}

}  // namespace translate
