// SPDX-License-Identifier: BSD-2-Clause
#include "provider/provider_set.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "schema/names.h"
#include "util/clock.h"

namespace provider {
namespace {

// Limit of one user's marks between two calls of Collect() or Scan().
constexpr size_t kMaxMarks = 4096;
// Limit of refusals in a window. The oldest are dropped.
constexpr size_t kMaxRefusals = 4096;

void AppendText(const std::string& text, std::vector<uint64_t>& words) {
  const size_t at = words.size();
  words.resize(at + fxt::WordsForBytes(text.size()));
  memcpy(words.data() + at, text.data(), text.size());
}

void AppendAlerts(const RecordBatch& batch, std::vector<Alert>& alerts) {
  for (const Alert& alert : batch.alerts) {
    if (alerts.size() < kMaxAlerts) alerts.push_back(alert);
  }
}

// Makes an event record like those in shared memory, with inline strings.
std::unique_ptr<RecordBatch> BatchOf(const Mark& mark, uint64_t time) {
  static const auto no_strings = std::make_shared<const StringTable>();
  auto batch = std::make_unique<RecordBatch>();
  batch->identity = std::make_shared<Identity>(
      Identity{kMarksId, mark.pid, "fxt-mark", mark.user, mark.start_ticks});
  batch->strings = no_strings;
  std::vector<uint64_t>& words = batch->words;
  words = {0, 0};
  AppendText(mark.category, words);
  AppendText(mark.name, words);
  const bool has_value = mark.kind == fxt::EventType::kCounter;
  if (has_value) {
    constexpr uint64_t kArgumentWords = 3;
    words.push_back(static_cast<uint64_t>(fxt::ArgumentType::kDouble) | kArgumentWords << 4 |
                    (uint64_t{fxt::kInlineStringBit} | 5) << 16);
    AppendText("value", words);
    words.push_back(std::bit_cast<uint64_t>(mark.value));
    words.push_back(0);  // the counter's id
  }
  const auto inline_ref = [](const std::string& text) {
    return text.empty() ? uint64_t{0} : uint64_t{fxt::kInlineStringBit} | text.size();
  };
  words[0] = static_cast<uint64_t>(fxt::RecordType::kEvent) | uint64_t{words.size()} << 4 |
             static_cast<uint64_t>(mark.kind) << 16 | uint64_t{has_value} << 20 |
             uint64_t{1} << 24 | inline_ref(mark.category) << 32 | inline_ref(mark.name) << 48;
  batch->entries.push_back({time, mark.pid, 0});
  return batch;
}

}  // namespace

bool ProviderSet::HasPlace(uid_t user) const {
  if (providers_.size() >= kMaxProviders) return false;
  if (user == 0) return true;
  size_t of_user = 0;
  size_t of_users = 0;
  for (const Provider& each : providers_) {
    if (each.identity->user != 0) ++of_users;
    if (each.identity->user == user) ++of_user;
  }
  return of_user < kMaxProvidersOfUser && of_users < kMaxProvidersOfUsers;
}

void ProviderSet::NoteRefusal(const std::string& name, uid_t user) {
  ++refused_;
  auto found = std::find_if(new_refusals_.begin(), new_refusals_.end(),
                            [user](const Refusal& each) { return each.user == user; });
  if (found == new_refusals_.end()) {
    found = new_refusals_.insert(new_refusals_.end(), Refusal{.user = user});
  }
  found->time = util::MonotonicNow() + ahead_;
  ++found->count;
  found->name = name;
}

std::optional<uint32_t> ProviderSet::Add(const std::string& name, const ProviderProcess& process,
                                         NotifyProvider notify) {
  const std::lock_guard lock(mutex_);
  // Readers identify the recorder's section by its name, so no provider may have it.
  const std::string own_name = name == schema::kRecorderName ? name + " (program)" : name;
  if (!HasPlace(process.user)) {
    NoteRefusal(own_name, process.user);
    return std::nullopt;
  }
  Provider& provider = providers_.emplace_back();
  provider.identity =
      std::make_shared<Identity>(Identity{++last_id_, process.pid, own_name, process.user,
                                          process.handle ? process.handle->start_ticks() : 0});
  provider.process = process.handle;
  provider.notify = std::move(notify);
  if (active_) {
    GiveBuffer(provider);
  } else {
    provider.notify(last_id_, ProviderState::kRegistered, nullptr);
  }
  return last_id_;
}

void ProviderSet::Remove(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(providers_.begin(), providers_.end(),
                                  [id](const Provider& each) { return each.identity->id == id; });
  if (found == providers_.end()) return;
  Depart(*found);
  providers_.erase(found);
}

// Requires mutex_.
void ProviderSet::Depart(Provider& provider) {
  if (!provider.reader) return;
  BufferReader& reader = *provider.reader;
  if (options_.mode == FXT_MODE_STREAMING) {
    reader.ReadNew(departed_limit());
    reader.DropNew();
  } else {
    reader.ScanNew(SIZE_MAX);
    pairs_.Take(ahead_);
    const auto scanned = reader.Take(pairs_, ahead_, since_, Until());
    lost_ += scanned->lost;
    AppendAlerts(*scanned, alerts_);
    reader.ReadAll(departed_limit());
  }
  pairs_.Take(ahead_);
  auto batch = reader.Take(pairs_, ahead_, since_, Until());
  records_gone_ += reader.records_seen();
  lost_ += batch->lost + batch->left_out;
  if (options_.mode != FXT_MODE_STREAMING) batch->lost = reader.lost();
  batch->lost += std::exchange(batch->left_out, 0);
  batch->last = true;
  // In streaming mode, the last batch makes the file close the provider's section.
  const bool wanted = options_.mode == FXT_MODE_STREAMING || !batch->entries.empty() ||
                      batch->lost != 0 || batch->invalid != 0;
  if (wanted) lost_ += departed_.Add(std::move(batch), departed_limit());
  special_bytes_ -= provider.special_bytes;
}

// Removes providers that have exited, even if another process still has their memory. Requires
// mutex_.
void ProviderSet::DepartExited() {
  std::erase_if(providers_, [this](Provider& provider) {
    if (!provider.process || provider.process->IsAlive()) return false;
    Depart(provider);
    return true;
  });
}

bool ProviderSet::AddMark(const Mark& mark) {
  const std::lock_guard lock(mutex_);
  if (!started_) return false;
  const auto& wanted = options_.categories;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), mark.category) == wanted.end()) {
    return false;
  }
  const uint64_t time = mark.time + ahead_;
  if (time < since_ || marks_[mark.user] >= kMaxMarks) return false;
  ++marks_[mark.user];
  lost_ += departed_.Add(BatchOf(mark, time), departed_limit());
  ++records_gone_;
  return true;
}

