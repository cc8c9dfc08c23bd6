// SPDX-License-Identifier: BSD-2-Clause
// The providers of a session: their identities, the memory that each shares with the recorder, and
// the records that they wrote there.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provider/buffer_reader.h"
#include "provider/clock_pairs.h"
#include "provider/departed_records.h"
#include "provider/record_batch.h"
#include "provider/user_budget.h"
#include "util/priority_mutex.h"
#include "util/process_handle.h"
#include "util/unique_fd.h"

namespace provider {

// A state of the session that providers are notified of.
enum class ProviderState : uint8_t {
  kRegistered,   // no session
  kInitialized,  // with the shared memory; nothing is recorded yet
  kStarted,      // with the shared memory if the session started before the registration
  kStopped,
  kEnded,  // the shared memory is no longer read
};

struct ProviderSessionOptions {
  fxt_buffer_mode mode = FXT_MODE_STREAMING;
  std::map<std::string, uint64_t> bytes_of;  // buffer sizes by the provider's name
  std::vector<std::string> categories;       // empty: all
};

// The process of a provider, as the kernel identified it.
struct ProviderProcess {
  uint32_t pid = 0;
  uid_t user = 0;
  std::shared_ptr<const util::ProcessHandle> handle = nullptr;  // null in tests
};

// An event that a process reports by a call instead of shared memory.
struct Mark {
  uint32_t pid = 0;
  uid_t user = 0;
  uint64_t start_ticks = 0;  // see Identity
  uint64_t time = 0;         // ns of util::MonotonicNow()
  fxt::EventType kind = fxt::EventType::kInstant;
  std::string category;
  std::string name;
  double value = 0;  // of a counter
};

// Two threads use it: the server (Add, Remove, AddMark, List) and the recorder.
class ProviderSet {
 public:
  // Limits of providers: in all (Fuchsia's 100 without the recorder), of one user other than root,
  // and of all users other than root.
  static constexpr size_t kMaxProviders = 99;
  static constexpr size_t kMaxProvidersOfUser = 32;
  static constexpr size_t kMaxProvidersOfUsers = 83;

  static constexpr uint64_t kDefaultBytes = uint64_t{4} << 20;
  // Limit of all buffers with a configured size together.
  static constexpr uint64_t kMaxSpecialBytes = uint64_t{1} << 30;
  // Limits of the memory for strings: of all providers, and of the providers of one user.
  static constexpr size_t kStringBytes = size_t{16} << 20;
  static constexpr size_t kStringBytesOfUser = size_t{4} << 20;
  // Limit of the memory of records that a snapshot copies, in addition to the buffers with a
  // configured size.
  static constexpr size_t kCopyBytes = size_t{16} << 20;
  // Records may be this much later than the clock, ns. Later ones are invalid.
  static constexpr uint64_t kToleranceNs = 1'000'000;
  // Limits of the bytes read, per second and at once.
  static constexpr uint64_t kReadBytesPerSecond = uint64_t{64} << 20;
  static constexpr uint64_t kReadBytes = uint64_t{8} << 20;

  // Notifies a provider; called on the server's thread. `buffer` is null if the provider has it
  // already.
  using NotifyProvider =
      std::function<void(uint32_t id, ProviderState state, std::shared_ptr<util::UniqueFd> buffer)>;
  // Runs a function on the server's thread, at once if that is also the recorder's.
  using Post = std::function<void(std::function<void()>)>;

  explicit ProviderSet(Post post) : post_(std::move(post)) {}
  ProviderSet(const ProviderSet&) = delete;
  ProviderSet& operator=(const ProviderSet&) = delete;

  // Adds a provider and returns its unique id. Empty if there are too many providers, which is
  // counted. Calls `notify` at once.
  std::optional<uint32_t> Add(const std::string& name, const ProviderProcess& process,
                              NotifyProvider notify);
  // The provider has disconnected. Frees its place and keeps its records.
  void Remove(uint32_t id);
  // Records the mark as an event of a provider "fxt-mark" in the mark's process. False: not
  // recorded.
  bool AddMark(const Mark& mark);
  std::vector<Identity> List() const;
  // Categories that providers have named.
  std::vector<std::string> Categories() const;
  // Records written and lost, and providers refused, since the session began.
  uint64_t records() const;
  uint64_t lost() const;
  uint64_t refused() const;

  // Called on the recorder's thread: begins a session. Every provider gets a buffer.
  void Begin(const ProviderSessionOptions& options);
  // `ahead`: ns from CLOCK_MONOTONIC of this process to the clock of events. Returns when all
  // providers have followed, or after `timeout_ms`. Drops earlier records unless `retain`.
  void Start(uint64_t ahead, uint32_t timeout_ms, bool retain);
  void Stop();
  void End();
  bool active() const { return active_; }

  // Streaming: returns all records since the last call.
  ProviderRecords Collect();
  // Oneshot, circular: counts new records, returns their alerts, and drops data older than `edge`
  // (ns).
  std::vector<Alert> Scan(uint64_t edge);
  // Oneshot, circular: returns a copy of all records.
  ProviderRecords Copy();

 private:
  struct Provider {
    std::shared_ptr<const Identity> identity;
    std::shared_ptr<const util::ProcessHandle> process;
    NotifyProvider notify;
    std::unique_ptr<BufferReader> reader = nullptr;  // during a session
    uint64_t special_bytes = 0;
  };

  bool HasPlace(uid_t user) const;
  void NoteRefusal(const std::string& name, uid_t user);
  void GiveBuffer(Provider& provider);
  void Notify(const Provider& provider, ProviderState state,
              std::shared_ptr<util::UniqueFd> buffer = nullptr);
  void NotifyAll(ProviderState state);
  uint64_t Until() const;
  bool AllFollowed(uint32_t changes) const;
  // Reads the last records of a disconnected provider.
  void Depart(Provider& provider);
  void DepartExited();
  // Reads new records of all providers, in fair shares of a rate.
  template <typename Read>
  void ReadFairly(Read read);
  size_t departed_limit() const { return DepartedRecords::kMaxBytes + special_bytes_; }

  const Post post_;
  mutable util::PriorityMutex mutex_;  // protects all members below
  std::vector<Provider> providers_;
  uint32_t last_id_ = 1;  // the recorder's own
  bool active_ = false;
  bool started_ = false;
  bool counter_ = false;
  uint32_t changes_ = 0;  // starts and stops of this session
  uint64_t ahead_ = 0;
  uint64_t since_ = 0;  // ns
  uint64_t until_ = UINT64_MAX;
  ProviderSessionOptions options_;
  uint64_t special_bytes_ = 0;
  ClockPairs pairs_;
  std::shared_ptr<UserBudget> strings_ =
      std::make_shared<UserBudget>(kStringBytes, kStringBytesOfUser);
  uint64_t read_time_ = 0;    // of the last ReadFairly(), ns
  uint64_t read_credit_ = 0;  // bytes
  DepartedRecords departed_;
  std::vector<Alert> alerts_;          // of disconnected providers; for Scan()
  std::map<uid_t, size_t> marks_;      // since the last Collect() or Scan()
  std::deque<Refusal> refusals_;       // by time
  std::vector<Refusal> new_refusals_;  // since the last Collect() or Scan(), one per user
  uint64_t records_gone_ = 0;
  uint64_t lost_ = 0;
  uint64_t refused_ = 0;
};

}  // namespace provider
