// SPDX-License-Identifier: BSD-2-Clause
#include "facts/wait_reasons.h"

#include <algorithm>
#include <variant>

#include "facts/scheduling.h"
#include "fxt/utf8.h"
#include "schema/event_info.h"
#include "schema/koid.h"
#include "schema/names.h"
#include "schema/wait_reason.h"

namespace facts {
namespace {

constexpr size_t kMaxKept = size_t{1} << 16;
// Bytes of a text of each. Longer ones are not the kernel's.
constexpr size_t kMaxName = 64;  // operations and devices
constexpr size_t kMaxFunction = 512;
// From a completion to the wakeup by the same interrupt.
constexpr uint64_t kOfOneInterrupt = 100'000;  // ns

template <typename Value>
const Value* ValueOf(const fxt::Event& event, std::string_view name) {
  const fxt::Argument* argument = FindArgument(event.arguments, name);
  return argument == nullptr ? nullptr : std::get_if<Value>(&argument->value);
}

template <typename Map>
void Bound(Map& map) {
  if (map.size() >= kMaxKept) map.clear();
}

std::string Hex(uint64_t value) {
  std::string text;
  do {
    text += "0123456789abcdef"[value & 0xf];
  } while ((value >>= 4) != 0);
  std::reverse(text.begin(), text.end());
  return "0x" + text;
}

}  // namespace

void WaitReasons::NoteBlock(const fxt::Event& event, uint32_t provider, uint64_t time) {
  const uint64_t id = event.payload ^ (uint64_t{provider} << 40);
  if (event.type == fxt::EventType::kAsyncBegin) {
    Request request{.device = event.thread.thread,
                    .begin = time,
                    .operation = std::string(fxt::CutUtf8(event.name.text, kMaxName))};
    const auto issuer = KoidOf(FindArgument(event.arguments, schema::argument::kIssuer));
    if (issuer) request.issuer = *issuer;
    if (const auto* bytes = ValueOf<uint32_t>(event, schema::argument::kBytes)) {
      request.bytes = *bytes;
    }
    if (const auto* sector = ValueOf<uint64_t>(event, schema::argument::kSector)) {
      request.sector = *sector;
    }
    Bound(open_);
    open_[id] = std::move(request);
    return;
  }
  if (event.type != fxt::EventType::kAsyncEnd) return;
  const auto found = open_.find(id);
  if (found == open_.end()) return;
  Request request = std::move(found->second);
  open_.erase(found);
  if (FindArgument(event.arguments, schema::argument::kMerged) != nullptr) return;
  request.end = time;
  Bound(completed_);
  last_completed_ = request;
  completed_[request.issuer] = std::move(request);
}

void WaitReasons::NoteObject(const fxt::Record& record) {
  if (const auto* object = std::get_if<fxt::KernelObject>(&record)) {
    if (object->type == static_cast<uint8_t>(fxt::KernelObjectType::kThread) &&
        schema::GenerationOfKoid(object->koid) == schema::kDeviceGeneration) {
      Bound(devices_);
      devices_[object->koid] = std::string(fxt::CutUtf8(object->name.text, kMaxName));
    }
  }
}

void WaitReasons::NoteEvent(const fxt::Reader& reader) {
  slept_.reset();
  if (!sections_.Has(reader)) return;
  const auto* event = std::get_if<fxt::Event>(&reader.record());
  if (event == nullptr) return;
  const std::string_view category = event->category.text;
  const uint64_t time = reader.ToNanoseconds(event->timestamp);
  if (category == schema::CategoryName(FXR_CATEGORY_BLOCK)) {
    NoteBlock(*event, reader.provider().id(), time);
  } else if (category == schema::kRecorderName && event->name.text == schema::event::kSession) {
    const auto* categories = ValueOf<fxt::StringRef>(*event, "categories");
    has_stacks_ = categories != nullptr &&
                  categories->text.find(schema::category::kStack) != std::string_view::npos;
  } else if (category == schema::category::kStack) {
    has_stacks_ = true;
    const auto* in = ValueOf<fxt::StringRef>(*event, schema::argument::kIn);
    const auto* away = ValueOf<uint64_t>(*event, schema::argument::kAway);
    const auto* stack = ValueOf<fxt::PointerValue>(*event, schema::argument::kStack);
    if (event->name.text != schema::event::kStackOff || away == nullptr) return;
    slept_ = Slept{event->thread.thread, time - std::min(time, *away),
                   std::string(fxt::CutUtf8(in == nullptr ? "" : in->text, kMaxFunction)),
                   stack == nullptr ? std::nullopt : std::optional(stack->address),
                   event->thread.process};
  } else if (category == schema::CategoryName(FXR_CATEGORY_FAULT) &&
             event->name.text == schema::event::kMajorFault) {
    if (event->type == fxt::EventType::kDurationEnd) {
      faults_.erase(event->thread.thread);
    } else if (event->type == fxt::EventType::kDurationBegin) {
      const auto* address = ValueOf<fxt::PointerValue>(*event, schema::argument::kAddress);
      Bound(faults_);
      faults_[event->thread.thread] = address == nullptr ? 0 : address->address;
    }
  }
}

std::string WaitReasons::Text(const Request& request) const {
  std::string text = "block " + request.operation;
  const auto device = devices_.find(request.device);
  if (device != devices_.end()) text += " " + device->second;
  if (request.bytes != 0) text += " " + std::to_string(request.bytes) + " bytes";
  if (request.sector) text += " at sector " + std::to_string(*request.sector);
  return text;
}

std::string WaitReasons::ReasonOf(fxt::Koid thread, uint64_t begin, uint64_t end,
                                  bool by_thread) const {
  std::string reason;
  if (const auto fault = faults_.find(thread); fault != faults_.end()) {
    reason = "page fault at " + Hex(fault->second);
  }
  const auto within = [&](const Request& request) {
    return request.end >= begin && request.end <= end;
  };
  const auto own = completed_.find(thread);
  if (own != completed_.end() && within(own->second)) {
    return JoinReasons(reason, Text(own->second));
  }
  if (!by_thread && last_completed_ && within(*last_completed_) &&
      end - last_completed_->end <= kOfOneInterrupt) {
    return JoinReasons(reason, Text(*last_completed_));
  }
  return reason;
}

bool IsOf(const WaitReasons::Slept& slept, uint64_t begin) {
  constexpr uint64_t kApart = 100'000;  // ns
  return std::max(slept.begin, begin) - std::min(slept.begin, begin) <= kApart;
}

std::string JoinReasons(const std::string& reason, const std::string& function) {
  if (reason.empty()) return function;
  return function.empty() ? reason : reason + "; " + function;
}

std::string KindOfReason(std::string_view reason) {
  constexpr std::string_view kFault = "page fault";
  if (reason.starts_with(kFault)) return std::string(kFault);
  reason = reason.substr(0, reason.find("; "));
  if (!reason.starts_with("block ")) return std::string(reason);
  // The operation and the device.
  size_t end = reason.find(' ', reason.find(' ') + 1);
  if (end != std::string_view::npos) end = reason.find(' ', end + 1);
  return std::string(reason.substr(0, end));
}

}  // namespace facts
