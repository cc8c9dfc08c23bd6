// SPDX-License-Identifier: BSD-2-Clause
// Finds the purpose of each sleep: an answer, a lock, work, a timer, a device, a child.
//
// A thread that wakes another one asks it for something, or answers it. The chain of wakeups
// determines which:
//
// - A thread that was woken for work works for its waker, and for the threads that its waker worked
//   for: its chain of requesters. A thread that it wakes gets this chain with the waker at its end.
// - A sleeper in the chain of its waker began that chain: it waited for the **answer**, and
//   goes on with the work that it did before it asked. So in a closed loop of two threads one asks
//   and the other works, however long the loop runs.
// - A sleeper that is not in the chain waited for **work**, and takes over the chain.
// - A thread has to answer its requester while that one sleeps. If it sleeps meanwhile, and a
// thread
//   that it did not ask wakes it, it waited for a **lock**, or for another resource of the waker.
//
// A trace has no wakeups of running threads, so a request to a busy server is not in it. An answer
// to such a request is recognised because the waker answered this sleeper before. If it is the
// first one, a server that has nothing left to answer seems to ask a thread that no thread has
// asked: that is unknown once, and the next wakeup between both shows which one asks. The begin of
// chains that began before the trace is unknown, and so are purposes that depend on it.
//
// If the trace has the system call of the sleep (category `wait`), that takes precedence: a
// lock of a file, room in a pipe, a child's exit.
//
// Threads of a pool share a queue: the thread that a request wakes may take another request, and
// then passes on the chain of the wrong requester. The rules then apply to programs, or to
// processes of the same program: a thread that works for a program answers if it wakes a thread of
// that program which asked the waker's program. The counts of which program worked for which are
// kept.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "facts/dense_table.h"
#include "facts/scheduling.h"
#include "facts/timeline/fact.h"
#include "facts/timeline/serving_counts.h"
#include "facts/timeline/timeline_state.h"
#include "facts/timeline/waits_for.h"
#include "fxt/id_map.h"
#include "fxt/record.h"
#include "fxt/text_map.h"

namespace facts {

// Feed it forks, exits and wakeups in the order of time. Memory: kBytesOfThread for each thread of
// the timeline, whose number is limited, and 26 MiB for processes and programs.
class WaitPurposes {
 public:
  // The waker that ended a sleep.
  struct Waker {
    enum class Kind : uint8_t {
      kNotKnown,   // the trace does not say
      kThread,     // `index`
      kInterrupt,  // of a timer or a device
      kTimer,
      kDevice,
    };
    Kind kind = Kind::kNotKnown;
    ThreadIndex index = kNoThread;
  };

