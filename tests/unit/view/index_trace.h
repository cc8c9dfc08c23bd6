// SPDX-License-Identifier: BSD-2-Clause
// A trace with items in each kind of lane.
#pragma once

#include <cstdint>
#include <string>

#include "unit/measure/trace_script.h"

namespace view::testing {

// `steps` runs of two threads; `length`: from the begin of a run to a wakeup, ns.
inline std::string IndexTrace(uint64_t length, uint64_t steps) {
  using measure::testing::TraceScript;
  TraceScript script;
  script.Name(10, "first\\").Name(20, "second\x01").Session(50);
  for (uint64_t i = 1; i < steps; ++i) {
    script.Switch(1000 * i, 0, 10, "S", 20).Wake(1000 * i + length, 10, 20);
    script.Span(1000 * i + 100, 1000 * i + 300, 20, "app", i % 2 == 0 ? "even" : "odd");
    script.Switch(1000 * i + 500, 0, 20, "R", 10);
  }
  script.Loss(steps * 1250, 0, 7).Unseen(steps * 1300, 0);
  const auto flow = [&](fxt::EventType type, uint64_t time, fxt::Koid thread) {
    script.Add(fxt::Event{.type = type,
                          .timestamp = time,
                          .thread = fxt::ThreadRef::Inline(thread, thread),
                          .category = TraceScript::Text("app"),
                          .name = TraceScript::Text("call"),
                          .arguments = {},
                          .payload = 5});
  };
  flow(fxt::EventType::kFlowBegin, 1150, 20);
  flow(fxt::EventType::kFlowEnd, 2150, 20);
  const auto event = [&](fxt::EventType type, uint64_t time, uint64_t payload,
                         std::vector<fxt::Argument> arguments) {
    script.Add(fxt::Event{.type = type,
                          .timestamp = time,
                          .thread = fxt::ThreadRef::Inline(10, 10),
                          .category = TraceScript::Text("app"),
                          .name = TraceScript::Text("both"),
                          .arguments = arguments,
                          .payload = payload});
  };
  for (uint64_t i = 0; i < 8; ++i) {
    event(fxt::EventType::kCounter, 2000 + 100 * i, 1, {{TraceScript::Text("value"), uint64_t{i}}});
    event(fxt::EventType::kAsyncBegin, 3000 + 10 * i, i, {});
  }
  for (uint64_t i = 0; i < 8; ++i) event(fxt::EventType::kAsyncEnd, 4000 + 10 * i, i, {});
  const auto bytes = script.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace view::testing
