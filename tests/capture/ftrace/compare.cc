// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/compare.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "capture/ftrace/incarnations.h"
#include "capture/ftrace/rename_index.h"
#include "capture/ftrace/tracefs/event_format.h"

namespace truth {
namespace {

// The number of switches to search for the next match.
constexpr size_t kResyncSteps = 256;

int ClassOf(char letter) {
  switch (letter) {
    case 'R':
    case StateLetters::kPreempted:
    case StateLetters::kThrottled:
      return 0;
    case 'T':
    case 't':
      return 2;
    case 'Z':
      return 4;
    case 'X':
      return 5;
    default:
      return 3;
  }
}

std::string Text(const SwitchLog& log, uint32_t cpu, const Switch& s) {
  return fmt::format("{}.{:09d} cpu{} {}:{} [{}] {} ==> {}:{} [{}]", s.time_ns / 1'000'000'000,
                     s.time_ns % 1'000'000'000, cpu, log.names.Name(s.prev_name), s.prev_tid,
                     s.prev_priority, StateText(s.prev_state), log.names.Name(s.next_name),
                     s.next_tid, s.next_priority);
}

class CpuComparer {
 public:
  CpuComparer(uint32_t cpu, const SwitchLog& reference, const FxtLog& recorded,
              const RenameIndex& renames, const CompareOptions& options, Comparison* result)
      : cpu_(cpu),
        reference_(reference),
        recorded_(recorded),
        renames_(renames),
        options_(options),
        result_(result),
        counts_(&result->cpus[cpu]) {}

  void Run() {
    CheckContinuity();
    Collect();
    if (counts_->declared_lost > 0 && cpu_ < reference_.second_stamps.size()) {
      AlignByTime();
    } else {
      AlignByTasks();
    }
  }

 private:
  // Two alternating tasks look the same after any number of lost switches, so the times decide. The
  // recorded time lies between the two stamps of ftrace, within the tolerance of the fast clocks.
  void AlignByTime() {
    constexpr uint64_t kSlackNs = 500;
    size_t o = 0;
    for (const Switch* wanted : wanted_) {
      const uint64_t second = std::max(SecondStampOf(*wanted), wanted->time_ns);
      while (o < ours_.size() && ours_[o]->time_ns + kSlackNs < wanted->time_ns)
        Surplus(*ours_[o++]);
      if (o < ours_.size() && ours_[o]->time_ns <= second + kSlackNs && Alike(*wanted, *ours_[o])) {
        Match(*wanted, *ours_[o++]);
      } else {
        Lack(*wanted);
      }
    }
    while (o < ours_.size()) Surplus(*ours_[o++]);
  }

  void AlignByTasks() {
    size_t r = 0, o = 0;
    while (r < wanted_.size() || o < ours_.size()) {
      if (r < wanted_.size() && o < ours_.size() && Alike(*wanted_[r], *ours_[o])) {
        Match(*wanted_[r++], *ours_[o++]);
        continue;
      }
      const auto [skip_r, skip_o] = Resync(r, o);
      for (size_t i = 0; i < skip_r; ++i) Lack(*wanted_[r++]);
      for (size_t i = 0; i < skip_o; ++i) Surplus(*ours_[o++]);
    }
  }

  std::span<const Switch> CpuOf(const SwitchLog& log) const {
    return cpu_ < log.cpus.size() ? std::span<const Switch>(log.cpus[cpu_])
                                  : std::span<const Switch>();
  }