  // `thread` belongs to `process`, which distinguishes locks within a process from requests of
  // others.
  void NoteProcess(ThreadIndex thread, fxt::Koid process) {
    if (thread == kNoThread) return;
    Thread& at = threads_.At(thread);
    if (at.process == process) return;
    at.process = process;
    at.party = PartyOf(process);
  }
  // The program of a process, by its name; digits do not count.
  void NoteProgram(const fxt::KernelObject& object);
  void NoteFork(ThreadIndex maker, ThreadIndex child);
  void NoteExit(ThreadIndex thread) {
    if (thread != kNoThread) threads_.At(thread).exited = true;
  }
  bool HasProcess(ThreadIndex thread) const {
    return thread < threads_.size() && threads_[thread].process != 0;
  }
  // A wait that ends. kUnknown for those that no wakeup ends. `state` is the timeline's, before the
  // record that ends it.
  WaitsFor OnWait(const Wait& wait, const TimelineState& state) {
    const bool slept = wait.kind == WaitKind::kSleep || wait.kind == WaitKind::kBlocked ||
                       wait.kind == WaitKind::kUnknown;
    if (!slept || !wait.ends_in_wakeup()) return WaitsFor::kUnknown;
    const bool is_whole =
        !wait.touches_loss && (wait.began == Bound::kSeen || wait.began == Bound::kFileEdge);
    return OnWakeup(wait.index, WakerOf(wait.end_waker, wait.end_by_interrupt, state), wait.kind,
                    wait.begin, wait.end, is_whole, state, CallOf(wait.object));
  }
  // The same on the fast path.
  [[gnu::always_inline]] WaitsFor OnWait(const WholeWait& wait, const Wakeup& end,
                                         const TimelineState& state) {
    const Waker waker = end.waker ? Waker{Waker::Kind::kThread, wait.waker}
                                  : WakerOf(end.waker, end.by_interrupt, state);
    return OnWakeup(wait.index, waker, wait.kind, wait.begin, wait.end, true, state);
  }
  // The evidence of the system call that a thread slept in.
  enum class Call : uint8_t {
    kNotKnown,
    kLock,   // of a file
    kRoom,   // in a pipe or socket, for what it sends
    kChild,  // waits for one to exit
    kPause,  // sleeps for a time
    kFile,   // reads or writes one
    kFutex,
    kClient,  // waits at the end of a TCP connection that connected
    kAccept,  // waits for a connection
    kServer,  // waits at the end of a TCP connection that was connected to
  };
  static Call CallOf(const WaitObject* object);
  // The same with what is known of the waker. `is_whole`: nothing that was lost could have ended
  // the sleep before.
  WaitsFor OnWakeup(ThreadIndex sleeper, const Waker& waker, WaitKind kind, uint64_t begin,
                    uint64_t end, bool is_whole, const TimelineState& state,
                    Call call = Call::kNotKnown);
  // For the last OnWait() with a sleep for a lock: the thread that held the lock. If several
  // threads wait for a lock, each wakes the next one; the holder is then the thread that the first
  // of them waited for, if they waited for it for most of this sleep.
  ThreadIndex holder() const { return holder_; }
  // For the last OnWait() with a sleep that another thread of the process ended: that thread, or
  // the thread that woke it before, if most of the sleep waited for that one. So threads that pass
  // a lock or work on to each other all wait for the thread that gave it to the first of them.
  // kNoThread for other sleeps.
  ThreadIndex giver() const { return giver_; }

 private:
  // Requesters of a chain. Longer chains lose the first of them.
  static constexpr size_t kMostRequesters = 10;
  // The room for them: a multiple of the four that are compared at once.
  static constexpr size_t kChainRoom = 12;
  // Limit of the latest threads known to have answered a thread.
  static constexpr size_t kMostAnswerers = 8;
  // A party, which is a process or a program, serves another one if its threads took or answered
  // requests of it this many times as often as in the other direction.
  static constexpr uint32_t kMoreOften = 3;
  // The least times to doubt a chain.
  static constexpr uint32_t kServesSurely = 16;
  static constexpr uint32_t kNoParty = 0;
  // Further processes and programs have no counts. A name that is longer is cut.
  static constexpr size_t kMostProcesses = size_t{1} << 18;
  static constexpr size_t kMostPrograms = 1 << 16;
  static constexpr size_t kMostProgramBytes = 64;

  // A wakeup looks at three of them: what it looks at first is in one cache line.
  struct alignas(64) Thread {
    fxt::Koid process = 0;
    uint32_t party = kNoParty;  // the process
    // The process that it woke a thread of, for a request that is open.
    uint32_t asked_party = kNoParty;
    uint32_t sleeps = 0;            // that have ended
    uint32_t requester_sleeps = 0;  // `sleeps` of the last requester when it asked
    // Counts of its sleeps for work, of the requests among them that it answered, and of its sleeps
    // that a timer or device ended.
    uint32_t asked = 0;
    uint32_t answered = 0;
    uint32_t by_itself = 0;
    uint8_t requesters = 0;
    uint8_t next_answerer = 0;
    bool open = true;   // the chain may have begun before its first requester
    bool owes = false;  // an answer to the last requester
    bool exited = false;
    bool began_by_itself = false;   // a timer or device ended its last sleep
    bool doubted = false;           // its first request may have been unseen
    ThreadIndex giver = kNoThread;  // of its process, for which it slept last
    uint64_t woken = 0;             // when that sleep ended, ns
    ThreadIndex maker = kNoThread;
    ThreadIndex holder = kNoThread;             // of the lock that it waited for last
    std::array<ThreadIndex, kChainRoom> chain;  // the first requester first
    uint64_t let_go = 0;                        // when it got the lock of `holder`, ns
    std::array<ThreadIndex, kMostAnswerers> answerers;
    Thread() {
      chain.fill(kNoThread);
      answerers.fill(kNoThread);
    }

