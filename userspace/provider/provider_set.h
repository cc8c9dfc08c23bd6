// SPDX-License-Identifier: BSD-2-Clause
// The programs that take part: who they are, the memory that each shares with the recorder while
// there is a session, and what they wrote there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "provider/buffer_reader.h"
#include "provider/clock_pairs.h"
#include "provider/record_batch.h"
#include "util/priority_mutex.h"
#include "util/unique_fd.h"

namespace provider {

// A state of the session, as a provider is notified of it.
enum class ProviderState : uint8_t {
  kRegistered,   // no session
  kInitialized,  // with the shared memory; nothing is recorded yet
  kStarted,      // with the shared memory if the session started before the registration
  kStopped,
  kEnded,  // the shared memory is no longer read
};

struct ProviderSessionOptions {
  fxt_buffer_mode mode = FXT_MODE_STREAMING;
  uint64_t buffer_bytes = 0;                 // of each provider; 0: 4 MiB
  std::map<std::string, uint64_t> bytes_of;  // of some, by name
  std::vector<std::string> categories;       // empty: all
};

// Something that was said of a process from outside.
struct Mark {
  uint32_t pid = 0;
  uint64_t time = 0;  // ns of util::MonotonicNow()
  fxt::EventType kind = fxt::EventType::kInstant;
  std::string category;
  std::string name;
  double value = 0;  // of a counter
};

// Used from two threads: the one that serves providers (Add, Remove, List), and the one that
// records.
class ProviderSet {
 public:
  static constexpr size_t kMaxProviders = 99;  // the document's 100, and the recorder itself
  static constexpr uint64_t kDefaultBytes = uint64_t{4} << 20;
  // Of providers that have gone, in memory until their records are older than the window; bytes.
  static constexpr size_t kMaxRetired = size_t{64} << 20;

  // Tells a provider; `buffer` is null where it has the memory already. On the thread that serves.
  using Tell =
      std::function<void(uint32_t id, ProviderState news, std::shared_ptr<util::UniqueFd> buffer)>;
  // Has something done on the thread that serves; at once where that is the one that records.
  using Post = std::function<void(std::function<void()>)>;

  explicit ProviderSet(Post post) : post_(std::move(post)) {}
  ProviderSet(const ProviderSet&) = delete;
  ProviderSet& operator=(const ProviderSet&) = delete;

  // Its id, which no other one had; none when there are too many. `tell` is called at once.
  std::optional<uint32_t> Add(const std::string& name, uint32_t pid, Tell tell);
  // It has gone; what it wrote stays.
  void Remove(uint32_t id);
  // As if the process had a provider "fxt-mark"; false where nothing is recorded.
  bool AddMark(const Mark& mark);
  std::vector<Identity> List() const;
  // That providers have named.
  std::vector<std::string> Categories() const;
  // Records that they wrote, and lost, since the session began.
  uint64_t records() const;
  uint64_t lost() const;

  // On the thread that records. Begins a session: every provider gets its memory.
  void Begin(const ProviderSessionOptions& options);
  // `ahead`: what is added to CLOCK_MONOTONIC of this process to have the clock of events, ns.
  // Returns when all providers have followed, or after `timeout_ms`; records count from then on,
  // and earlier ones only with `retain`.
  void Start(uint64_t ahead, uint32_t timeout_ms, bool retain);
  void Stop();
  void End();
  bool active() const { return active_; }

  // What came since the last call (streaming).
  std::vector<std::unique_ptr<RecordBatch>> Collect();
  // Looks at what came, for alerts and numbers, and lets go of what is older than `edge`, ns
  // (oneshot, circular).
  std::vector<Alert> Look(uint64_t edge);
  // All that there is (oneshot, circular).
  std::vector<std::unique_ptr<RecordBatch>> Copy();

 private:
  struct Provider {
    std::shared_ptr<const Identity> identity;
    Tell tell;
    std::unique_ptr<BufferReader> reader;  // while there is a session
    bool gone = false;
  };

  void GiveBuffer(Provider& provider);
  void NotifyAll(ProviderState news);
  void Notify(const Provider& provider, ProviderState news, std::shared_ptr<util::UniqueFd> buffer);
  uint64_t Until() const;
  bool AllFollowed(uint32_t changes) const;
  std::unique_ptr<RecordBatch> TakeFrom(Provider& provider);
  void Retire();

  const Post post_;
  mutable util::PriorityMutex mutex_;  // of all that follows
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
  ClockPairs pairs_;
  std::vector<std::unique_ptr<RecordBatch>> retired_;  // of those that have gone
  size_t retired_bytes_ = 0;
  std::vector<std::unique_ptr<RecordBatch>> marks_;  // since the last Collect, or Look
  uint64_t records_gone_ = 0;
  uint64_t lost_ = 0;
};

}  // namespace provider
