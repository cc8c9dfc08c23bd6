// SPDX-License-Identifier: BSD-2-Clause
#include "settings/settings_collector.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>
#include <utility>

#include "settings/cgroup_settings.h"
#include "settings/hash_key.h"
#include "settings/process_settings.h"
#include "settings/system_settings.h"
#include "util/clock.h"

namespace settings {
namespace {

using schema::Settings;
using schema::SettingScope;

constexpr uint64_t kMs = 1'000'000;
// CPU time of the thread, ns: what it may take at once, and then a hundredth. One-time work does
// not count.
constexpr uint64_t kAllowance = 50 * kMs;
constexpr uint64_t kShare = 100;
// So much later than it may work again the thread wakes up: waking takes CPU time, too, and each
// time it would be too early for that.
constexpr uint64_t kLater = 50 * kMs;
// Between looks whether the command executes its program, and for how long at most.
constexpr uint64_t kAwaitStep = 1 * kMs;
constexpr uint64_t kAwaitLimit = 10'000 * kMs;
// Libraries and the scheduling of threads are read so long after the start of a program, then after
// twice the time, and so on, up to the period.
constexpr uint64_t kFirstLook = 4 * kMs;
// Processes and groups that are looked at again for changes.
constexpr size_t kMostFollowed = 64;
constexpr size_t kMostGroups = 512;
constexpr size_t kMostKnown = 4096;
// Tries of a process that executes another program while it is read.
constexpr int kTries = 3;

uint64_t ThreadTime() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace

class SettingsCollector::Worker {
 public:
  explicit Worker(CollectorOptions options) : options_(std::move(options)) {}

  struct Request {
    uint32_t number = 0;
    ProcessUse use = ProcessUse::kOther;
    uint64_t due = 0;
    bool awaits_exec = false;
    uint64_t give_up = 0;
  };

  // --- of the recording's thread

  void Ask(uint32_t pid, const Request& request) {
    const std::lock_guard lock(mutex_);
    const auto found = requests_.find(pid);
    if (found == requests_.end() && requests_.size() >= kMostRequests) return;
    requests_[pid] = request;
    wake_.notify_all();
  }

  void Drop(uint32_t pid) {
    const std::lock_guard lock(mutex_);
    requests_.erase(pid);
    ended_.push_back(pid);
    if (ended_.size() > kMostRequests) ended_.pop_front();
  }

  std::vector<ReadSettings> Take(uint64_t until) {
    const std::lock_guard lock(mutex_);
    std::vector<ReadSettings> taken;
    for (; !results_.empty() && results_.front().time <= until; results_.pop_front()) {
      result_bytes_ -= results_.front().settings.bytes();
      taken.push_back(std::move(results_.front()));
    }
    return taken;
  }

  void Refresh(uint64_t timeout) {
    std::unique_lock lock(mutex_);
    const uint64_t wanted = ++refreshes_wanted_;
    hurry_until_ = util::MonotonicNow() + timeout;
    wake_.notify_all();
    done_.wait_for(lock, std::chrono::nanoseconds(timeout),
                   [&] { return refreshes_done_ >= wanted; });
  }

  void Quit() {
    const std::lock_guard lock(mutex_);
    quit_ = true;
    wake_.notify_all();
  }

  uint64_t dropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }

  // --- of its own thread

  void Run() {
    pthread_setname_np(pthread_self(), "fxt-settings");
    processes_.emplace(options_.roots);
    begin_ = util::MonotonicNow();
    ReadMachine();
    used_once_ = ThreadTime();
    next_look_ = util::MonotonicNow() + options_.period;
    std::unique_lock lock(mutex_);
    while (!quit_) {
      for (; !ended_.empty(); ended_.pop_front()) Forget(ended_.front());
      const uint64_t now = util::MonotonicNow();
      if (const auto next = NextRequest(now)) {
        const auto [pid, request] = *next;
        lock.unlock();
        Serve(pid, request);
        lock.lock();
        continue;
      }
      if (const uint64_t wanted = refreshes_wanted_; refreshes_done_ < wanted) {
        lock.unlock();
        LookAgain();
        lock.lock();
        // Requests meanwhile belong to it.
        const bool more = std::any_of(requests_.begin(), requests_.end(),
                                      [](const auto& entry) { return !entry.second.awaits_exec; });
        if (more && IsHurried(util::MonotonicNow())) continue;
        refreshes_done_ = wanted;
        done_.notify_all();
        continue;
      }
      if (const Followed* due = DueProcess(now)) {
        const uint32_t pid = due->pid;
        lock.unlock();
        LookAtProcess(pid);
        lock.lock();
        continue;
      }
      if (now >= next_look_) {
        lock.unlock();
        LookAgain();
        lock.lock();
        continue;
      }
      wake_.wait_for(lock, std::chrono::nanoseconds(NextTime(now) - now));
    }
  }