std::vector<Identity> ProviderSet::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<Identity> list;
  for (const Provider& provider : providers_) list.push_back(*provider.identity);
  return list;
}

std::vector<std::string> ProviderSet::Categories() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> all;
  for (const Provider& provider : providers_) {
    if (!provider.reader) continue;
    all.insert(provider.reader->categories().begin(), provider.reader->categories().end());
  }
  return {all.begin(), all.end()};
}

uint64_t ProviderSet::records() const {
  const std::lock_guard lock(mutex_);
  uint64_t records = records_gone_;
  for (const Provider& provider : providers_) {
    if (provider.reader) records += provider.reader->records_seen();
  }
  return records;
}

uint64_t ProviderSet::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

uint64_t ProviderSet::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

// Requires mutex_.
void ProviderSet::Notify(const Provider& provider, ProviderState state,
                         std::shared_ptr<util::UniqueFd> buffer) {
  post_([this, id = provider.identity->id, state, buffer = std::move(buffer)] {
    NotifyProvider notify;
    {
      const std::lock_guard lock(mutex_);
      for (const Provider& each : providers_) {
        if (each.identity->id == id) notify = each.notify;
      }
    }
    // Null: the provider was removed meanwhile.
    if (notify) notify(id, state, buffer);
  });
}

void ProviderSet::NotifyAll(ProviderState state) {
  for (const Provider& provider : providers_) {
    if (provider.reader) Notify(provider, state);
  }
}

