// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/event_parser.h"

#include <rapidjson/reader.h>

#include <charconv>
#include <cstring>
#include <limits>

#include "import/json/decimal_time.h"

namespace importer {
namespace event_fields {

enum class Field : uint8_t {
  kUnknown,
  kPhase,
  kName,
  kCategory,
  kTime,
  kDuration,
  kPid,
  kTid,
  kId,
  kId2,
  kScope,
  kInstantScope,
  kBindingPoint,
  kFrame,
  kEndFrame,
  kStack,
  kEndStack,
  kParent,
  kBindId,
  kFlowIn,
  kFlowOut,
  kArguments,
  kExtra,
};

}  // namespace event_fields

namespace {

using event_fields::Field;

Field FieldNamed(std::string_view name) {
  struct Known {
    std::string_view name;
    Field field;
  };
  // The most frequent ones in front.
  static constexpr Known kKnown[] = {
      {"ts", Field::kTime},
      {"ph", Field::kPhase},
      {"pid", Field::kPid},
      {"tid", Field::kTid},
      {"name", Field::kName},
      {"cat", Field::kCategory},
      {"args", Field::kArguments},
      {"dur", Field::kDuration},
      {"tts", Field::kExtra},
      {"id", Field::kId},
      {"s", Field::kInstantScope},
      {"tdur", Field::kExtra},
      {"id2", Field::kId2},
      {"bp", Field::kBindingPoint},
      {"scope", Field::kScope},
      {"sf", Field::kFrame},
      {"esf", Field::kEndFrame},
      {"stack", Field::kStack},
      {"estack", Field::kEndStack},
      {"parent", Field::kParent},
      {"bind_id", Field::kBindId},
      {"flow_in", Field::kFlowIn},
      {"flow_out", Field::kFlowOut},
      {"tidelta", Field::kExtra},
      {"ticount", Field::kExtra},
      {"cname", Field::kExtra},
      {"category", Field::kCategory},
      {"cpu", Field::kExtra},
      {"weight", Field::kExtra},
      {"prio", Field::kExtra},
      {"state", Field::kExtra},
      {"waker", Field::kExtra},
      {"out", Field::kExtra},
      {"in", Field::kExtra},
      // Of samples as perf converts them.
      {"timestamp", Field::kExtra},
      {"comm", Field::kExtra},
      {"callchain", Field::kExtra},
  };
  for (const Known& known : kKnown) {
    if (known.name == name) return known.field;
  }
  return Field::kUnknown;
}

bool IsNumberCharacter(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E';
}

}  // namespace

class EventParser::Handler {
 public:
  using Ch = char;

  explicit Handler(EventParser& owner) : event_(owner.event_) {}

  void Start(const char* begin, const rapidjson::StringStream& stream, char* arena) {
    begin_ = begin;
    stream_ = &stream;
    arena_ = arena;
    depth_ = 0;
    keep_depth_ = 0;
    is_object_ = false;
    event_.Clear();
  }
  bool is_object() const { return is_object_; }
  // Kept for the memory of its stack.
  rapidjson::Reader& reader() { return reader_; }

  bool Null() { return Scalar(std::monostate()); }
  bool Bool(bool value) { return Scalar(value); }
  bool Int(int value) { return Number(int64_t{value}); }
  bool Uint(unsigned value) { return Number(int64_t{value}); }
  bool Int64(int64_t value) { return Number(value); }
  bool Uint64(uint64_t value) {
    return value <= INT64_MAX ? Number(static_cast<int64_t>(value)) : Number(value);
  }
  bool Double(double value) {
    // RapidJSON's fast way is a few units off in the last place.
    const std::string_view text = NumberText();
    double exact = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
    return Number(error == std::errc() && end == text.data() + text.size() ? exact : value);
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return keep_depth_ != 0 || Scalar(Keep({text, length}));
  }

  bool StartObject() { return Open(true); }
  bool StartArray() { return Open(false); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  bool Key(const char* text, rapidjson::SizeType length, bool) {
    if (keep_depth_ != 0) return true;
    const std::string_view name(text, length);
    if (depth_ == 1) {
      field_ = FieldNamed(name);
      if (field_ == Field::kUnknown || field_ == Field::kExtra) key_ = Keep(name);
      if (field_ == Field::kUnknown) event_.unknown.push_back(key_);
    } else {
      key_ = Keep(name);
    }
    return true;
  }

 private:
  std::string_view Keep(std::string_view text) {
    std::memcpy(arena_, text.data(), text.size());
    const std::string_view kept(arena_, text.size());
    arena_ += text.size();
    return kept;
  }

  // RapidJSON stands at the first character of a number, or behind its last one.
  std::string_view NumberText() const {
    const char* at = stream_->src_;
    const char* from = at;
    while (from > begin_ && IsNumberCharacter(from[-1])) --from;
    const char* to = at;
    while (IsNumberCharacter(*to)) ++to;
    return {from, static_cast<size_t>(to - from)};
  }

  // In nanoseconds; numbers are also found in strings.
  std::optional<int64_t> Time(const JsonValue& value) const {
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      return NanosecondsOfMicroseconds(*text);
    }
    return NanosecondsOfMicroseconds(NumberText());
  }

  bool Number(JsonValue value) {
    if (keep_depth_ != 0) return true;
    if (depth_ == 1 && field_ == Field::kTime) {
      event_.time = Time(value);
      return true;
    }
    if (depth_ == 1 && field_ == Field::kDuration) {
      event_.duration = Time(value);
      return true;
    }
    return Scalar(value);
  }

