// SPDX-License-Identifier: BSD-2-Clause
// JSON of somebody who may want us harm.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace control {

// A value of a document, null at first.
class Json {
 public:
  using Array = std::vector<Json>;
  struct Object {
    std::vector<std::string> names;  // in the document's order
    Array values;
  };

  static Json EmptyObject();

  bool IsNull() const { return kind_ == Kind::kNull; }
  // Null where it is something else.
  const bool* AsBool() const { return kind_ == Kind::kBool ? &bool_ : nullptr; }
  // Whole numbers of 0 to 2^64-1 that are written without a point.
  const uint64_t* AsWhole() const { return kind_ == Kind::kWhole ? &whole_ : nullptr; }
  std::optional<double> AsNumber() const;
  const std::string* AsString() const { return kind_ == Kind::kString ? &more_->text : nullptr; }
  const Array* AsArray() const { return kind_ == Kind::kArray ? &more_->members.values : nullptr; }
  const Object* AsObject() const { return kind_ == Kind::kObject ? &more_->members : nullptr; }

  // A member of an object; null where there is none, or this is no object.
  const Json* Find(std::string_view name) const;
  // Takes it out; null stays in its place.
  Json Take(std::string_view name);

 private:
  friend class JsonBuilder;

  enum class Kind : uint8_t { kNull, kBool, kWhole, kNumber, kString, kArray, kObject };
  // Most values of a document that somebody made to cost much have none of it.
  struct More {
    std::string text;
    Object members;
  };

  Kind kind_ = Kind::kNull;
  bool bool_ = false;
  union {
    uint64_t whole_ = 0;
    double number_;
  };
  std::unique_ptr<More> more_;
};

// Deepest nesting of a document; the interface needs five.
inline constexpr int kMaxDepth = 32;

// One JSON object. The memory that it takes is at most some 64 times that of the text.
util::Result<Json> ParseObject(std::string_view text);

}  // namespace control
