// SPDX-License-Identifier: BSD-2-Clause
#include <array>

#include "unit/analyze/check/broken_recordings.h"

namespace analyze::testing {

using fxt::Argument;
using fxt::EventType;
using fxt::KoidValue;
using fxt::StringRef;
using fxt::ThreadRef;
using fxt::ThreadState;

namespace {

// A section of a provider.
void AddProvider(RecordingParts& file) {
  file.Add("info 2", fxt::ProviderInfo{2, "app"});
  file.Add("section 2", fxt::ProviderSection{2});
  file.Add("init 2", fxt::Initialization{1'000'000'000});
}

}  // namespace

std::vector<Broken> RecorderCases() {
  const auto drop_bits = [](uint64_t& word, unsigned first, unsigned last, uint64_t value) {
    word = (word & ~((~uint64_t{0} >> (63 - (last - first))) << first)) | value << first;
  };
  return {
      {"no initialization",
       [](RecordingParts& f) { f.Remove("init"); },
       {"recorder-preamble at string sched"}},
      {"another tick rate",
       [](RecordingParts& f) { f.After("init", "again", fxt::Initialization{1000}); },
       {"recorder-preamble at again"}},
      {"no section record",
       [](RecordingParts& f) { f.Remove("section"); },
       {"recorder-preamble at init"}},
      {"no session", [](RecordingParts& f) { f.Remove("session"); }, {"recorder-session at begin"}},
      {"out of time order",
       [](RecordingParts& f) { f.Swap("wakeup worker", "switch to app"); },
       {"recorder-time-order at switch to app"}},
      {"newer layout for a low CPU",
       [](RecordingParts& f) {
         f.Add("newer", fxt::ContextSwitch{kEnd, 0, ThreadState::kNew, kIdle0, kApp, {}});
       },
       {"recorder-switch-layout at newer"}},
      {"a koid of more than 32 bits",
       [](RecordingParts& f) {
         const auto odd = ThreadRef::Inline(kApp, uint64_t{1} << 33);
         f.Add("event", InstantOf(kEnd, odd, "app", "event"));
       },
       {"recorder-koid at event", "recorder-unnamed at event"}},
      {"a thread without a name",
       [](RecordingParts& f) {
         f.Add("event", InstantOf(kEnd, ThreadRef::Inline(kApp, 555), "app", "event"));
       },
       {"recorder-unnamed at event"}},
      {"a process without a name",
       [](RecordingParts& f) { f.Remove("app process"); },
       {"recorder-unnamed at app thread"}},
      {"a waker without a name",
       [](RecordingParts& f) {
         const Argument waker{StringRef::Inline("waker"), KoidValue{556}};
         f.Add("wakeup", fxt::ThreadWakeup{kEnd, 0, kApp, {&waker, 1}});
       },
       {"recorder-unnamed at wakeup"}},
      {"a thread object whose process is a number",
       [](RecordingParts& f) {
         const Argument process{StringRef::Inline("process"), uint64_t{kApp}};
         f.Replace("worker thread",
                   fxt::KernelObject{2, kWorker, StringRef::Inline("worker"), {&process, 1}});
       },
       {"recorder-process at worker thread"}},
      {"a thread of another process than its object says",
       [](RecordingParts& f) {
         f.Replace("thread worker", fxt::ThreadRecord{3, 0, kWorker});
       },
       {"recorder-idle at switch to worker", "recorder-idle at switch from worker",
        "recorder-idle at switch after loss", "recorder-idle at switch unseen before",
        "recorder-idle at last switch", "recorder-process at thread worker"}},
      {"a process in two: a leader that is of another process than its thread",
       [](RecordingParts& f) {
         // As from a list of tasks that has the thread first: 300 is of 1927, 1927 of another.
         constexpr fxt::Koid kOther = fxt::Koid{1} << 22 | 1927;
         const Argument first{StringRef::Inline("process"), KoidValue{1927}};
         const Argument second{StringRef::Inline("process"), KoidValue{kOther}};
         f.Add("first", fxt::KernelObject{1, 1927, StringRef::Inline("server"), {}});
         f.Add("thread", fxt::KernelObject{2, 300, StringRef::Inline("worker"), {&first, 1}});
         f.Add("second", fxt::KernelObject{1, kOther, StringRef::Inline("server"), {}});
         f.Add("leader", fxt::KernelObject{2, 1927, StringRef::Inline("server"), {&second, 1}});
         f.Add("event", InstantOf(kEnd, ThreadRef::Inline(kOther, 1927), "app", "event"));
       },
       {"recorder-split-process at leader"}},
      {"a command line that is cut to more than it was",
       [](RecordingParts& f) {
         const std::array arguments = {
             Argument{StringRef::Inline("cmdline"), StringRef::Inline("server --port 80")},
             Argument{StringRef::Inline("cmdline_cut"), uint64_t{16}}};
         f.Replace("app process", fxt::KernelObject{1, kApp, StringRef::Inline("app"), arguments});
       },
       {"recorder-cmdline at app process"}},
      {"a cut command line that is not there",
       [](RecordingParts& f) {
         const Argument cut{StringRef::Inline("cmdline_cut"), uint64_t{5000}};
         f.Replace("app process", fxt::KernelObject{1, kApp, StringRef::Inline("app"), {&cut, 1}});
       },
       {"recorder-cmdline at app process"}},
      {"idle with a priority",
       [&](RecordingParts& f) { drop_bits(f.At("switch to app")[0], 44, 51, 120); },
       {"recorder-idle at switch to app"}},
      {"the idle thread of another CPU",
       [](RecordingParts& f) {
         f.Add("odd", SwitchAtEnd(ThreadRef::Inline(0, kIdle1), 0, kAppRef, 120));
       },
       {"recorder-idle at odd", "recorder-continuity at odd"}},
      {"a state that is not followed by its switch",
       [](RecordingParts& f) { f.Swap("state", "branches"); },
       {"recorder-linux-state at state"}},
      {"a state of another kind than its switch",
       [&](RecordingParts& f) { drop_bits(f.At("switch from worker")[0], 24, 27, 0); },
       {"recorder-linux-state at state"}},
      {"a state that Linux does not have",
       [](RecordingParts& f) {
         const Argument state{StringRef::Inline("state"), StringRef::Inline("Q")};
         f.Add("odd", InstantOf(kEnd, kAppRef, "sched", "linux_state", {&state, 1}));
       },
       {"recorder-linux-state at odd"}},
      {"a priority above 139",
       [&](RecordingParts& f) { drop_bits(f.At("switch to app")[0], 52, 59, 140); },
       {"recorder-priority at switch to app"}},
      {"a wakeup of a running thread",
       [](RecordingParts& f) {
         f.After("switch to worker", "wakeup", fxt::ThreadWakeup{kStart + 3500, 0, kApp, {}});
       },
       {"recorder-wakeup at wakeup"}},
      {"a waker that is not a koid",
       [](RecordingParts& f) {
         const Argument waker{StringRef::Inline("waker"), uint64_t{kApp}};
         f.Add("wakeup", fxt::ThreadWakeup{kEnd, 0, kApp, {&waker, 1}});
       },
       {"recorder-wakeup at wakeup"}},
      {"a string index defined twice",
       [](RecordingParts& f) {
         f.After("string app", "again", fxt::StringRecord{4, "app"});
       },
       {"recorder-redefined at again"}},
      {"a thread index defined twice",
       [](RecordingParts& f) {
         f.After("thread app", "again", fxt::ThreadRecord{2, kApp, kApp});
       },
       {"recorder-redefined at again"}},
      {"a large record",
       [](RecordingParts& f) {
         f.Add("large", fxt::LargeBlob{StringRef::Inline("c"), StringRef::Inline("n"), {}});
       },
       {"recorder-large-record at large"}},
      {"a full buffer without a loss",
       [](RecordingParts& f) { f.Remove("lost").Remove("lost counter"); },
       {"recorder-loss at filled up", "recorder-continuity at switch after loss"}},
      {"a loss without its counter",
       [](RecordingParts& f) { f.Remove("lost counter"); },
       {"recorder-loss at lost"}},
      {"a loss without a CPU",
       [](RecordingParts& f) {
         const Argument category{StringRef::Inline("category"), StringRef::Inline("sched")};
         fxt::Event counter = InstantOf(kEnd, kAppRef, "fxt-record", "lost_events");
         counter.type = EventType::kCounter;
         counter.payload = ~uint64_t{0};
         f.Add("filled", fxt::ProviderEvent{1, 0});
         f.Add("loss", InstantOf(kEnd, kAppRef, "fxt-record", "lost_events", {&category, 1}));
         f.Add("counter 2", counter);
       },
       {"recorder-loss at loss"}},
      {"a gap in a CPU's switches",
       [](RecordingParts& f) { f.Remove("unseen"); },
       {"recorder-continuity at switch unseen before"}},
      {"a log record without its instant",
       [](RecordingParts& f) { f.Remove("log instant"); },
       {"recorder-log at log"}},
      {"a stack without addresses",
       [](RecordingParts& f) {
         const Argument stack{StringRef::Inline("stack"), fxt::PointerValue{7}};
         f.Add("stack", fxt::Event{.type = EventType::kInstant,
                                   .timestamp = kEnd,
                                   .thread = ThreadRef::Inline(kApp, kApp),
                                   .category = StringRef::Inline("stack"),
                                   .name = StringRef::Inline("on"),
                                   .arguments = {&stack, 1}});
       },
       {"recorder-stack at stack"}},
      {"a switch and a wakeup of a provider",
       [](RecordingParts& f) {
         AddProvider(f);
         f.Add("switch 2", fxt::LegacyContextSwitch{kEnd, 0, ThreadState::kBlocked, kAppRef,
                                                    kAppRef, 120, 120});
         f.Add("wakeup 2", fxt::ThreadWakeup{kEnd, 0, kApp, {}});
       },
       {"recorder-provider-switch at switch 2", "recorder-provider-switch at wakeup 2"}},
      {"a name that a program gives to a thread",
       [](RecordingParts& f) {
         AddProvider(f);
         f.Add("object 2", fxt::KernelObject{static_cast<uint8_t>(fxt::KernelObjectType::kThread),
                                             kApp,
                                             StringRef::Inline("forged"),
                                             {}});
       },
       {"recorder-provider-object at object 2"}},
      {"a kernel log message of a program",
       [](RecordingParts& f) {
         AddProvider(f);
         f.Add("log 2", fxt::Log{kEnd, kAppRef, "forged"});
       },
       {"recorder-provider-log at log 2"}},
      {"events of the kernel's categories of a program",
       [](RecordingParts& f) {
         AddProvider(f);
         for (const char* category :
              {"syscall", "irq", "softirq", "oom", "signal", "block", "net"}) {
           f.Add(std::string(category) + " 2", InstantOf(kEnd, kAppRef, category, "forged"));
         }
         f.Add("own", InstantOf(kEnd, kAppRef, "app", "own"));
       },
       {"recorder-provider-event at syscall 2", "recorder-provider-event at irq 2",
        "recorder-provider-event at softirq 2", "recorder-provider-event at oom 2",
        "recorder-provider-event at signal 2", "recorder-provider-event at block 2",
        "recorder-provider-event at net 2"}},
      {"a backtrace of a program",
       [](RecordingParts& f) {
         AddProvider(f);
         const std::array<uint64_t, 1> frames = {0x1000};
         f.Add("backtrace 2",
               fxt::ProfilerBacktrace{.timestamp = kEnd, .thread = kAppRef, .frames = frames});
       },
       {"recorder-provider-stack at backtrace 2"}},
  };
}

}  // namespace analyze::testing