 private:
  // A process of the recorded command that is looked at again.
  struct Followed {
    uint32_t pid = 0;
    uint32_t number = 0;
    ProcessUse use = ProcessUse::kTree;
    bool has_libraries = false;               // its libraries are read
    std::pair<uint64_t, uint64_t> file = {};  // the executable
    uint64_t next = 0;
    uint64_t delay = kFirstLook;
  };
  using Key = std::tuple<SettingScope, std::string, uint32_t>;

  // The time from which on the thread may work again.
  uint64_t ReadyAt() const {
    const uint64_t used = ThreadTime() - used_once_;
    return used <= kAllowance ? 0 : begin_ + (used - kAllowance) * kShare;
  }

  // A refresh is waited for.
  bool IsHurried(uint64_t now) const {
    return refreshes_done_ < refreshes_wanted_ && now < hurry_until_;
  }

  // Takes the most urgent request that is due. With the lock.
  std::optional<std::pair<uint32_t, Request>> NextRequest(uint64_t now) {
    const bool hurried = IsHurried(now);
    const bool ready = hurried || now >= ReadyAt();
    auto best = requests_.end();
    for (auto at = requests_.begin(); at != requests_.end(); ++at) {
      const Request& request = at->second;
      if (!ready && request.use != ProcessUse::kCommand) continue;
      if (request.due > now && (!hurried || request.awaits_exec)) continue;
      if (best == requests_.end() ||
          std::pair(best->second.use, request.due) < std::pair(request.use, best->second.due)) {
        best = at;
      }
    }
    if (best == requests_.end()) return std::nullopt;
    const auto found = *best;
    requests_.erase(best);
    return found;
  }

  // The time of the next thing to do, at least a millisecond from now. With the lock.
  uint64_t NextTime(uint64_t now) const {
    uint64_t next = next_look_;
    const uint64_t ready_at = ReadyAt();
    const uint64_t ready = ready_at > now ? ready_at + kLater : ready_at;
    for (const auto& [pid, request] : requests_) {
      const bool waits = request.use != ProcessUse::kCommand;
      next = std::min(next, waits ? std::max(ready, request.due) : request.due);
    }
    for (const auto& [pid, followed] : followed_) {
      next = std::min(next, std::max(ready, followed.next));
    }
    return std::max(next, now + kMs);
  }

  const Followed* DueProcess(uint64_t now) const {
    if (now < ReadyAt()) return nullptr;
    for (const auto& [pid, followed] : followed_) {
      if (followed.next <= now) return &followed;
    }
    return nullptr;
  }

  void Forget(uint32_t pid) {
    followed_.erase(pid);
    std::erase_if(known_, [pid](const auto& entry) { return std::get<2>(entry.first) == pid; });
  }

  void Serve(uint32_t pid, Request request) {
    if (request.awaits_exec) {
      const auto file = processes_->FileOf(request.number);
      if (!file) return;  // it has ended
      const auto own = processes_->OwnFile();
      // The arguments are there a little later than the executable.
      const std::string path = options_.roots.proc + "/" + std::to_string(request.number);
      if (file == own || ReadFile(path + "/environ").value_or("").empty()) {
        request.due = util::MonotonicNow() + kAwaitStep;
        if (request.due > request.give_up) return;
        const std::lock_guard lock(mutex_);
        // An event may have asked for it meanwhile.
        requests_.try_emplace(pid, request);
        return;
      }
    }
    std::optional<ProcessReader::Process> process;
    for (int i = 0; i < kTries && !process; ++i) process = processes_->Read(request.number, pid);
    if (!process) return;
    Forget(pid);  // it may have executed another program
    if (request.use != ProcessUse::kOther) Follow(pid, request, *process);
    PutAll(process->time, std::move(process->settings));
    if (request.use == ProcessUse::kCommand) {
      if (!key_) {
        // Soon after its start a machine may have to wait, running, for random numbers.
        const uint64_t before = ThreadTime();
        key_ = options_.key_path.empty() ? HashKey::Load() : HashKey::Load(options_.key_path);
        used_once_ += ThreadTime() - before;
      }
      const uint64_t time = util::MonotonicNow();
      PutAll(time, processes_->ReadEnvironment(request.number, pid, *key_));
    }
    ReadGroups(process->proc_cgroup);
  }