// Requires mutex_. If the memory limit is reached, the provider stays registered without a buffer.
void ProviderSet::GiveBuffer(Provider& provider) {
  BufferOptions buffer;
  buffer.mode = options_.mode;
  buffer.clock = counter_ ? FXT_CLOCK_COUNTER : FXT_CLOCK_MONOTONIC;
  buffer.categories = options_.categories;
  buffer.bytes = kDefaultBytes;
  provider.special_bytes = 0;
  const auto special = options_.bytes_of.find(provider.identity->name);
  if (special != options_.bytes_of.end() && special->second <= kMaxSpecialBytes - special_bytes_) {
    buffer.bytes = provider.special_bytes = special->second;
    special_bytes_ += special->second;
  }
  auto made = SharedBuffer::Make(buffer);
  if (!made) return Notify(provider, ProviderState::kRegistered);
  auto fd = std::make_shared<util::UniqueFd>(fcntl(made->fd(), F_DUPFD_CLOEXEC, 3));
  provider.reader = std::make_unique<BufferReader>(provider.identity, std::move(*made), strings_);
  // Sends the buffer and the state in one message, because a short-lived program waits only for the
  // first reply.
  Notify(provider, started_ ? ProviderState::kStarted : ProviderState::kInitialized, std::move(fd));
}

void ProviderSet::Begin(const ProviderSessionOptions& options) {
  const std::lock_guard lock(mutex_);
  options_ = options;
  active_ = true;
  started_ = false;
  changes_ = 0;
  since_ = 0;
  until_ = UINT64_MAX;
  records_gone_ = lost_ = refused_ = 0;
  special_bytes_ = 0;
  counter_ = ClockPairs::CounterIsInvariant();
  pairs_ = {};
  pairs_.Take(0);
  departed_.Clear();
  alerts_.clear();
  marks_.clear();
  refusals_.clear();
  new_refusals_.clear();
  for (Provider& provider : providers_) GiveBuffer(provider);
}

bool ProviderSet::AllFollowed(uint32_t changes) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(providers_.begin(), providers_.end(), [changes](const Provider& provider) {
    return !provider.reader || provider.reader->buffer().acknowledged() >= changes;
  });
}

void ProviderSet::Start(uint64_t ahead, uint32_t timeout_ms, bool retain) {
  uint32_t changes = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!active_) return;
    ahead_ = ahead;
    started_ = true;
    until_ = UINT64_MAX;
    changes = ++changes_;
    if (!retain || changes == 1) pairs_ = {};
    pairs_.Take(ahead);
    for (Provider& provider : providers_) {
      if (provider.reader) provider.reader->buffer().SetCategories(options_.categories);
    }
    NotifyAll(ProviderState::kStarted);
  }
  // Providers that registered after the first start have followed fewer changes. With them, this
  // waits for the whole timeout.
  for (uint32_t waited = 0; waited < timeout_ms && !AllFollowed(changes); ++waited) {
    poll(nullptr, 0, 1);
  }
  const std::lock_guard lock(mutex_);
  if (!retain || since_ == 0) since_ = util::MonotonicNow() + ahead_;
}

void ProviderSet::Stop() {
  const std::lock_guard lock(mutex_);
  if (!started_) return;
  started_ = false;
  ++changes_;
  until_ = util::MonotonicNow() + ahead_;
  NotifyAll(ProviderState::kStopped);
}

void ProviderSet::End() {
  const std::lock_guard lock(mutex_);
  if (!active_) return;
  NotifyAll(ProviderState::kEnded);
  active_ = started_ = false;
  for (Provider& provider : providers_) provider.reader.reset();
  departed_.Clear();
}

// Requires mutex_. Excludes times in the future, whose records would wait forever.
uint64_t ProviderSet::Until() const {
  return std::min(until_, util::MonotonicNow() + ahead_ + kToleranceNs);
}