  void CheckContinuity() {
    const bool blind_idle = options_.blind.idle_cpus.contains(cpu_);
    const Gaps wanted =
        FindGaps(CpuOf(reference_), reference_, options_.window, options_.blind.init, blind_idle);
    counts_->reference_gaps = wanted.unexplained;
    counts_->blind_init_reference = wanted.init;
    counts_->blind_idle_reference = wanted.idle;
    // The recording sees switches out of idle everywhere.
    const Gaps ours =
        FindGaps(CpuOf(recorded_.log), reference_, options_.window, options_.blind.init, false);
    counts_->blind_init = ours.init;
    counts_->takeovers = wanted.takeover;
    counts_->offline = wanted.offline;
    for (const DeclaredLoss& loss : recorded_.losses) {
      if (loss.cpu == cpu_ && options_.window.Contains(loss.time_ns)) {
        counts_->declared_lost += loss.count;
      }
    }
    // A declared loss explains a gap.
    if (counts_->declared_lost == 0) {
      // Both tracers have the gap of an offline CPU.
      counts_->recorded_gaps = ours.unexplained + (ours.offline != wanted.offline);
      for (const uint64_t time : ours.unexplained_times_ns) {
        Example(fmt::format("recording goes on with another task on cpu{} at {}", cpu_, time));
      }
      uint64_t marks = 0;
      for (const UnseenSwitch& mark : recorded_.unseen) {
        marks += mark.cpu == cpu_ && options_.window.Contains(mark.time_ns);
      }
      // After a takeover the recorder may not know that the task is the same. A mark is allowed
      // there, and so is its absence.
      const uint64_t least = ours.init + ours.unexplained + ours.offline;
      const uint64_t most = least + ours.takeover;
      // A mark lies anywhere between the neighbours of its gap, so the window may exclude it.
      const uint64_t apart = marks > most ? marks - most : least > marks ? least - marks : 0;
      counts_->unmarked_gaps = apart > 2 ? apart : 0;
    }
    for (const uint64_t time : wanted.unexplained_times_ns) {
      Example(fmt::format("reference goes on with another task on cpu{} at {}", cpu_, time));
    }
  }

  void Collect() {
    for (const Switch& s : CpuOf(reference_)) {
      if (options_.window.Contains(s.time_ns)) wanted_.push_back(&s);
    }
    counts_->reference = wanted_.size();
    const bool blind_idle = options_.blind.idle_cpus.contains(cpu_);
    for (const Switch& s : CpuOf(recorded_.log)) {
      if (!options_.window.Contains(s.time_ns)) continue;
      if (blind_idle && s.prev_tid == 0) {
        ++counts_->blind_idle;
      } else {
        ours_.push_back(&s);
      }
    }
    // The two tracers read the clock at different times, so an end of the window may lie between
    // them.
    TakePausedAcrossEnd();
    TakePausedAcrossBegin();
    TrimEnd(wanted_, ours_);
    TrimEnd(ours_, wanted_);
  }

  // A switch that ftrace has within the window and the recording after its end, because the machine
  // paused.
  void TakePausedAcrossEnd() {
    if (wanted_.empty()) return;
    const Switch& last = *wanted_.back();
    if (!ours_.empty() && Alike(last, *ours_.back())) return;
    const auto all = CpuOf(recorded_.log);
    const auto beyond = std::find_if(all.begin(), all.end(), [&](const Switch& s) {
      return s.time_ns > last.time_ns && !options_.window.Contains(s.time_ns);
    });
    if (beyond == all.end() || !Alike(last, *beyond)) return;
    if (SecondStampOf(last) >= beyond->time_ns) ours_.push_back(&*beyond);
  }

  // A switch that ftrace has before the window and the recording within it, because the machine
  // paused.
  void TakePausedAcrossBegin() {
    if (ours_.empty()) return;
    const Switch& first = *ours_.front();
    if (!wanted_.empty() && Alike(*wanted_.front(), first)) return;
    const auto all = CpuOf(reference_);
    const auto within = std::find_if(all.begin(), all.end(), [&](const Switch& s) {
      return options_.window.Contains(s.time_ns) || s.time_ns > first.time_ns;
    });
    if (within == all.begin() || !Alike(*std::prev(within), first)) return;
    const Switch& before = *std::prev(within);
    if (before.time_ns > first.time_ns || SecondStampOf(before) < first.time_ns) return;
    wanted_.insert(wanted_.begin(), &before);
    ++counts_->reference;
  }

  // Drops the first or last switch of `longer` if it is at the edge and the other log lacks it.
  void TrimEnd(std::vector<const Switch*>& some, const std::vector<const Switch*>& others) const {
    const auto near = [&](uint64_t a, uint64_t b) {
      return (a > b ? a - b : b - a) <= options_.tolerance_ns;
    };
    if (!some.empty() && !others.empty()) {
      if (near(some.back()->time_ns, options_.window.end_ns) &&
          !Alike(*some.back(), *others.back())) {
        some.pop_back();
      }
    }
    if (!some.empty() && !others.empty()) {
      if (near(some.front()->time_ns, options_.window.begin_ns) &&
          !Alike(*some.front(), *others.front())) {
        some.erase(some.begin());
      }
    }
  }

