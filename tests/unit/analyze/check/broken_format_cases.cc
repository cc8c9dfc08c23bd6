// SPDX-License-Identifier: BSD-2-Clause
#include "unit/analyze/check/broken_recordings.h"

namespace analyze::testing {
namespace {

constexpr uint64_t kInlineOne = uint64_t{0x8001};

}  // namespace

using fxt::ThreadRef;

std::vector<Broken> FormatCases() {
  return {
      {"reserved bit of a thread record",
       [](RecordingParts& f) { f.At("thread app")[0] |= uint64_t{1} << 40; },
       {"reserved-bits at thread app"}},
      {"reserved bit of the initialization record",
       [](RecordingParts& f) { f.At("init")[0] |= uint64_t{1} << 63; },
       {"reserved-bits at init"}},
      {"reserved bit of a provider section",
       [](RecordingParts& f) { f.At("section")[0] |= uint64_t{1} << 60; },
       {"reserved-bits at section"}},
      {"reserved bit of a string record",
       [](RecordingParts& f) { f.At("string app")[0] |= uint64_t{1} << 47; },
       {"reserved-bits at string app"}},
      {"reserved bits of a log record",
       [](RecordingParts& f) { f.At("log")[0] |= uint64_t{1} << 31 | uint64_t{1} << 50; },
       {"reserved-bits at log"}},
      {"reserved bit of a wakeup",
       [](RecordingParts& f) { f.At("wakeup worker")[0] |= uint64_t{1} << 50; },
       {"reserved-bits at wakeup worker"}},
      {"reserved bit of a kernel object",
       [](RecordingParts& f) { f.At("app thread")[0] |= uint64_t{1} << 44; },
       {"reserved-bits at app thread"}},
      {"reserved bit of a blob",
       [](RecordingParts& f) { f.At("branches")[0] |= uint64_t{1} << 56; },
       {"reserved-bits at branches"}},
      {"reserved bits of a koid argument",
       [](RecordingParts& f) { f.At("idle0")[4] |= uint64_t{5} << 32; },
       {"reserved-bits at idle0"}},
      {"padding of a string record",
       [](RecordingParts& f) { f.At("string sched")[1] |= uint64_t{'x'} << 56; },
       {"padding at string sched"}},
      {"padding of an inline event name",
       [](RecordingParts& f) { f.At("begin")[2] |= uint64_t{1} << 32; },
       {"padding at begin"}},
      {"padding of a log message",
       [](RecordingParts& f) { f.At("log").back() |= uint64_t{1} << 63; },
       {"padding at log"}},
      {"a word too many in an initialization record",
       [](RecordingParts& f) {
         f.At("init").push_back(0);
         f.At("init")[0] += 0x10;
       },
       {"trailing-words at init"}},
      {"a word too many in an argument",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         const size_t argument = counter.size() - 3;
         counter.insert(counter.begin() + static_cast<long>(argument) + 2, 0);
         counter[argument] += 0x10;
         counter[0] += 0x10;
       },
       {"argument-size at counter"}},
      {"an event that refers to an undefined string",
       [](RecordingParts& f) {
         f.At("end")[0] = (f.At("end")[0] & ~(uint64_t{0xffff} << 32)) | uint64_t{99} << 32;
       },
       {"undefined-string at end"}},
      {"a string that is defined behind its use",
       [](RecordingParts& f) {
         const auto words = f.At("string app");
         f.Remove("string app").AddWords("string app", words);
       },
       {"undefined-string at begin", "undefined-string at complete",
        "undefined-string at async begin", "undefined-string at flow begin",
        "undefined-string at flow end", "undefined-string at async end", "undefined-string at end",
        "undefined-string at counter"}},
      {"a switch that refers to an undefined thread",
       [](RecordingParts& f) {
         // Idle of CPU 0 stays what it was, so that nothing else is wrong.
         f.Add("odd", SwitchAtEnd(kIdle0Ref, 0, kAppRef, 120));
         f.Add("wake", fxt::Log{kEnd, ThreadRef::Indexed(200), "m"});
         f.Add("instant", InstantOf(kEnd, ThreadRef::Inline(0, 0), "log", "m"));
       },
       {"undefined-thread at wake", "recorder-unnamed at wake"}},
      {"a section of a provider without info",
       [](RecordingParts& f) { f.Add("other", fxt::ProviderSection{9}); },
       {"unknown-provider at other"}},
      {"an outgoing thread that is running",
       [](RecordingParts& f) {
         f.At("last switch")[0] = (f.At("last switch")[0] & ~(uint64_t{0xf} << 24)) | 1 << 24;
       },
       {"thread-state at last switch"}},
      {"an outgoing thread in a state without a name",
       [](RecordingParts& f) { f.At("last switch")[0] |= uint64_t{0xf} << 24; },
       {"thread-state at last switch"}},
      {"a string that is not UTF-8",
       [](RecordingParts& f) { f.At("string app")[1] = 0xff6161; },
       {"utf-8 at string app"}},
      {"a log message that is not UTF-8",
       [](RecordingParts& f) { f.At("log")[2] |= 0xff; },
       {"utf-8 at log"}},
      {"a complete event that ends before it begins",
       [](RecordingParts& f) { f.At("complete").back() = 5; },
       {"event-times at complete"}},
      {"a duration end without a begin",
       [](RecordingParts& f) { f.Remove("begin"); },
       {"unmatched-end at end"}},
      {"an async end without a begin",
       [](RecordingParts& f) { f.Remove("async begin"); },
       {"unmatched-end at async end"}},
      {"a flow end without a begin",
       [](RecordingParts& f) { f.Remove("flow begin"); },
       {"unmatched-flow at flow end"}},
      {"branches: more than are there",
       [](RecordingParts& f) { f.At("branches")[2] = 1 | uint64_t{2} << 16; },
       {"last-branch at branches"}},
      {"branches: fewer than are there",
       [](RecordingParts& f) { f.At("branches")[2] = 1; },
       {"last-branch at branches"}},
      {"branches: reserved field",
       [](RecordingParts& f) { f.At("branches")[2] |= uint64_t{1} << 32; },
       {"last-branch at branches"}},
      {"branches: named after another CPU",
       [](RecordingParts& f) { f.At("branches")[2] = 2 | uint64_t{1} << 16; },
       {"last-branch at branches"}},
      {"an unknown record type",
       [](RecordingParts& f) { f.AddWords("unknown", {0x1c}); },
       {"unknown-type at unknown"}},
      {"an unknown argument type",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         counter[counter.size() - 3] |= 0xf;
       },
       {"unknown-type at counter"}},
      {"an argument of size 0",
       [](RecordingParts& f) {
         std::vector<uint64_t>& counter = f.At("counter");
         counter[counter.size() - 3] &= ~uint64_t{0xfff0};
       },
       {"malformed at counter"}},
      {"a name that is longer than its record",
       [](RecordingParts& f) {
         f.AddWords("bad", {0x24 | 1 << 24 | (kInlineOne + 30) << 48, kEnd});
       },
       {"malformed at bad"}},
      {"a file that is cut in its last record",
       [](RecordingParts& f) { f.AddWords("cut", {0x28}); },
       {"truncated at cut"}},
      {"a record of size 0",
       [](RecordingParts& f) {
         f.AddWords("zero", {0x08});
         f.AddWords("never read", {0x1c});
       },
       {"framing at zero"}},
  };
}

}  // namespace analyze::testing
