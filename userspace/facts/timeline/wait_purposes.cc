// SPDX-License-Identifier: BSD-2-Clause
#include "facts/timeline/wait_purposes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>

#include "schema/wait_object.h"

namespace facts {
namespace {

bool Sends(std::string_view call) {
  return call.starts_with("write") || call.starts_with("send") || call.starts_with("pwrite") ||
         call == "splice" || call == "vmsplice" || call == "tee";
}

// Linux takes the ports of clients from 32768 on (ip_local_port_range).
constexpr unsigned kFirstClientPort = 32768;

// The port of "127.0.0.1:40112"; empty for other texts.
std::optional<unsigned> PortOf(std::string_view address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view text = address.substr(colon + 1);
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

// Which end of "LOCAL -> REMOTE" is the local one: the one that connected has a port of a client,
// the other one has none.
WaitPurposes::Call EndOf(std::string_view connection) {
  constexpr std::string_view kArrow = " -> ";
  const size_t arrow = connection.find(kArrow);
  if (arrow == std::string_view::npos) return WaitPurposes::Call::kNotKnown;
  const auto local = PortOf(connection.substr(0, arrow));
  const auto remote = PortOf(connection.substr(arrow + kArrow.size()));
  if (!local || !remote || (*local >= kFirstClientPort) == (*remote >= kFirstClientPort)) {
    return WaitPurposes::Call::kNotKnown;
  }
  return *local >= kFirstClientPort ? WaitPurposes::Call::kClient : WaitPurposes::Call::kServer;
}

bool IsAsleep(ThreadIndex thread, const TimelineState& state) {
  if (thread >= state.threads().size()) return false;
  const TimelineState::Thread& at = state.threads()[thread];
  return !at.running && (at.kind == WaitKind::kSleep || at.kind == WaitKind::kBlocked);
}

// Compares all of them: for a few numbers that costs less than a branch for each.
template <size_t size>
bool Has(const std::array<uint32_t, size>& numbers, uint32_t number) {
  uint32_t found = 0;
  for (const uint32_t one : numbers) found |= one == number ? 1 : 0;
  return found != 0;
}

}  // namespace

std::optional<size_t> WaitPurposes::Thread::PlaceOf(ThreadIndex thread) const {
  if (!Has(chain, thread)) return std::nullopt;
  for (size_t i = requesters; i-- > 0;) {
    if (chain[i] == thread) return i;
  }
  return std::nullopt;
}

bool WaitPurposes::Thread::IsAnsweredBy(ThreadIndex thread) const { return Has(answerers, thread); }

void WaitPurposes::Thread::AddAnswerer(ThreadIndex thread) {
  if (IsAnsweredBy(thread)) return;
  answerers[next_answerer] = thread;
  next_answerer = static_cast<uint8_t>((next_answerer + 1) % kMostAnswerers);
}

void WaitPurposes::Thread::Answer() {
  if (!owes) return;
  owes = false;
  ++answered;
}

uint32_t WaitPurposes::AddParty() {
  program_of_.push_back(kNoParty);
  return static_cast<uint32_t>(program_of_.size() - 1);
}

uint32_t WaitPurposes::PartyOf(fxt::Koid process) {
  if (const auto known = processes_.find(process); known != processes_.end()) return known->second;
  if (processes_.size() >= kMostProcesses) return kNoParty;
  return processes_.emplace(process, AddParty()).first->second;
}

void WaitPurposes::NoteProgram(const fxt::KernelObject& object) {
  if (static_cast<fxt::KernelObjectType>(object.type) != fxt::KernelObjectType::kProcess) return;
  const uint32_t process = PartyOf(object.koid);
  if (process == kNoParty) return;
  std::string name;
  for (const char c : object.name.text.substr(0, kMostProgramBytes)) {
    if (c < '0' || c > '9') name += c;
  }
  program_of_[process] = kNoParty;
  if (name.empty()) return;
  auto at = programs_.find(name);
  if (at == programs_.end()) {
    if (programs_.size() >= kMostPrograms) return;
    at = programs_.emplace(std::move(name), AddParty()).first;
  }
  program_of_[process] = at->second;
}

std::optional<std::pair<uint32_t, uint32_t>> WaitPurposes::PartiesOf(uint32_t one,
                                                                     uint32_t other) const {
  if (one == kNoParty || other == kNoParty || one == other) return std::nullopt;
  const uint32_t program = program_of_[one];
  const uint32_t other_program = program_of_[other];
  if (program == kNoParty || other_program == kNoParty || program == other_program) {
    return std::pair(one, other);
  }
  return std::pair(program, other_program);
}

bool WaitPurposes::Serves(const Thread& server, const Thread& client, uint32_t least) const {
  const auto parties = PartiesOf(server.party, client.party);
  if (!parties) return false;
  const auto times = serving_.Of(parties->first, parties->second);
  return times.forward >= least && times.forward >= uint64_t{times.backward} * kMoreOften;
}

std::pair<bool, bool> WaitPurposes::ServeEachOther(const Thread& one, const Thread& other) const {
  const auto parties = PartiesOf(one.party, other.party);
  if (!parties) return {false, false};
  const auto times = serving_.Of(parties->first, parties->second);
  return {times.forward != 0 && times.forward >= uint64_t{times.backward} * kMoreOften,
          times.backward != 0 && times.backward >= uint64_t{times.forward} * kMoreOften};
}

void WaitPurposes::NoteServer(const Thread& server, const Thread& client) {
  if (const auto parties = PartiesOf(server.party, client.party)) {
    serving_.Add(parties->first, parties->second);
  }
}

bool WaitPurposes::WorksFor(const Thread& waker, const Thread& sleeper) const {
  // All of it is looked at: whether a random thread owes an answer is what no CPU can predict.
  const bool has_requester = waker.owes & (waker.requesters != 0);
  const size_t last = has_requester ? waker.requesters - size_t{1} : 0;
  const uint32_t party = has_requester ? threads_[waker.chain[last]].party : kNoParty;
  return (sleeper.party != waker.party) & IsOneProgram(party, sleeper.party);
}

WaitPurposes::Call WaitPurposes::CallOf(const WaitObject* object) {
  namespace kinds = schema::wait_kind;
  if (object == nullptr) return Call::kNotKnown;
  if (object->kind == kinds::kFileLock) return Call::kLock;
  if (object->kind == kinds::kChild) return Call::kChild;
  if (object->kind == kinds::kSleep) return Call::kPause;
  if (object->kind == kinds::kFile) return Call::kFile;
  if (object->kind == kinds::kFutex) return Call::kFutex;
  if (Sends(object->syscall)) return Call::kRoom;
  if (object->syscall.starts_with("accept")) return Call::kAccept;
  return object->kind == kinds::kTcp ? EndOf(object->object) : Call::kNotKnown;
}

void WaitPurposes::NoteFork(ThreadIndex maker, ThreadIndex child) {
  if (maker == kNoThread || child == kNoThread) return;
  threads_.At(maker);
  Thread& made = threads_.At(child);
  made.maker = maker;
  // It works for those that its maker works for: a server may make a process for each connection.
  // It has asked no thread before.
  const Thread& from = threads_[maker];
  const size_t first = from.requesters == kMostRequesters ? 1 : 0;
  std::copy(from.chain.begin() + first, from.chain.begin() + from.requesters, made.chain.begin());
  made.requesters = static_cast<uint8_t>(from.requesters - first);
  made.chain[made.requesters++] = maker;
  made.open = false;
}

bool WaitPurposes::IsWaitedFor(const Thread& thread, ThreadIndex waker,
                               const TimelineState& state) const {
  if (!thread.owes || thread.requesters == 0) return false;
  const ThreadIndex requester = thread.chain[thread.requesters - 1];
  return requester != waker && threads_[requester].sleeps == thread.requester_sleeps &&
         IsAsleep(requester, state);
}

void WaitPurposes::TakeWork(Thread& sleeper, ThreadIndex waker) {
  Thread& from = threads_[waker];
  // It may pass on what it owes.
  from.owes = false;
  if (from.party != sleeper.party) from.asked_party = sleeper.party;
  if (!from.open) NoteServer(sleeper, from);
  sleeper.asked_party = kNoParty;
  sleeper.open = from.open;
  size_t first = 0;
  if (from.requesters == kMostRequesters) {
    first = 1;
    sleeper.open = true;
  }
  std::copy(from.chain.begin() + first, from.chain.begin() + from.requesters,
            sleeper.chain.begin());
  sleeper.requesters = static_cast<uint8_t>(from.requesters - first);
  sleeper.chain[sleeper.requesters++] = waker;
  sleeper.requester_sleeps = from.sleeps;
  sleeper.owes = true;
  if (sleeper.asked != UINT32_MAX) ++sleeper.asked;
}

void WaitPurposes::TakeAnswer(ThreadIndex number, ThreadIndex waker, size_t place,
                              const TimelineState& state) {
  Thread& from = threads_[waker];
  Thread& sleeper = threads_[number];
  sleeper.AddAnswerer(waker);
  NoteServer(from, sleeper);
  sleeper.asked_party = kNoParty;
  // The threads that passed on the request have answered it, too.
  for (size_t i = place + 1; i < from.requesters; ++i) threads_[from.chain[i]].Answer();
  std::copy(from.chain.begin(), from.chain.begin() + place, sleeper.chain.begin());
  sleeper.requesters = static_cast<uint8_t>(place);
  sleeper.open = from.open;
  from.Answer();
  // It goes on with what it did for its own requester, if that one still waits.
  sleeper.owes = false;
  if (place == 0) return;
  const ThreadIndex requester = sleeper.chain[place - 1];
  if (sleeper.answered < sleeper.asked && IsAsleep(requester, state)) {
    sleeper.owes = true;
    sleeper.requester_sleeps = threads_[requester].sleeps;
  }
}

WaitsFor WaitPurposes::OfThread(ThreadIndex number, ThreadIndex by, WaitKind kind,
                                const TimelineState& state, Call call) {
  Thread& sleeper = threads_[number];
  Thread& waker = threads_[by];
  if (call == Call::kLock) return WaitsFor::kLock;
  if (call == Call::kChild || (waker.exited && waker.maker == number)) return WaitsFor::kChild;
  if (call == Call::kRoom) return WaitsFor::kAnswer;
  if (call == Call::kAccept) {
    // Whatever it did for the one that connects before.
    TakeWork(sleeper, by);
    return WaitsFor::kWork;
  }
  const auto place = waker.PlaceOf(number);
  // A sleeper at the begin of the chain of a process that it serves was taken for its client once,
  // when a request was not seen.
  if (place && !(place == 0 && Serves(sleeper, waker, kServesSurely))) {
    TakeAnswer(number, by, *place, state);
    return WaitsFor::kAnswer;
  }
  // The counts of programs take precedence over those of threads.
  const auto [serves, is_served] = ServeEachOther(waker, sleeper);
  const bool is_server = !is_served && (serves || sleeper.IsAnsweredBy(by));
  const bool is_client = !serves && (is_served || waker.IsAnsweredBy(number));
  const bool works_for = WorksFor(waker, sleeper);
  const bool asked = IsOneProgram(sleeper.asked_party, waker.party);
  if ((is_server && !is_client) || (works_for && asked && !is_client)) {
    // It asked while the waker ran, or this is another thread of those that it asked. This ends the
    // work of the waker.
    waker.Answer();
    sleeper.asked_party = kNoParty;
    if (works_for && asked) NoteServer(waker, sleeper);
    return WaitsFor::kAnswer;
  }
  // The end that connected asks, and the waker does not do this for another thread: its own timer
  // began it, or no thread has asked it yet.
  const bool for_another = waker.asked != 0 && (waker.requesters != 0 || waker.open);
  if (call == Call::kClient && !for_another) {
    NoteServer(waker, sleeper);
    sleeper.AddAnswerer(by);
    waker.Answer();
    sleeper.asked_party = kNoParty;
    return WaitsFor::kAnswer;
  }
  // Processes of one program that share a futex use it as threads do.
  const bool one_process =
      sleeper.process != 0 && (sleeper.process == waker.process ||
                               (call == Call::kFutex && IsOneProgram(sleeper.party, waker.party)));
  if (kind == WaitKind::kBlocked) {
    // No thread waits in D for work: it waits for a lock of the kernel, or for what a thread of the
    // kernel does.
    return one_process ? WaitsFor::kLock : WaitsFor::kUnknown;
  }
  // Another thread of the program that asked asks as well: a thread of the same pool had taken the
  // first request.
  const bool asks_alike =
      !one_process && sleeper.owes && sleeper.requesters != 0 &&
      IsOneProgram(threads_[sleeper.chain[sleeper.requesters - 1]].party, waker.party);
  // What comes to the end that was connected to is the next request, and no lock.
  const bool is_request = call == Call::kServer && !one_process;
  if (!asks_alike && !is_request && IsWaitedFor(sleeper, by, state)) {
    if (sleeper.Answers()) return WaitsFor::kLock;
    // Either it never answers, and its requester sleeps for something else, or this is its first
    // request.
    if (sleeper.answered == 0) return WaitsFor::kUnknown;
  }
  if (is_server || waker.open || (works_for && !is_client)) {
    // Both ask each other, or an earlier request may have begun the chain, or a thread of its
    // process did.
    sleeper.requesters = 0;
    sleeper.owes = false;
    sleeper.open = true;
    return WaitsFor::kUnknown;
  }
  if (one_process && !is_client) {
    if (sleeper.Answers()) {
      TakeWork(sleeper, by);
      return WaitsFor::kUnknown;
    }
    // A thread that mostly wakes by itself has work of its own: this may be a lock as well.
    if (sleeper.by_itself > sleeper.asked) return WaitsFor::kUnknown;
  }
  // A thread that was just made may find requests that came before it: the sleeper may have asked.
  if (!one_process && waker.sleeps == 0 && sleeper.began_by_itself) return WaitsFor::kUnknown;
  // A server that has answered all that it knows of may answer a request that it got while it ran.
  if (!one_process && !sleeper.doubted && sleeper.asked == 0 && !waker.owes && waker.Answers()) {
    sleeper.doubted = true;
    sleeper.requesters = 0;
    sleeper.owes = false;
    sleeper.open = false;
    return WaitsFor::kUnknown;
  }
  TakeWork(sleeper, by);
  return WaitsFor::kWork;
}

ThreadIndex WaitPurposes::HolderOf(ThreadIndex waker, uint64_t begin, uint64_t end) const {
  const Thread& last = threads_[waker];
  const bool is_queue = last.holder != kNoThread && last.let_go > begin && last.let_go <= end &&
                        last.let_go - begin >= end - last.let_go;
  return is_queue ? last.holder : waker;
}

ThreadIndex WaitPurposes::GiverOf(ThreadIndex waker, uint64_t begin, uint64_t end) const {
  const Thread& last = threads_[waker];
  const bool passed_on = last.giver != kNoThread && last.woken > begin && last.woken <= end &&
                         last.woken - begin >= end - last.woken;
  return passed_on ? last.giver : waker;
}

WaitsFor WaitPurposes::OnWakeup(ThreadIndex number, const Waker& waker, WaitKind kind,
                                uint64_t begin, uint64_t end, bool is_whole,
                                const TimelineState& state, Call call) {
  if (number == kNoThread) return WaitsFor::kUnknown;
  threads_.At(number);
  if (waker.kind == Waker::Kind::kThread && waker.index != kNoThread) threads_.At(waker.index);
  Thread& sleeper = threads_[number];
  const bool is_thread =
      waker.kind == Waker::Kind::kThread && waker.index != kNoThread && waker.index != number;
  WaitsFor waits_for = WaitsFor::kUnknown;
  giver_ = is_thread && sleeper.process != 0 && sleeper.process == threads_[waker.index].process
               ? GiverOf(waker.index, begin, end)
               : kNoThread;
  sleeper.giver = giver_;
  sleeper.woken = end;
  if (!is_whole || waker.kind == Waker::Kind::kNotKnown ||
      (waker.kind == Waker::Kind::kThread && !is_thread)) {
    sleeper.requesters = 0;
    sleeper.owes = false;
    sleeper.open = true;
  } else if (is_thread) {
    waits_for = OfThread(number, waker.index, kind, state, call);
    if (waits_for == WaitsFor::kLock) {
      holder_ = HolderOf(waker.index, begin, end);
      sleeper.holder = holder_;
      sleeper.let_go = end;
    }
  } else {
    // A timer or a device began this, and does not end what it owes. After a wait in D it goes on
    // with what it did before.
    if (kind != WaitKind::kBlocked && !IsWaitedFor(sleeper, kNoThread, state)) {
      sleeper.requesters = 0;
      sleeper.owes = false;
      sleeper.open = false;
    }
    if (sleeper.by_itself != UINT32_MAX) ++sleeper.by_itself;
    // No device releases a futex: its timeout ended the sleep.
    if (waker.kind == Waker::Kind::kTimer || call == Call::kPause || call == Call::kFutex) {
      waits_for = WaitsFor::kTimer;
    } else if (waker.kind == Waker::Kind::kDevice || kind == WaitKind::kBlocked ||
               call == Call::kFile) {
      waits_for = WaitsFor::kDevice;
    }
  }
  sleeper.began_by_itself = waker.kind != Waker::Kind::kThread && is_whole;
  ++sleeper.sleeps;
  return waits_for;
}

}  // namespace facts