  // All settings of a process; keeps them if it is looked at again.
  void PutAll(uint64_t time, Settings settings) {
    if (followed_.contains(settings.pid)) {
      PutChanges(time, std::move(settings));
    } else {
      Put(time, std::move(settings));
    }
  }

  void Follow(uint32_t pid, const Request& request, const ProcessReader::Process& process) {
    if (followed_.size() >= kMostFollowed) return;
    Followed followed{.pid = pid, .number = request.number, .use = request.use};
    followed.next = util::MonotonicNow() + followed.delay;
    // Libraries are read for the first process of each program that the command runs.
    followed.has_libraries =
        request.use == ProcessUse::kCommand ||
        (programs_.size() < kMostFollowed && programs_.insert(process.file).second);
    followed.file = process.file;
    followed_[pid] = followed;
  }

  // Reads a process again if it has executed another program since. Its event may come later, or
  // after its end. Returns false if it has not.
  bool ServeNewProgram(const Followed& followed) {
    const auto file = processes_->FileOf(followed.number);
    if (!file || *file == followed.file) return false;
    Serve(followed.pid, {.number = followed.number, .use = followed.use});
    return true;
  }

  // Settings that change while a program starts.
  void LookAtProcess(uint32_t pid) {
    const auto found = followed_.find(pid);
    if (found == followed_.end() || ServeNewProgram(Followed(found->second))) return;
    Followed& followed = found->second;
    const uint64_t before = ThreadTime();
    uint64_t time = util::MonotonicNow();
    PutChanges(time, processes_->ReadScheduling(followed.number, pid));
    if (followed.has_libraries) {
      time = util::MonotonicNow();
      PutChanges(time, processes_->ReadLibraries(followed.number, pid));
    }
    const uint64_t cost = ThreadTime() - before;
    followed.delay = std::min(options_.period, std::max(2 * followed.delay, kShare * cost));
    followed.next = util::MonotonicNow() + followed.delay;
  }

  void ReadMachine() {
    if (!system_) system_.emplace(options_.roots);
    const uint64_t time = util::MonotonicNow();
    for (Settings& each : system_->Read()) PutChanges(time, std::move(each));
  }

  void ReadGroups(const std::string& proc_cgroup) {
    for (const std::string& group : processes_->cgroups().GroupsOf(proc_cgroup)) {
      if (groups_.size() >= kMostGroups) return;
      const uint64_t time = util::MonotonicNow();
      if (groups_.insert(group).second) PutChanges(time, processes_->cgroups().Read(group));
    }
  }

  // Looks for changes of all that is known.
  void LookAgain() {
    const uint64_t before = ThreadTime();
    ReadMachine();
    for (auto at = groups_.begin(); at != groups_.end();) {
      const uint64_t time = util::MonotonicNow();
      Settings settings = processes_->cgroups().Read(*at);
      if (settings.values.empty()) {
        known_.erase(Key(SettingScope::kCgroup, *at, 0));
        at = groups_.erase(at);
      } else {
        PutChanges(time, std::move(settings));
        ++at;
      }
    }
    std::vector<Followed> all;
    for (const auto& [pid, followed] : followed_) all.push_back(followed);
    for (const Followed& each : all) {
      if (ServeNewProgram(each)) continue;
      if (auto process = processes_->Read(each.number, each.pid)) {
        PutChanges(process->time, std::move(process->settings));
        ReadGroups(process->proc_cgroup);
      }
      LookAtProcess(each.pid);
    }
    // At most half of the thread's time is for this: what is asked for would wait for ever.
    const uint64_t cost = ThreadTime() - before;
    next_look_ = util::MonotonicNow() + std::max(options_.period, 2 * kShare * cost);
  }