    std::optional<size_t> PlaceOf(ThreadIndex thread) const;
    bool IsAnsweredBy(ThreadIndex thread) const;
    void AddAnswerer(ThreadIndex thread);
    void Answer();
    // Most of its wakeups answer requests.
    bool Answers() const { return answered != 0 && uint64_t{answered} * 2 >= asked; }
  };

 public:
  // A table doubles when it is full.
  static constexpr size_t kBytesOfThread = 2 * sizeof(Thread);

 private:
  static Waker WakerOf(const std::optional<fxt::Koid>& waker, bool by_interrupt,
                       const TimelineState& state) {
    if (waker) return {Waker::Kind::kThread, state.Find(*waker)};
    return {by_interrupt ? Waker::Kind::kInterrupt : Waker::Kind::kNotKnown, kNoThread};
  }
  uint32_t AddParty();
  uint32_t PartyOf(fxt::Koid process);
  // The programs of two processes, or the processes where these do not differ. Empty for one
  // process.
  std::optional<std::pair<uint32_t, uint32_t>> PartiesOf(uint32_t one, uint32_t other) const;
  // Without branches, which depend on two random threads.
  bool IsOneProgram(uint32_t process, uint32_t other) const {
    const uint32_t program = program_of_[process];
    return ((process == other) & (process != kNoParty)) |
           ((program == program_of_[other]) & (program != kNoParty));
  }
  // Whether the party of `client` mostly is the one that asks, and that of `server` the other.
  bool Serves(const Thread& server, const Thread& client, uint32_t least) const;
  // Both ways: whether `one` serves `other`, and `other` serves `one`.
  std::pair<bool, bool> ServeEachOther(const Thread& one, const Thread& other) const;
  void NoteServer(const Thread& server, const Thread& client);
  // Whether `waker` works for the program of `sleeper`, which is of another process.
  bool WorksFor(const Thread& waker, const Thread& sleeper) const;
  WaitsFor OfThread(ThreadIndex sleeper, ThreadIndex waker, WaitKind kind,
                    const TimelineState& state, Call call);
  // The last requester of `thread` sleeps since it asked.
  bool IsWaitedFor(const Thread& thread, ThreadIndex waker, const TimelineState& state) const;
  // `sleeper` works for `waker` from now on.
  void TakeWork(Thread& sleeper, ThreadIndex waker);
  // `sleeper`, which is at `place` of the chain of `waker`, or is its last requester, got its
  // answer.
  void TakeAnswer(ThreadIndex sleeper, ThreadIndex waker, size_t place, const TimelineState& state);

  ThreadIndex HolderOf(ThreadIndex waker, uint64_t begin, uint64_t end) const;
  ThreadIndex GiverOf(ThreadIndex waker, uint64_t begin, uint64_t end) const;

  DenseTable<Thread> threads_;
  ServingCounts serving_;
  std::vector<uint32_t> program_of_{kNoParty};  // by number of the process; of others kNoParty
  fxt::IdMap<uint32_t> processes_;
  fxt::TextMap<uint32_t> programs_;
  ThreadIndex holder_ = kNoThread;
  ThreadIndex giver_ = kNoThread;
};

}  // namespace facts
