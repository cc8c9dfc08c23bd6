// SPDX-License-Identifier: BSD-2-Clause
#include "import/json/event_parser.h"

#include <rapidjson/reader.h>

#include <array>
#include <charconv>
#include <cstring>
#include <limits>

#include "import/json/decimal_time.h"
#include "import/json/event_field.h"
#include "import/json/fast_json.h"

namespace importer {
namespace {

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
  // Reused for its stack's memory.
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
    // RapidJSON's default conversion is off by a few units in the last place.
    const std::string_view text = NumberText();
    double exact = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
    return Number(error == std::errc() && end == text.data() + text.size() ? exact : value);
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType length, bool copy) {
    return keep_depth_ != 0 || Scalar(Keep({text, length}, copy));
  }

  bool StartObject() { return Open(true); }
  bool StartArray() { return Open(false); }
  bool EndObject(rapidjson::SizeType) { return Close(); }
  bool EndArray(rapidjson::SizeType) { return Close(); }

  bool Key(const char* text, rapidjson::SizeType length, bool copy) {
    if (keep_depth_ != 0) return true;
    const std::string_view name(text, length);
    if (depth_ == 1) {
      field_ = FieldNamed(name);
      if (field_ == EventField::kUnknown || field_ == EventField::kExtra) key_ = Keep(name, copy);
      if (field_ == EventField::kUnknown) event_.unknown.push_back(key_);
    } else {
      key_ = Keep(name, copy);
    }
    return true;
  }

  // Additions of FastJson.
  bool Plain(const FastNumber& number) {
    if (depth_ == 1 && field_ == EventField::kTime) {
      event_.time = Time(number);
    } else if (depth_ == 1 && field_ == EventField::kDuration) {
      event_.duration = Time(number);
    } else if (number.decimals == 0) {
      const auto value = static_cast<int64_t>(number.digits);
      return Scalar(number.negative ? -value : value);
    } else {
      double value = 0;
      std::from_chars(number.text.data(), number.text.data() + number.text.size(), value);
      return Scalar(value);
    }
    return true;
  }
  bool Text(std::string_view text) { return Scalar(JsonText{text}); }
  bool LooksInto(bool object) const {
    return object ? field_ == EventField::kArguments || field_ == EventField::kId2
                  : field_ == EventField::kStack || field_ == EventField::kEndStack;
  }

 private:
  std::string_view Keep(std::string_view text, bool copy) {
    if (!copy) return text;
    std::memcpy(arena_, text.data(), text.size());
    const std::string_view kept(arena_, text.size());
    arena_ += text.size();
    return kept;
  }

  // The text of the current number. RapidJSON calls the handler with its stream at the number's
  // first character or after its last one.
  std::string_view NumberText() const {
    const char* at = stream_->src_;
    const char* from = at;
    while (from > begin_ && IsNumberCharacter(from[-1])) --from;
    const char* to = at;
    while (IsNumberCharacter(*to)) ++to;
    return {from, static_cast<size_t>(to - from)};
  }

  // The time in nanoseconds. Numbers may also be strings.
  std::optional<int64_t> Time(const JsonValue& value) const {
    if (const auto* text = std::get_if<std::string_view>(&value)) {
      return NanosecondsOfMicroseconds(*text);
    }
    return NanosecondsOfMicroseconds(NumberText());
  }

  static std::optional<int64_t> Time(const FastNumber& number) {
    constexpr unsigned kNanosecondDigits = 3;
    constexpr std::array<int64_t, kNanosecondDigits + 1> kUnits = {1000, 100, 10, 1};
    constexpr unsigned kSafeDigits = 15;  // these cannot overflow
    if (number.count > kSafeDigits || number.decimals > kNanosecondDigits) {
      return NanosecondsOfMicroseconds(number.text);
    }
    const auto value = static_cast<int64_t>(number.digits) * kUnits[number.decimals];
    return number.negative ? -value : value;
  }

  bool Number(JsonValue value) {
    if (keep_depth_ != 0) return true;
    if (depth_ == 1 && field_ == EventField::kTime) {
      event_.time = Time(value);
      return true;
    }
    if (depth_ == 1 && field_ == EventField::kDuration) {
      event_.duration = Time(value);
      return true;
    }
    return Scalar(value);
  }

  bool Scalar(const JsonValue& value) {
    if (keep_depth_ != 0 || depth_ == 0) return true;
    if (depth_ == 1) {
      Set(value);
    } else if (field_ == EventField::kArguments) {
      event_.arguments.push_back({key_, value});
    } else if (field_ == EventField::kId2) {
      (key_ == "local" ? event_.local_id : event_.global_id) = value;
    } else if (const auto* text = std::get_if<std::string_view>(&value)) {
      AddFrame(*text);
    }
    return true;
  }

  void AddFrame(std::string_view frame) {
    std::string_view& stack = field_ == EventField::kStack ? event_.stack : event_.end_stack;
    // The frame is at the end of the arena, directly after the stack, unless the field occurs
    // twice.
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
      case EventField::kPhase:
        event_.phase = or_empty.size() == 1 ? or_empty.front() : '\0';
        break;
      case EventField::kName:
        event_.name = or_empty;
        break;
      case EventField::kCategory:
        event_.category = or_empty;
        break;
      case EventField::kTime:
        if (text != nullptr) event_.time = Time(value);
        break;
      case EventField::kDuration:
        if (text != nullptr) event_.duration = Time(value);
        break;
      case EventField::kPid:
        event_.pid = value;
        break;
      case EventField::kTid:
        event_.tid = value;
        break;
      case EventField::kId:
        event_.id = value;
        break;
      case EventField::kScope:
        event_.scope = or_empty;
        break;
      case EventField::kInstantScope:
        event_.instant_scope = or_empty;
        break;
      case EventField::kBindingPoint:
        event_.binding_point = or_empty;
        break;
      case EventField::kFrame:
        event_.frame = value;
        break;
      case EventField::kEndFrame:
        event_.end_frame = value;
        break;
      case EventField::kParent:
        event_.parent = value;
        break;
      case EventField::kBindId:
        event_.bind_id = value;
        break;
      case EventField::kFlowIn:
        event_.flow_in = value == JsonValueTrue();
        break;
      case EventField::kFlowOut:
        event_.flow_out = value == JsonValueTrue();
        break;
      case EventField::kArguments:  // not an object
        event_.argument = value;
        break;
      case EventField::kExtra:
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
    if (depth_ == 2 && LooksInto(object)) return true;
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
  int keep_depth_ = 0;  // of the object or array kept as text; 0: none
  const char* keep_from_ = nullptr;
  bool is_object_ = false;
  EventField field_ = EventField::kUnknown;
  std::string_view key_;
};

EventParser::EventParser() : handler_(std::make_unique<Handler>(*this)) {}
EventParser::~EventParser() = default;

EventParser::Answer EventParser::Parse(std::string_view text) {
  constexpr unsigned kFlags = rapidjson::kParseStopWhenDoneFlag | rapidjson::kParseNanAndInfFlag |
                              rapidjson::kParseTrailingCommasFlag;
  // The text may be cut inside an escape of its last character.
  constexpr size_t kLongestEscape = 12;
  // Unescaping never makes strings longer; in stacks a line break replaces two quotes.
  if (arena_.size() < text.size()) arena_.resize(text.size());
  rapidjson::StringStream stream(text.data());
  handler_->Start(text.data(), stream, arena_.data());
  if (const size_t bytes = FastJson(text, *handler_).ReadObject(); bytes != 0) {
    return {Verdict::kEvent, bytes};
  }
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
