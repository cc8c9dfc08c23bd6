// SPDX-License-Identifier: BSD-2-Clause
#include "text/argument_json.h"

#include <variant>

#include "text/json_writer.h"

namespace text {
namespace {

struct Append {
  fmt::memory_buffer& out;

  void operator()(fxt::NullValue) const { Word("null"); }
  void operator()(int32_t value) const { AppendJsonNumber(out, int64_t{value}); }
  void operator()(uint32_t value) const { AppendJsonNumber(out, uint64_t{value}); }
  void operator()(int64_t value) const { AppendJsonNumber(out, value); }
  void operator()(uint64_t value) const { AppendJsonNumber(out, value); }
  void operator()(double value) const { AppendJsonNumber(out, value); }
  void operator()(const fxt::StringRef& value) const { AppendJsonString(out, value.text); }
  void operator()(fxt::PointerValue value) const { AppendJsonHex(out, value.address); }
  void operator()(fxt::KoidValue value) const { AppendJsonNumber(out, value.koid); }
  void operator()(bool value) const { Word(value ? "true" : "false"); }
  void operator()(const fxt::BlobValue& value) const {
    AppendJsonNumber(out, uint64_t{value.bytes.size()});
  }
  void operator()(const fxt::UnknownValue&) const { Word("null"); }
  void Word(std::string_view word) const { out.append(word); }
};

}  // namespace

void AppendMembers(fmt::memory_buffer& out, std::span<const fxt::Argument> arguments) {
  bool first = true;
  for (const fxt::Argument& argument : arguments) {
    if (!first) out.push_back(',');
    first = false;
    AppendJsonString(out, argument.name.text);
    out.push_back(':');
    std::visit(Append{out}, argument.value);
  }
}

size_t TextBytes(std::span<const fxt::Argument> arguments) {
  size_t bytes = 0;
  for (const fxt::Argument& argument : arguments) {
    bytes += argument.name.text.size();
    if (const auto* value = std::get_if<fxt::StringRef>(&argument.value))
      bytes += value->text.size();
  }
  return bytes;
}

}  // namespace text