// Requires mutex_. Limits the bytes read, so that a provider that writes without pause delays
// neither the kernel's events nor other providers. Its records stay in its memory or are lost
// there.
template <typename Read>
void ProviderSet::ReadFairly(Read read) {
  const uint64_t now = util::MonotonicNow();
  const uint64_t elapsed = std::min<uint64_t>(now - read_time_, 1'000'000'000);
  read_time_ = now;
  read_credit_ = std::min(kReadBytes, read_credit_ + kReadBytesPerSecond * elapsed / 1'000'000'000);
  // After a stop, reads more at once, because the file waits for the rest of the buffers.
  if (!started_) read_credit_ = 2 * kReadBytes;
  std::vector<Demand> demands;
  for (const Provider& provider : providers_) {
    demands.push_back(
        {provider.identity->user, provider.reader ? provider.reader->new_bytes() : 0});
  }
  const std::vector<size_t> shares = FairShares(demands, read_credit_);
  for (size_t i = 0; i < providers_.size(); ++i) {
    if (!providers_[i].reader) continue;
    read_credit_ -= shares[i];
    // At least a block, because new bytes may have arrived.
    read(*providers_[i].reader, std::max<size_t>(shares[i], FXT_BLOCK_BYTES));
  }
}

ProviderRecords ProviderSet::Collect() {
  const std::lock_guard lock(mutex_);
  ProviderRecords collected;
  if (!active_) return collected;
  DepartExited();
  collected.batches = departed_.Take();
  collected.refusals = std::exchange(new_refusals_, {});
  marks_.clear();
  ReadFairly([](BufferReader& reader, size_t limit) { reader.ReadNew(limit); });
  // Taken after the reading, so that the newest pair is later than every record.
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    auto batch = provider.reader->Take(pairs_, ahead_, since_, Until());
    lost_ += batch->lost;
    if (!batch->entries.empty() || batch->lost != 0 || batch->invalid != 0) {
      collected.batches.push_back(std::move(batch));
    }
  }
  return collected;
}

std::vector<Alert> ProviderSet::Scan(uint64_t edge) {
  const std::lock_guard lock(mutex_);
  if (!active_) return {};
  DepartExited();
  std::vector<Alert> alerts = std::exchange(alerts_, {});
  ReadFairly([](BufferReader& reader, size_t limit) { reader.ScanNew(limit); });
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    const auto batch = provider.reader->Take(pairs_, ahead_, since_, Until());
    lost_ += batch->lost;
    AppendAlerts(*batch, alerts);
  }
  marks_.clear();
  for (Refusal& refusal : std::exchange(new_refusals_, {})) {
    refusals_.push_back(std::move(refusal));
  }
  while (!refusals_.empty() && (refusals_.front().time < edge || refusals_.size() > kMaxRefusals)) {
    refusals_.pop_front();
  }
  departed_.DropBefore(edge);
  return alerts;
}

ProviderRecords ProviderSet::Copy() {
  const std::lock_guard lock(mutex_);
  ProviderRecords copied;
  if (!active_) return copied;
  DepartExited();
  copied.batches = departed_.Copy();
  copied.refusals.assign(refusals_.begin(), refusals_.end());
  copied.refusals.insert(copied.refusals.end(), new_refusals_.begin(), new_refusals_.end());
  std::vector<Demand> demands;
  for (const Provider& provider : providers_) {
    // The smallest record has two words, and its entry needs as much memory again.
    const size_t committed = provider.reader ? provider.reader->committed_bytes() : 0;
    demands.push_back({provider.identity->user, committed * 2});
  }
  const std::vector<size_t> shares = FairShares(demands, kCopyBytes + special_bytes_);
  for (size_t i = 0; i < providers_.size(); ++i) {
    if (providers_[i].reader) {
      providers_[i].reader->ReadAll(std::max<size_t>(shares[i], FXT_BLOCK_BYTES));
    }
  }
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    auto batch = provider.reader->Take(pairs_, ahead_, since_, Until());
    lost_ += batch->lost;
    batch->lost = provider.reader->lost() + batch->left_out;
    copied.batches.push_back(std::move(batch));
  }
  return copied;
}

}  // namespace provider
