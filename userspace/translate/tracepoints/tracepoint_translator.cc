// SPDX-License-Identifier: BSD-2-Clause
#include "translate/tracepoints/tracepoint_translator.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fxt/utf8.h"
#include "translate/tracepoints/field_reader.h"

namespace translate {

TracepointTranslator::TracepointTranslator(TraceWriter& file,
                                           std::vector<schema::TracepointFormat> formats)
    : file_(file), formats_(std::move(formats)), more_(file.Declare("more")) {
  for (const schema::TracepointFormat& format : formats_) {
    Texts& texts = texts_.emplace_back();
    texts.system = file_.Declare(format.system);
    texts.name = file_.Declare(format.name);
    for (const auto& field : format.fields) texts.fields.push_back(file_.Declare(field.name));
  }
}

bool TracepointTranslator::OnEvent(uint64_t time, uint32_t number, std::span<const std::byte> bytes,
                                   model::ThreadHandle thread) {
  if (number >= formats_.size()) return false;
  const std::vector<schema::TracepointField>& fields = formats_[number].fields;
  const Texts& texts = texts_[number];
  const size_t whole = fields.size() > kMaxArguments ? kMaxArguments - 1 : fields.size();
  OpenRecord record = file_.Begin(thread);
  std::array<fxt::Argument, kMaxArguments> arguments;
  std::array<std::string, kMaxArguments> scratch;
  size_t count = 0;
  for (; count < whole; ++count) {
    arguments[count] = {record.Refer(texts.fields[count]),
                        ReadField(fields[count], bytes, scratch[count])};
  }
  if (whole < fields.size()) {
    std::string& rest = scratch[count];
    for (size_t i = whole; i < fields.size(); ++i) {
      if (!rest.empty()) rest += ' ';
      rest += fields[i].name + '=' + DescribeField(fields[i], bytes);
    }
    constexpr size_t kMaxRestBytes = 4000;
    arguments[count++] = {record.Refer(more_),
                          fxt::StringRef::Inline(fxt::CutUtf8(rest, kMaxRestBytes))};
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Refer(texts.system),
                          .name = record.Refer(texts.name),
                          .arguments = {arguments.data(), count}});
  return true;
}

}  // namespace translate