  bool Scalar(const JsonValue& value) {
    if (keep_depth_ != 0 || depth_ == 0) return true;
    if (depth_ == 1) {
      Set(value);
    } else if (field_ == Field::kArguments) {
      event_.arguments.push_back({key_, value});
    } else if (field_ == Field::kId2) {
      (key_ == "local" ? event_.local_id : event_.global_id) = value;
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      AddFrame(*text);
    }
    return true;
  }

  void AddFrame(std::string_view frame) {
    std::string_view& stack = field_ == Field::kStack ? event_.stack : event_.end_stack;
    // The frame lies at the end of the arena, and so does the stack before it, unless the field is
    // there twice.
    if (stack.empty() || stack.data() + stack.size() != frame.data()) {
      stack = frame;
      return;
    }
    char* at = const_cast<char*>(stack.data()) + stack.size();
    std::memmove(at + 1, frame.data(), frame.size());
    *at = '\n';
    stack = {stack.data(), stack.size() + 1 + frame.size()};
    arena_ = at + 1 + frame.size();
  }

  void Set(const JsonValue& value) {
    const auto* text = std::get_if<std::string_view>(&value);
    const std::string_view or_empty = text != nullptr ? *text : std::string_view();
    switch (field_) {
      case Field::kPhase:
        event_.phase = or_empty.size() == 1 ? or_empty.front() : '\0';
        break;
      case Field::kName:
        event_.name = or_empty;
        break;
      case Field::kCategory:
        event_.category = or_empty;
        break;
      case Field::kTime:
        if (text != nullptr) event_.time = Time(value);
        break;
      case Field::kDuration:
        if (text != nullptr) event_.duration = Time(value);
        break;
      case Field::kPid:
        event_.pid = value;
        break;
      case Field::kTid:
        event_.tid = value;
        break;
      case Field::kId:
        event_.id = value;
        break;
      case Field::kScope:
        event_.scope = or_empty;
        break;
      case Field::kInstantScope:
        event_.instant_scope = or_empty;
        break;
      case Field::kBindingPoint:
        event_.binding_point = or_empty;
        break;
      case Field::kFrame:
        event_.frame = value;
        break;
      case Field::kEndFrame:
        event_.end_frame = value;
        break;
      case Field::kParent:
        event_.parent = value;
        break;
      case Field::kBindId:
        event_.bind_id = value;
        break;
      case Field::kFlowIn:
        event_.flow_in = value == JsonValueTrue();
        break;
      case Field::kFlowOut:
        event_.flow_out = value == JsonValueTrue();
        break;
      case Field::kArguments:  // not an object
        event_.argument = value;
        break;
      case Field::kExtra:
        event_.extra.push_back({key_, value});
        break;
      default:
        break;
    }
  }

  struct True {
    friend bool operator==(const JsonValue& value, True) {
      const auto* flag = std::get_if<bool>(&value);
      return flag != nullptr && *flag;
    }
  };
  static True JsonValueTrue() { return {}; }

  bool Open(bool object) {
    if (++depth_ > kMaxDepth) return false;
    if (depth_ == 1) {
      is_object_ = object;
      return object;
    }
    if (keep_depth_ != 0) return true;
    if (depth_ == 2) {
      const bool looked_into = object ? field_ == Field::kArguments || field_ == Field::kId2
                                      : field_ == Field::kStack || field_ == Field::kEndStack;
      if (looked_into) return true;
    }
    keep_depth_ = depth_;
    keep_from_ = stream_->src_ - 1;
    return true;
  }

  bool Close() {
    --depth_;
    if (keep_depth_ == 0 || depth_ >= keep_depth_) return true;
    keep_depth_ = 0;
    const JsonValue value = JsonText{{keep_from_, static_cast<size_t>(stream_->src_ - keep_from_)}};
    return Scalar(value);
  }

  rapidjson::Reader reader_;
  TraceEvent& event_;
  const char* begin_ = nullptr;
  const rapidjson::StringStream* stream_ = nullptr;
  char* arena_ = nullptr;
  int depth_ = 0;
  int keep_depth_ = 0;  // of the object or array whose text is kept; 0: none
  const char* keep_from_ = nullptr;
  bool is_object_ = false;
  Field field_ = Field::kUnknown;
  std::string_view key_;
};

EventParser::EventParser() : handler_(std::make_unique<Handler>(*this)) {}
EventParser::~EventParser() = default;

EventParser::Answer EventParser::Parse(std::string_view text) {
  constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseTrailingCommasFlag;
  // An escape of the last character may be cut anywhere.
  constexpr size_t kLongestEscape = 12;
  // Strings never grow as they are unpacked; stacks get a line break in the place of two quotes.
  if (arena_.size() < text.size()) arena_.resize(text.size());
  rapidjson::StringStream stream(text.data());
  handler_->Start(text.data(), stream, arena_.data());
  const rapidjson::ParseResult result = handler_->reader().Parse<kFlags>(stream, *handler_);
  const auto at = static_cast<size_t>(stream.src_ - text.data());
  if (!result.IsError()) return {handler_->is_object() ? Verdict::kEvent : Verdict::kOther, at};
  if (result.Code() != rapidjson::kParseErrorTermination && at + kLongestEscape >= text.size()) {
    return {Verdict::kCut, at};
  }
  return {Verdict::kBroken, at};
}

}  // namespace importer
