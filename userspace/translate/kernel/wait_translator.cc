// SPDX-License-Identifier: BSD-2-Clause
#include "translate/kernel/wait_translator.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "fxt/utf8.h"
#include "schema/wait_object.h"
#include "schema/wait_reason.h"
#include "util/syscall_names.h"

namespace translate {
namespace {

constexpr uint64_t kUnknown = ~uint64_t{0};
constexpr size_t kMaxFunctions = 8192;
constexpr size_t kMaxCalls = 2048;
// Further names are written inline with each instant: a file's string table never shrinks.
constexpr size_t kMaxObjects = 4096;
constexpr size_t kMaxEnds = 16384;
constexpr size_t kMaxTextBytes = 300;

}  // namespace

WaitTranslator::WaitTranslator(TraceWriter& file, model::TaskTracker& tasks)
    : file_(file), tasks_(tasks) {}

const WaitTranslator::Function& WaitTranslator::FunctionAt(uint64_t address) {
  const auto known = functions_.find(address);
  if (known != functions_.end()) return known->second;
  if (functions_.size() >= kMaxFunctions) functions_.clear();
  Function function{.name = tasks_.identities().FunctionAt(static_cast<int64_t>(address))};
  function.schedules = schema::IsSchedulerFunction(function.name);
  return functions_.emplace(address, std::move(function)).first->second;
}

std::string WaitTranslator::FunctionOf(const uint64_t* frames, size_t count,
                                       std::string_view& kind) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) {
    // All but the innermost address are return addresses.
    const Function& function = FunctionAt(frames[i] - (i == 0 ? 0 : 1));
    if (!function.name.empty() && !function.schedules) names.push_back(function.name);
  }
  if (const std::string_view found = KindOfFunctions(names); !found.empty()) kind = found;
  return names.empty() ? std::string() : names.front();
}

const std::string& WaitTranslator::CallName(int32_t number, bool compat) {
  const uint64_t key = uint64_t{static_cast<uint32_t>(number)} << 1 | (compat ? 1 : 0);
  const auto known = calls_.find(key);
  if (known != calls_.end()) return known->second;
  if (calls_.size() >= kMaxCalls) calls_.clear();
  return calls_
      .emplace(key, util::SyscallName(
                        number, compat ? util::SyscallTable::kCompat : util::SyscallTable::kNative))
      .first->second;
}

uint32_t WaitTranslator::OtherEnd(const fxr_wait_long& wait, std::string_view addresses) {
  const uint32_t local = wait.ports >> 16;
  const uint32_t remote = wait.ports & 0xffff;
  if (wait.kind != FXR_WAIT_SOCKET || addresses.size() < 8 || local == 0 || remote == 0 ||
      (wait.flags & FXR_WAIT_LISTENS) != 0) {
    return 0;
  }
  const std::string_view here = addresses.substr(0, addresses.size() / 2);
  const std::string_view there = addresses.substr(addresses.size() / 2);
  const auto key = [&](std::string_view from, uint32_t from_port, std::string_view to,
                       uint32_t to_port) {
    std::string text(from);
    text += to;
    // The namespace, the protocol and the ports.
    const std::array<uint64_t, 2> numbers = {
        wait.offset, uint64_t{wait.device} << 32 | uint64_t{from_port} << 16 | to_port};
    text.append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
    return text;
  };
  if (end_users_.size() >= kMaxEnds) end_users_.clear();
  end_users_[key(here, local, there, remote)] = wait.tid;
  const auto found = end_users_.find(key(there, remote, here, local));
  return found == end_users_.end() ? 0 : found->second;
}

