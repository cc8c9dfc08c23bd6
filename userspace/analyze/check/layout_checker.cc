// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/layout_checker.h"

#include <fmt/format.h>

#include "branches/last_branch.h"
#include "facts/record_kind.h"
#include "fxt/reserved_bits.h"
#include "fxt/utf8.h"

namespace analyze {
namespace {

constexpr uint64_t kLargeBlobReserved = ~uint64_t{0} << 44;  // format 0, second word
constexpr uint64_t kBareBlobReserved = ~uint64_t{0} << 32;   // format 1, second word

// Words an argument's value takes behind its header and its name.
struct ValueWords {
  size_t operator()(const fxt::StringRef& v) const { return v.words(); }
  size_t operator()(const fxt::BlobValue& v) const { return fxt::WordsForBytes(v.bytes.size()); }
  size_t operator()(int64_t) const { return 1; }
  size_t operator()(uint64_t) const { return 1; }
  size_t operator()(double) const { return 1; }
  size_t operator()(fxt::PointerValue) const { return 1; }
  size_t operator()(fxt::KoidValue) const { return 1; }
  template <typename T>
  size_t operator()(const T&) const {
    return 0;
  }
};

}  // namespace

void LayoutChecker::Report(const Rule& rule, std::string message) {
  report_({offset_, rule.severity, rule.id, std::move(message)});
}

void LayoutChecker::Check(const fxt::Reader& reader) {
  words_ = reader.words();
  offset_ = reader.offset();
  next_ = 1;
  const uint64_t reserved = words_[0] & fxt::ReservedHeaderBits(words_[0]);
  if (reserved != 0) {
    Report(rules::kReservedBits,
           fmt::format("{} record: header bits {:#018x} are set",
                       facts::NameOf(facts::KindOf(reader.record())), reserved));
  }
  std::visit([this](const auto& record) { Body(record); }, reader.record());
  if (next_ < words_.size()) {
    Report(rules::kTrailingWords,
           fmt::format("{} record: {} words behind its contents",
                       facts::NameOf(facts::KindOf(reader.record())), words_.size() - next_));
  }
}

void LayoutChecker::Stream(const void* start, size_t bytes, std::string_view what) {
  const auto* data = static_cast<const unsigned char*>(start);
  const size_t words = fxt::WordsForBytes(bytes);
  next_ += words;
  for (size_t i = bytes; i < words * fxt::kWordBytes; ++i) {
    if (data[i] == 0) continue;
    Report(rules::kPadding,
           fmt::format("{}: byte {} of its padding is {:#04x}", what, i - bytes, data[i]));
    return;
  }
}

void LayoutChecker::Text(std::string_view text, std::string_view what) {
  if (text.size() > fxt::kMaxStringBytes) {
    Report(rules::kStringLength, fmt::format("{} has {} bytes", what, text.size()));
  }
  if (!fxt::IsValidUtf8(text)) Report(rules::kUtf8, fmt::format("{} is not UTF-8", what));
}

void LayoutChecker::String(const fxt::StringRef& string, std::string_view what, bool any_bytes) {
  if (!string.is_inline()) return;
  Stream(string.text.data(), string.text.size(), what);
  if (!any_bytes) Text(string.text, what);
}

void LayoutChecker::Arguments(std::span<const fxt::Argument> arguments) {
  for (const fxt::Argument& argument : arguments) {
    const uint64_t header = words_[next_];
    const size_t end = next_ + (header >> 4 & 0xfff);
    const uint64_t reserved = header & fxt::ReservedArgumentBits(header);
    if (reserved != 0) {
      Report(rules::kReservedBits, fmt::format("argument of type {}: header bits {:#018x} are set",
                                               header & 0xf, reserved));
    }
    ++next_;
    String(argument.name, "argument name");
    if (!std::holds_alternative<fxt::UnknownValue>(argument.value)) {
      const size_t value_start = next_;
      if (const auto* text = std::get_if<fxt::StringRef>(&argument.value)) {
        String(*text, "argument value");
      } else if (const auto* blob = std::get_if<fxt::BlobValue>(&argument.value)) {
        Stream(blob->bytes.data(), blob->bytes.size(), "argument value");
      }
      next_ = value_start + std::visit(ValueWords{}, argument.value);
      if (next_ != end) {
        Report(rules::kArgumentSize, fmt::format("argument of type {}: {} words behind its value",
                                                 header & 0xf, end - next_));
      }
    }
    next_ = end;
  }
}

void LayoutChecker::State(fxt::ThreadState state) {
  if (state <= fxt::ThreadState::kDead && state != fxt::ThreadState::kRunning) return;
  Report(rules::kThreadState, fmt::format("a thread is switched out in state {} ({})",
                                          static_cast<unsigned>(state), facts::NameOf(state)));
}

void LayoutChecker::Body(const fxt::ProviderInfo& r) {
  Stream(r.name.data(), r.name.size(), "provider name");
  Text(r.name, "provider name");
}

void LayoutChecker::Body(const fxt::StringRecord& r) {
  Stream(r.text.data(), r.text.size(), "string");
  Text(r.text, "string");
}

void LayoutChecker::Body(const fxt::Event& r) {
  Words(1);
  Thread(r.thread);
  String(r.category, "category");
  String(r.name, "event name");
  Arguments(r.arguments);
  if (HasPayload(r.type)) Words(1);
  if (r.type == fxt::EventType::kDurationComplete && r.payload < r.timestamp) {
    Report(rules::kEventTimes, fmt::format("the event \"{}\" ends {} ticks before it begins",
                                           fxt::ToValidUtf8(r.name.text), r.timestamp - r.payload));
  }
}

void LayoutChecker::Body(const fxt::Blob& r) {
  String(r.name, "blob name");
  Stream(r.payload.data(), r.payload.size(), "blob");
  if (r.type == static_cast<uint8_t>(fxt::BlobType::kLastBranch)) Branches(r);
}

void LayoutChecker::Branches(const fxt::Blob& r) {
  const auto view = branches::LastBranchView::Of(r);
  if (!view) {
    Report(rules::kLastBranch,
           fmt::format("{} bytes are too few for its number of branches", r.payload.size()));
  } else if (view->trailing_bytes() != 0) {
    Report(rules::kLastBranch,
           fmt::format("{} bytes behind the last branch", view->trailing_bytes()));
  } else if (view->branches() > branches::LastBranchView::kMaxBranches) {
    Report(rules::kLastBranch, fmt::format("{} branches, more than 32", view->branches()));
  } else if (view->reserved() != 0) {
    Report(rules::kLastBranch, fmt::format("reserved field is {:#x}", view->reserved()));
  } else if (r.name.text != fmt::format("cpu{}", view->cpu())) {
    Report(rules::kLastBranch,
           fmt::format("named \"{}\", but of cpu {}", fxt::ToValidUtf8(r.name.text), view->cpu()));
  }
}

void LayoutChecker::Body(const fxt::UserspaceObject& r) {
  Words(r.process.is_inline() ? 2 : 1);
  String(r.name, "object name");
  Arguments(r.arguments);
}

void LayoutChecker::Body(const fxt::KernelObject& r) {
  Words(1);
  String(r.name, "object name", true);
  Arguments(r.arguments);
}

void LayoutChecker::Body(const fxt::LegacyContextSwitch& r) {
  Words(1);
  Thread(r.outgoing);
  Thread(r.incoming);
  State(r.outgoing_state);
}

void LayoutChecker::Body(const fxt::ContextSwitch& r) {
  Words(3);
  Arguments(r.arguments);
  State(r.outgoing_state);
}

void LayoutChecker::Body(const fxt::ThreadWakeup& r) {
  Words(2);
  Arguments(r.arguments);
}

void LayoutChecker::Body(const fxt::Log& r) {
  Words(1);
  Thread(r.thread);
  Stream(r.message.data(), r.message.size(), "log message");
  Text(r.message, "log message");
}

void LayoutChecker::Body(const fxt::LargeBlobWithMetadata& r) {
  SecondWord(kLargeBlobReserved);
  String(r.category, "category");
  String(r.name, "blob name");
  Words(1);
  Thread(r.thread);
  Arguments(r.arguments);
  Words(1);
  Stream(r.payload.data(), r.payload.size(), "blob");
}

void LayoutChecker::Body(const fxt::LargeBlob& r) {
  SecondWord(kBareBlobReserved);
  String(r.category, "category");
  String(r.name, "blob name");
  Words(1);
  Stream(r.payload.data(), r.payload.size(), "blob");
}

void LayoutChecker::SecondWord(uint64_t reserved) {
  if ((words_[1] & reserved) != 0) {
    Report(rules::kReservedBits, "large blob: reserved bits of its second word are set");
  }
  Words(1);
}

void LayoutChecker::Body(const fxt::ProfilerModule& r) {
  Words(1);
  Thread(r.thread);
  Stream(r.name.data(), r.name.size(), "module name");
  Stream(r.build_id.data(), r.build_id.size(), "build id");
}

void LayoutChecker::Body(const fxt::ProfilerMmap& r) {
  Words(4);
  Thread(r.thread);
}

void LayoutChecker::Body(const fxt::ProfilerBacktrace& r) {
  Words(1 + r.frames.size());
  Thread(r.thread);
}

}  // namespace analyze