  bool Alike(const Switch& a, const Switch& b) const {
    return a.next_tid == b.next_tid && (a.prev_tid == b.prev_tid || ExchangedBetweenLooks(a, b));
  }

  // A leader that exits while an exec on another CPU takes its id between the two tracers.
  bool ExchangedBetweenLooks(const Switch& a, const Switch& b) const {
    const uint64_t apart = a.time_ns > b.time_ns ? a.time_ns - b.time_ns : b.time_ns - a.time_ns;
    return apart <= options_.tolerance_ns && ClassOf(a.prev_state) >= 4 &&
           ClassOf(b.prev_state) >= 4 && IsExchange(reference_, a.prev_tid, b.prev_tid, a.time_ns);
  }

  // The number of switches to skip in each log until a few match.
  std::pair<size_t, size_t> Resync(size_t r, size_t o) const {
    const size_t left_r = wanted_.size() - r, left_o = ours_.size() - o;
    for (size_t sum = 1; sum <= kResyncSteps; ++sum) {
      for (size_t skip_r = 0; skip_r <= sum; ++skip_r) {
        const size_t skip_o = sum - skip_r;
        if (skip_r > left_r || skip_o > left_o) continue;
        if (GoesOnAlike(r + skip_r, o + skip_o)) return {skip_r, skip_o};
      }
    }
    return {std::min(left_r, kResyncSteps), std::min(left_o, kResyncSteps)};
  }

  bool GoesOnAlike(size_t r, size_t o) const {
    constexpr size_t kSteps = 3;
    if (r == wanted_.size() || o == ours_.size()) return r == wanted_.size() && o == ours_.size();
    for (size_t i = 0; i < kSteps; ++i, ++r, ++o) {
      if (r == wanted_.size() || o == ours_.size()) return i > 0;
      const uint64_t a = wanted_[r]->time_ns, b = ours_[o]->time_ns;
      if (!Alike(*wanted_[r], *ours_[o]) || (a > b ? a - b : b - a) > 1'000'000) return false;
    }
    return true;
  }

  void Match(const Switch& wanted, const Switch& ours) {
    ++counts_->matched;
    const auto delta = static_cast<int64_t>(ours.time_ns) - static_cast<int64_t>(wanted.time_ns);
    const uint64_t distance = static_cast<uint64_t>(std::abs(delta));
    result_->NoteDelta(delta);
    const uint64_t second = SecondStampOf(wanted);
    if (distance > options_.tolerance_ns) {
      // Interrupts are off while both read the clock, so only the hypervisor can delay one. Then
      // the second stamp is late, too.
      if (delta > 0 && second >= ours.time_ns) {
        ++counts_->pauses;
      } else {
        ++counts_->late;
        Differ("time", wanted, ours);
      }
    }
    if (!StatesAgree(wanted, ours)) {
      ++counts_->wrong_state;
      Differ("state", wanted, ours);
    }
    if (!PrioritiesAgree(wanted.prev_tid, wanted.prev_priority, ours.prev_priority) ||
        !PrioritiesAgree(wanted.next_tid, wanted.next_priority, ours.next_priority)) {
      ++counts_->wrong_priority;
      Differ("priority", wanted, ours);
    }
    const bool prev =
        CheckName(wanted.prev_tid, wanted.time_ns, ours.time_ns, wanted.prev_name, ours.prev_name);
    const bool next =
        CheckName(wanted.next_tid, wanted.time_ns, ours.time_ns, wanted.next_name, ours.next_name);
    if (!prev || !next) {
      ++counts_->wrong_name;
      Differ("name", wanted, ours);
    }
  }

