// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_document.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <utility>

namespace text {
namespace {

constexpr unsigned kFlags =
    rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
constexpr int kMaxDepthOfText = 1000;

// Passes the parser's events to `Handler` and stops at `max_depth`: the parser recurses into nested
// values.
template <typename Handler>
class DepthLimit {
 public:
  DepthLimit(Handler& handler, int max_depth) : handler_(handler), left_(max_depth) {}

  bool Null() { return handler_.Null(); }
  bool Bool(bool value) { return handler_.Bool(value); }
  bool Int(int value) { return handler_.Int(value); }
  bool Uint(unsigned value) { return handler_.Uint(value); }
  bool Int64(int64_t value) { return handler_.Int64(value); }
  bool Uint64(uint64_t value) { return handler_.Uint64(value); }
  bool Double(double value) { return handler_.Double(value); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool copy) {
    return handler_.RawNumber(text, size, copy);
  }
  bool String(const char* text, rapidjson::SizeType size, bool copy) {
    return handler_.String(text, size, copy);
  }
  bool Key(const char* text, rapidjson::SizeType size, bool copy) {
    return handler_.Key(text, size, copy);
  }
  bool StartObject() { return --left_ >= 0 && handler_.StartObject(); }
  bool EndObject(rapidjson::SizeType members) { return ++left_ > 0 && handler_.EndObject(members); }
  bool StartArray() { return --left_ >= 0 && handler_.StartArray(); }
  bool EndArray(rapidjson::SizeType elements) { return ++left_ > 0 && handler_.EndArray(elements); }

 private:
  Handler& handler_;
  int left_;
};

template <typename Handler>
rapidjson::ParseResult Parse(std::string_view text, int max_depth, Handler& handler) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  DepthLimit<Handler> limit(handler, max_depth);
  return reader.Parse<kFlags>(stream, limit);
}

}  // namespace

util::Result<rapidjson::Document> ParseJson(std::string_view text, int max_depth) {
  rapidjson::Document document;
  rapidjson::ParseResult result;
  auto generate = [&](rapidjson::Document& into) {
    result = Parse(text, max_depth, into);
    return !result.IsError();
  };
  document.Populate(generate);
  if (result.Code() == rapidjson::kParseErrorTermination) {
    return util::Error{"the JSON is nested too deeply", ""};
  }
  if (result.IsError()) return util::Error{"the text is no JSON", ""};
  return document;
}

bool IsJson(std::string_view text) {
  rapidjson::BaseReaderHandler<> nothing;
  return !Parse(text, kMaxDepthOfText, nothing).IsError();
}

const rapidjson::Value* FindMember(const rapidjson::Value& value, std::string_view name) {
  if (!value.IsObject()) return nullptr;
  for (const auto& member : value.GetObject()) {
    if (std::string_view(member.name.GetString(), member.name.GetStringLength()) == name) {
      return &member.value;
    }
  }
  return nullptr;
}

std::optional<std::string_view> StringOf(const rapidjson::Value* value) {
  if (value == nullptr || !value->IsString()) return std::nullopt;
  return std::string_view(value->GetString(), value->GetStringLength());
}

std::optional<uint64_t> UnsignedOf(const rapidjson::Value* value) {
  if (value == nullptr || !value->IsUint64()) return std::nullopt;
  return value->GetUint64();
}

}  // namespace text
