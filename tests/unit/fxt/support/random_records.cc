// SPDX-License-Identifier: BSD-2-Clause
#include "unit/fxt/support/random_records.h"

#include <bit>
#include <iterator>

namespace fxt::testing {

// Small numbers, large ones, and the limits.
uint64_t RandomRecords::Word() {
  switch (Below(4)) {
    case 0:
      return Below(100);
    case 1:
      return uint64_t{1} << Below(64);
    case 2:
      return ~uint64_t{0} - Below(3);
    default:
      return random_();
  }
}

std::string_view RandomRecords::Keep(std::string text) {
  return texts_.emplace_back(std::move(text));
}

std::string RandomRecords::Bytes(size_t max) {
  // Mostly short, sometimes of maximal length; any bytes.
  const size_t length = Below(20) == 0 ? Below(max + 1) : Below(std::min<size_t>(max, 40) + 1);
  std::string text(length, '\0');
  const bool any = Below(4) == 0;
  for (char& c : text) c = static_cast<char>(any ? random_() : 'a' + Below(26));
  return text;
}

std::span<const std::byte> RandomRecords::KeptBytes(size_t max) {
  return std::as_bytes(std::span(Keep(Bytes(max))));
}

StringRef RandomRecords::String() {
  const auto& strings = providers_[provider_].strings;
  switch (Below(4)) {
    case 0:
      return StringRef::Empty();
    case 1:
      return StringRef::Inline(Keep(Bytes(700)));
    default:
      break;
  }
  if (strings.empty()) return StringRef::Inline("inline");
  const auto entry = std::next(strings.begin(), static_cast<long>(Below(strings.size())));
  return StringRef::Indexed(entry->first, Keep(entry->second));
}

ThreadRef RandomRecords::Thread() {
  const auto& threads = providers_[provider_].threads;
  if (threads.empty() || Coin()) return ThreadRef::Inline(Word(), Word());
  const auto entry = std::next(threads.begin(), static_cast<long>(Below(threads.size())));
  return ThreadRef::Indexed(entry->first, entry->second.first, entry->second.second);
}

ArgumentValue RandomRecords::Value() {
  switch (Below(11)) {
    case 0:
      return NullValue{};
    case 1:
      return static_cast<int32_t>(Word());
    case 2:
      return static_cast<uint32_t>(Word());
    case 3:
      return static_cast<int64_t>(Word());
    case 4:
      return Word();
    case 5:
      return std::bit_cast<double>(Word());
    case 6:
      return String();
    case 7:
      return PointerValue{Word()};
    case 8:
      return KoidValue{Word()};
    case 9:
      return Coin();
    default:
      return BlobValue{KeptBytes(300)};
  }
}

std::span<const Argument> RandomRecords::Arguments() {
  std::vector<Argument>& arguments = arguments_.emplace_back();
  const size_t count = Below(3) == 0 ? Below(kMaxArguments + 1) : Below(3);
  for (size_t i = 0; i < count; ++i) {
    const StringRef name = String();
    arguments.push_back({name, Value()});
  }
  return arguments;
}

Record RandomRecords::Definition() {
  Tables& tables = providers_[provider_];
  switch (Below(5)) {
    case 0: {
      provider_ = static_cast<uint32_t>(Below(3) == 0 ? Word() : Below(3));
      return ProviderInfo{provider_, Keep(Bytes(kMaxProviderNameBytes))};
    }
    case 1: {
      if (providers_.size() < 2) return ProviderEvent{provider_, static_cast<uint8_t>(Below(16))};
      provider_ = std::next(providers_.begin(), static_cast<long>(Below(providers_.size())))->first;
      return ProviderSection{provider_};
    }
    case 2:
      return Initialization{1 + Below(~uint64_t{0} - 1)};
    case 3: {
      const auto index = static_cast<uint16_t>(1 + Below(Coin() ? 20 : kMaxStringIndex));
      const std::string_view text = Keep(Bytes(kMaxStringBytes));
      tables.strings[index] = text;
      return StringRecord{index, text};
    }
    default: {
      const auto index = static_cast<uint8_t>(1 + Below(kMaxThreadIndex));
      const std::pair<Koid, Koid> koids = {Word(), Word()};
      tables.threads[index] = koids;
      return ThreadRecord{index, koids.first, koids.second};
    }
  }
}

Record RandomRecords::Next() {
  const auto state = static_cast<ThreadState>(Below(6));
  switch (Below(20)) {
    case 0:
      return Coin() ? Record(MagicNumber{})
                    : Record(ProviderEvent{provider_, static_cast<uint8_t>(Below(16))});
    case 1:
      return Blob{String(), static_cast<uint8_t>(Below(256)), KeptBytes(30000)};
    case 2: {
      ThreadRef process = Thread();
      if (process.is_inline()) process.thread = 0;  // not in the record
      return UserspaceObject{Word(), process, String(), Arguments()};
    }
    case 3:
      return KernelObject{static_cast<uint8_t>(Below(256)), Word(), String(), Arguments()};
    case 4:
    case 5: {
      const ThreadRef outgoing = Thread();
      return LegacyContextSwitch{Word(),
                                 static_cast<uint8_t>(Below(256)),
                                 state,
                                 outgoing,
                                 Thread(),
                                 static_cast<uint8_t>(Below(256)),
                                 static_cast<uint8_t>(Below(256))};
    }
    case 6:
      return ContextSwitch{Word(),     static_cast<uint16_t>(Below(65536)), state, Word(), Word(),
                           Arguments()};
    case 7:
      return ThreadWakeup{Word(), static_cast<uint16_t>(Below(65536)), Word(), Arguments()};
    case 8:
      return Log{Word(), Thread(), Keep(Bytes(kMaxStringBytes))};
    case 9:
      return LargeBlobWithMetadata{Word(),   Thread(),    String(),
                                   String(), Arguments(), KeptBytes(100'000)};
    case 10:
      return LargeBlob{String(), String(), KeptBytes(100'000)};
    case 11:
      return ProfilerModule{Word(), Thread(), static_cast<uint16_t>(Below(65536)), Keep(Bytes(255)),
                            KeptBytes(255)};
    case 12:
      return ProfilerMmap{Word(),
                          Thread(),
                          static_cast<uint16_t>(Below(65536)),
                          static_cast<uint8_t>(Below(8)),
                          Word(),
                          Word(),
                          Word()};
    case 13: {
      std::vector<uint64_t>& frames = words_.emplace_back(Below(256));
      for (uint64_t& frame : frames) frame = Word();
      return ProfilerBacktrace{Word(), Thread(), frames};
    }
    case 14:
    case 15:
    case 16:
      return Definition();
    default: {
      const auto type = static_cast<EventType>(Below(11));
      const ThreadRef thread = Thread();
      const StringRef category = String();
      const StringRef name = String();
      return Event{
          type, Word(), thread, category, name, Arguments(), HasPayload(type) ? Word() : 0};
    }
  }
}

}  // namespace fxt::testing