bool WaitTranslator::OnWait(uint64_t time, const fxr_wait_long& wait,
                            std::span<const std::byte> bytes) {
  constexpr size_t kFrameBytes = FXR_WAIT_FRAMES * sizeof(uint64_t);
  std::array<uint64_t, FXR_WAIT_FRAMES> frames{};
  if (wait.frames > FXR_WAIT_FRAMES || (wait.frames != 0 && bytes.size() < kFrameBytes)) {
    return false;
  }
  if (wait.frames != 0) {
    std::memcpy(frames.data(), bytes.data(), kFrameBytes);
    bytes = bytes.subspan(kFrameBytes);
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  WaitName name = NameOfWait(wait, text);
  std::string_view kind;
  const std::string function = FunctionOf(frames.data(), wait.frames, kind);
  const bool is_inside = !kind.empty() && wait.kind != FXR_WAIT_ADDRESS_SPACE;
  const bool is_fault = is_inside && (kind == "page fault" || kind == "swap");
  // blk-throttle replaces the kind unless the thread waits inside its call for something else.
  const bool is_throttled = (wait.flags & FXR_WAIT_THROTTLED) != 0 && (!is_inside || is_fault);
  if (is_inside) {
    // The thread waits for something other than the object of its call.
    if (kind != "fuse") name.object.clear();
    if (is_fault) name.object = FileOfFault(wait, text);
    name.kind = kind;
  }
  if (is_throttled) name.kind = "blk-throttle";
  const bool has_file = is_fault ? !name.object.empty() && name.object != "anonymous" : !is_inside;
  uint32_t peer = is_inside ? 0 : wait.peer;
  if (const uint32_t other = OtherEnd(wait, text); peer == 0) peer = other;
  const model::ThreadHandle thread = tasks_.Thread(wait.tid);
  std::optional<fxt::Koid> peer_koid;
  if (peer != 0) peer_koid = file_.KoidOf(tasks_.Thread(peer));

  std::array<std::string, 4> valid;
  std::array<fxt::Argument, 8> arguments;
  size_t count = 0;
  OpenRecord record = file_.Begin(thread);
  const auto add = [&](std::string_view key, const fxt::ArgumentValue& value) {
    arguments[count++] = {record.Intern(key), value};
  };
  if (wait.call >= 0) {
    const std::string& call = CallName(wait.call, (wait.flags & FXR_WAIT_COMPAT) != 0);
    add(schema::argument::kSyscall, record.Intern(call));
  }
  // These texts come from the kernel's code, never from a program.
  if (!name.kind.empty()) {
    add(schema::argument::kObjectKind, fxt::InlineUtf8(name.kind, valid[0], kMaxTextBytes));
  }
  if (!name.object.empty()) {
    const std::string_view object =
        fxt::CutUtf8(fxt::ToValidUtf8(name.object, valid[1]), kMaxTextBytes);
    if (objects_.size() < kMaxObjects) objects_.emplace(object);
    if (objects_.contains(std::string(object))) {
      add(schema::argument::kObject, record.Intern(object));
    } else {
      add(schema::argument::kObject, fxt::InlineUtf8(object, valid[2], kMaxTextBytes));
    }
  }
  if (!function.empty()) {
    add(schema::argument::kFunction, record.Intern(function));
  }
  if (peer_koid) add(schema::argument::kPeer, fxt::KoidValue{*peer_koid});
  if (!is_inside && wait.asked != kUnknown) add(schema::argument::kAsked, uint64_t{wait.asked});
  if (has_file && !name.object.empty()) {
    if (std::string device = DeviceNumber(wait); !device.empty()) {
      valid[3] = std::move(device);
      add(schema::argument::kDevice, fxt::StringRef::Inline(valid[3]));
    }
    const bool is_content = is_fault || wait.kind == FXR_WAIT_FILE || wait.kind == FXR_WAIT_BLOCK;
    if (is_content && wait.offset != kUnknown) {
      // The offset of a fault is that of its page.
      constexpr uint64_t kPage = 4096;
      add(schema::argument::kOffset, is_fault ? wait.offset / kPage * kPage : wait.offset);
    }
  }
  record.Write(fxt::Event{.type = fxt::EventType::kInstant,
                          .timestamp = time,
                          .thread = record.thread(),
                          .category = record.Ref(FXR_CATEGORY_WAIT),
                          .name = record.Intern(schema::event::kWaited),
                          .arguments = {arguments.data(), count}});
  return true;
}

}  // namespace translate
