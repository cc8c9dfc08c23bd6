// SPDX-License-Identifier: BSD-2-Clause
#include "text/pretty_json.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cmath>

#include "fxt/utf8.h"

namespace text {

struct PrettyJson::Impl {
  // Without DEL, which JSON allows and which does something to a terminal.
  struct SeenAscii : rapidjson::ASCII<> {
    template <typename Stream>
    static void EncodeUnsafe(Stream& stream, unsigned character) {
      constexpr std::string_view kDelete = "\\u007F";
      if (character != 0x7f) return rapidjson::ASCII<>::EncodeUnsafe(stream, character);
      for (const char each : kDelete) rapidjson::PutUnsafe(stream, each);
    }
  };

  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer, rapidjson::UTF8<>, SeenAscii> writer{buffer};
  std::string scratch;
};

PrettyJson::PrettyJson() : impl_(std::make_unique<Impl>()) { impl_->writer.SetIndent(' ', 2); }
PrettyJson::~PrettyJson() = default;

PrettyJson& PrettyJson::BeginObject() {
  impl_->writer.StartObject();
  return *this;
}

PrettyJson& PrettyJson::EndObject() {
  impl_->writer.EndObject();
  return *this;
}

PrettyJson& PrettyJson::BeginArray() {
  impl_->writer.StartArray();
  return *this;
}

PrettyJson& PrettyJson::EndArray() {
  impl_->writer.EndArray();
  return *this;
}

// For the writer they are strings in an even place.
PrettyJson& PrettyJson::Key(std::string_view key) { return String(key); }

PrettyJson& PrettyJson::String(std::string_view text) {
  const std::string_view valid = fxt::ToValidUtf8(text, impl_->scratch);
  impl_->writer.String(valid.data() == nullptr ? "" : valid.data(),
                       static_cast<rapidjson::SizeType>(valid.size()));
  return *this;
}

PrettyJson& PrettyJson::Unsigned(uint64_t value) {
  impl_->writer.Uint64(value);
  return *this;
}

PrettyJson& PrettyJson::Signed(int64_t value) {
  impl_->writer.Int64(value);
  return *this;
}

PrettyJson& PrettyJson::Double(double value) {
  if (!std::isfinite(value)) return Null();
  impl_->writer.Double(value);
  return *this;
}

PrettyJson& PrettyJson::Bool(bool value) {
  impl_->writer.Bool(value);
  return *this;
}

PrettyJson& PrettyJson::Null() {
  impl_->writer.Null();
  return *this;
}

std::string PrettyJson::Text() const {
  return {impl_->buffer.GetString(), impl_->buffer.GetSize()};
}

}  // namespace text
