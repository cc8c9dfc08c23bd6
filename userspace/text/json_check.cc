// SPDX-License-Identifier: BSD-2-Clause
#include "text/json_check.h"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

namespace text {
namespace {

constexpr int kMaxDepth = 1000;

struct Depth : rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Depth> {
  int depth = 0;
  bool StartObject() { return ++depth <= kMaxDepth; }
  bool StartArray() { return ++depth <= kMaxDepth; }
  bool EndObject(rapidjson::SizeType) { return --depth >= 0; }
  bool EndArray(rapidjson::SizeType) { return --depth >= 0; }
};

}  // namespace

bool IsJson(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  Depth depth;
  rapidjson::Reader reader;
  return !reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, depth).IsError();
}

}  // namespace text
