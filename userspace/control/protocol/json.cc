// SPDX-License-Identifier: BSD-2-Clause
#include "control/protocol/json.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <utility>

namespace control {

Json Json::EmptyObject() {
  Json json;
  json.kind_ = Kind::kObject;
  json.more_ = std::make_unique<More>();
  return json;
}

std::optional<double> Json::AsNumber() const {
  if (kind_ == Kind::kWhole) return static_cast<double>(whole_);
  if (kind_ == Kind::kNumber) return number_;
  return std::nullopt;
}

const Json* Json::Find(std::string_view name) const {
  const Object* object = AsObject();
  if (object == nullptr) return nullptr;
  const auto found = std::find(object->names.begin(), object->names.end(), name);
  return found == object->names.end() ? nullptr : &object->values[found - object->names.begin()];
}

Json Json::Take(std::string_view name) {
  const Json* found = Find(name);
  return found == nullptr ? Json() : std::exchange(const_cast<Json&>(*found), Json());
}

// Takes what the parser finds, one after the other.
class JsonBuilder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, JsonBuilder> {
 public:
  bool Null() {
    Add(Json::Kind::kNull);
    return true;
  }
  bool Bool(bool value) {
    Add(Json::Kind::kBool).bool_ = value;
    return true;
  }
  bool Uint(unsigned value) { return Uint64(value); }
  bool Uint64(uint64_t value) {
    Add(Json::Kind::kWhole).whole_ = value;
    return true;
  }
  bool Int(int value) { return Double(value); }
  bool Int64(int64_t value) { return Double(static_cast<double>(value)); }
  bool Double(double value) {
    Add(Json::Kind::kNumber).number_ = value;
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    AddMore(Json::Kind::kString).more_->text.assign(text, size);
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    open_.back()->more_->members.names.emplace_back(text, size);
    return true;
  }
  bool StartObject() { return Open(Json::Kind::kObject); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool StartArray() { return Open(Json::Kind::kArray); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  Json Take() { return std::move(document_); }

 private:
  Json& Add(Json::Kind kind) {
    Json& added = open_.empty() ? document_ : open_.back()->more_->members.values.emplace_back();
    added.kind_ = kind;
    return added;
  }
  Json& AddMore(Json::Kind kind) {
    Json& added = Add(kind);
    added.more_ = std::make_unique<Json::More>();
    return added;
  }
  // Whatever is open is the last one of what it is in: nothing moves it meanwhile.
  bool Open(Json::Kind kind) {
    if (open_.size() == kMaxDepth) return false;
    open_.push_back(&AddMore(kind));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json document_;
  std::vector<Json*> open_;
};

util::Result<Json> ParseObject(std::string_view text) {
  constexpr unsigned kFlags =
      rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  JsonBuilder builder;
  const rapidjson::ParseResult parsed = reader.Parse<kFlags>(stream, builder);
  if (parsed.Code() == rapidjson::kParseErrorTermination) {
    return util::Error{"the message is nested too deeply", ""};
  }
  Json json = builder.Take();
  if (parsed.IsError() || json.AsObject() == nullptr) {
    return util::Error{"the message is no JSON object", ""};
  }
  return json;
}

}  // namespace control
