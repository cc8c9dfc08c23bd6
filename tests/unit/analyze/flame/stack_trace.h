// SPDX-License-Identifier: BSD-2-Clause
// A trace with stacks, for tests.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "fxt/byte_source.h"
#include "fxt/reader.h"
#include "schema/stack_id.h"
#include "unit/fxt/support/file_builder.h"

namespace analyze::testing {

// Process 100 with the threads 100, "app", and 101, "worker 7". Nothing is mapped, so that all
// frames of processes are "[unknown]"; each of the kernel is "[kernel]_[k]".
class StackTrace {
 public:
  static constexpr uint64_t kKernel = 0xffffffff81000000;

  // `provider` is the name of the writing program; empty: the file does not name it.
  explicit StackTrace(std::string_view provider = "") {
    if (!provider.empty()) {
      file_.Add(fxt::ProviderInfo{1, provider});
      file_.Add(fxt::ProviderSection{1});
    }
    Object(fxt::KernelObjectType::kProcess, 100, "app");
    Object(fxt::KernelObjectType::kThread, 100, "app");
    Object(fxt::KernelObjectType::kThread, 101, "worker 7");
  }
  StackTrace& Define(std::span<const uint64_t> addresses) {
    file_.Add(fxt::ProfilerBacktrace{
        .timestamp = 1, .thread = fxt::ThreadRef::Inline(100, 100), .frames = addresses});
    return *this;
  }
  StackTrace& Stack(std::string_view kind, fxt::Koid thread, std::span<const uint64_t> addresses,
                    std::optional<uint64_t> away = {}, std::optional<fxt::Koid> woken = {}) {
    std::vector<fxt::Argument> arguments;
    arguments.push_back(
        {fxt::StringRef::Inline("stack"), fxt::PointerValue{schema::StackIdOf(addresses)}});
    if (away) arguments.push_back({fxt::StringRef::Inline("away"), *away});
    if (woken) arguments.push_back({fxt::StringRef::Inline("woken"), fxt::KoidValue{*woken}});
    return Instant(kind, thread, arguments);
  }
  StackTrace& Instant(std::string_view kind, fxt::Koid thread,
                      const std::vector<fxt::Argument>& arguments) {
    file_.Add(fxt::Event{.type = fxt::EventType::kInstant,
                         .timestamp = 2,
                         .thread = fxt::ThreadRef::Inline(100, thread),
                         .category = fxt::StringRef::Inline("stack"),
                         .name = fxt::StringRef::Inline(kind),
                         .arguments = arguments});
    return *this;
  }
  std::vector<uint64_t> words() { return file_.words(); }
  // Calls `each(const fxt::Reader&)` for every record.
  template <typename Each>
  void Read(Each each) {
    const std::vector<uint64_t> words = file_.words();
    fxt::MemorySource source(std::as_bytes(std::span(words)));
    fxt::Reader reader(source);
    while (reader.Next() == fxt::ReadStatus::kRecord) each(reader);
  }

 private:
  void Object(fxt::KernelObjectType type, fxt::Koid koid, std::string_view name) {
    const fxt::Argument process{fxt::StringRef::Inline("process"), fxt::KoidValue{100}};
    const bool thread = type == fxt::KernelObjectType::kThread;
    file_.Add(fxt::KernelObject{static_cast<uint8_t>(type),
                                koid,
                                fxt::StringRef::Inline(name),
                                {&process, thread ? size_t{1} : size_t{0}}});
  }

  fxt::testing::FileBuilder file_;
};

}  // namespace analyze::testing