  // 0 if there is none.
  uint64_t SecondStampOf(const Switch& wanted) const {
    if (cpu_ >= reference_.second_stamps.size()) return 0;
    const auto& stamps = reference_.second_stamps[cpu_];
    const auto stamp =
        std::lower_bound(stamps.begin(), stamps.end(), wanted.time_ns,
                         [](const SecondStamp& s, uint64_t time) { return s.time_ns < time; });
    if (stamp == stamps.end()) return 0;
    return stamp->prev_tid == wanted.prev_tid && stamp->next_tid == wanted.next_tid ? stamp->time_ns
                                                                                    : 0;
  }

  static bool StatesAgree(const Switch& wanted, const Switch& ours) {
    // Idle is always runnable.
    if (wanted.prev_tid == 0) return ClassOf(ours.prev_state) == 0;
    // Between the two tracers a parent on another CPU may reap the task, which changes Z to X.
    if (wanted.prev_state == 'Z' && ours.prev_state == 'X') return true;
    // Before Linux 5.18 the kernel does not pass the state to tracers. A waker may change it to R
    // between the two tracers.
    if (ours.prev_state == 'W') {
      return ClassOf(wanted.prev_state) == 3 || wanted.prev_state == 'R';
    }
    if (ours.prev_state == StateLetters::kThrottled) return ClassOf(wanted.prev_state) == 0;
    return wanted.prev_state == ours.prev_state;
  }

  static bool PrioritiesAgree(int32_t tid, int16_t wanted, int16_t ours) {
    return ours == (tid == 0 ? 0 : std::max<int16_t>(wanted, 0));
  }

  bool CheckName(int32_t tid, uint64_t time_ns, uint64_t recorded_ns, uint32_t wanted,
                 uint32_t ours) {
    // A recording does not use the name "swapper/N".
    if (tid == 0) return true;
    const std::string& comm = reference_.names.Name(wanted);
    const std::string& recorded = recorded_.log.names.Name(ours);
    if (NamesAgree(comm, recorded)) return true;
    if (options_.blind.init && IsUnborn(reference_, tid, time_ns)) {
      ++counts_->blind_children_names;
      return true;
    }
    if (!renames_.InFlight(tid, time_ns, recorded_ns, comm, recorded) &&
        !renames_.Delayed(tid, time_ns, comm, recorded)) {
      return false;
    }
    ++counts_->renames_in_flight;
    return true;
  }

  void Lack(const Switch& wanted) {
    ++counts_->missing;
    // Declared losses must not fill the list of examples.
    if (counts_->declared_lost > 0 && 2 * result_->examples.size() >= options_.examples) return;
    Example("missing    " + Text(reference_, cpu_, wanted));
  }
  void Surplus(const Switch& ours) {
    if (options_.blind.init && IsUnborn(reference_, ours.prev_tid, ours.time_ns)) {
      ++counts_->blind_children;
      return;
    }
    ++counts_->extra;
    Example("extra      " + Text(recorded_.log, cpu_, ours));
  }
  void Differ(const char* what, const Switch& wanted, const Switch& ours) {
    Example(fmt::format("{:10} {}\n  recorded {}", what, Text(reference_, cpu_, wanted),
                        Text(recorded_.log, cpu_, ours)));
  }
  void Example(std::string text) {
    if (result_->examples.size() < options_.examples) result_->examples.push_back(std::move(text));
  }

  uint32_t cpu_;
  const SwitchLog& reference_;
  const FxtLog& recorded_;
  const RenameIndex& renames_;
  const CompareOptions& options_;
  Comparison* result_;
  CpuComparison* counts_;
  std::vector<const Switch*> wanted_, ours_;
};

}  // namespace

Comparison Compare(const SwitchLog& reference, const FxtLog& recorded,
                   const CompareOptions& options) {
  Comparison result;
  const size_t cpus = std::max(reference.cpus.size(), recorded.log.cpus.size());
  result.cpus.resize(cpus);
  const RenameIndex renames(reference, options.rename_takes_ns);
  for (uint32_t cpu = 0; cpu < cpus; ++cpu) {
    CpuComparer(cpu, reference, recorded, renames, options, &result).Run();
    result.total.Add(result.cpus[cpu]);
  }
  CheckIncarnations(reference, recorded, options, &result);
  return result;
}

}  // namespace truth