  // A thread that has the scheduling of its process again: it is not read apart any more.
  static void AddEqualThreads(const std::map<std::string, schema::SettingValue>& known,
                              Settings& settings) {
    const auto find = [&](std::string_view name) {
      return std::find_if(settings.values.begin(), settings.values.end(),
                          [&](const schema::Setting& setting) { return setting.first == name; });
    };
    for (auto at = known.lower_bound(std::string(schema::setting::kThread)); at != known.end();
         ++at) {
      const auto thread = schema::AsThreadSetting(at->first);
      if (!thread) return;
      const auto own = find(thread->name);
      if (own == settings.values.end() || find(at->first) != settings.values.end()) continue;
      schema::SettingValue value = own->second;
      settings.values.emplace_back(at->first, std::move(value));
    }
  }

  // Reports what differs from what was reported.
  void PutChanges(uint64_t time, Settings settings) {
    // Names of devices and groups may come and go for ever. All is reported again then.
    if (known_.size() > kMostKnown) known_.clear();
    // A process keeps its number when its name changes.
    auto& known = known_[Key(settings.scope, settings.pid == 0 ? settings.subject : std::string(),
                             settings.pid)];
    AddEqualThreads(known, settings);
    std::erase_if(settings.values, [&](const schema::Setting& setting) {
      // It changes all the time.
      const bool again = known.contains(setting.first);
      if (again && (setting.first == schema::setting::kOomScore ||
                    setting.first == schema::setting::kThreads)) {
        return true;
      }
      const auto [entry, fresh] = known.try_emplace(setting.first, setting.second);
      if (!fresh && entry->second == setting.second) return true;
      entry->second = setting.second;
      return false;
    });
    Put(time, std::move(settings));
  }

  void Put(uint64_t time, Settings settings) {
    if (settings.values.empty()) return;
    const std::lock_guard lock(mutex_);
    const size_t bytes = settings.bytes();
    if (result_bytes_ + bytes > kMostResultBytes) {
      ++dropped_;
      return;
    }
    result_bytes_ += bytes;
    results_.push_back({time, std::move(settings)});
  }

  const CollectorOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  // Guarded by mutex_.
  std::map<uint32_t, Request> requests_;  // by pid
  std::deque<uint32_t> ended_;
  std::deque<ReadSettings> results_;
  size_t result_bytes_ = 0;
  uint64_t dropped_ = 0;
  uint64_t refreshes_wanted_ = 0;
  uint64_t refreshes_done_ = 0;
  uint64_t hurry_until_ = 0;
  bool quit_ = false;

  // Used by the thread only.
  std::optional<SystemReader> system_;
  std::optional<ProcessReader> processes_;
  std::optional<HashKey> key_;
  std::map<uint32_t, Followed> followed_;  // by pid
  std::set<std::pair<uint64_t, uint64_t>> programs_;
  std::set<std::string> groups_;
  std::map<Key, std::map<std::string, schema::SettingValue>> known_;
  uint64_t begin_ = 0;
  uint64_t used_once_ = 0;  // CPU time of the first reading of the machine, and of making the key
  uint64_t next_look_ = 0;
};

SettingsCollector::SettingsCollector(const CollectorOptions& options)
    : worker_(std::make_shared<Worker>(options)) {}

SettingsCollector::~SettingsCollector() { worker_->Quit(); }

void SettingsCollector::Start() {
  // Signals are for the thread that records.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread([worker = worker_] { worker->Run(); }).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void SettingsCollector::AskProcess(uint32_t number, uint32_t pid, ProcessUse use, uint64_t delay) {
  worker_->Ask(pid, {.number = number, .use = use, .due = util::MonotonicNow() + delay});
}

void SettingsCollector::AwaitCommand(uint32_t number, uint32_t pid) {
  const uint64_t now = util::MonotonicNow();
  worker_->Ask(pid, {.number = number,
                     .use = ProcessUse::kCommand,
                     .due = now,
                     .awaits_exec = true,
                     .give_up = now + kAwaitLimit});
}

void SettingsCollector::Drop(uint32_t pid) { worker_->Drop(pid); }

std::vector<ReadSettings> SettingsCollector::Take(uint64_t until) { return worker_->Take(until); }

void SettingsCollector::Refresh(uint64_t timeout) { worker_->Refresh(timeout); }

uint64_t SettingsCollector::dropped() const { return worker_->dropped(); }

}  // namespace settings
