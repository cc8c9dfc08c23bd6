// SPDX-License-Identifier: BSD-2-Clause
#include "provider/provider_set.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>
#include <utility>

#include "util/clock.h"

namespace provider {
namespace {

size_t BytesOf(const RecordBatch& batch) {
  return sizeof(RecordBatch) + sizeof(StringTable) + batch.words.size() * sizeof(uint64_t) +
         batch.entries.size() * sizeof(RecordEntry);
}

// Between two looks.
constexpr size_t kMaxMarks = 65'536;
// No program has it.
constexpr uint32_t kMarksId = 0;

void AppendText(const std::string& text, std::vector<uint64_t>& words) {
  const size_t at = words.size();
  words.resize(at + fxt::WordsForBytes(text.size()));
  memcpy(words.data() + at, text.data(), text.size());
}

// A record such as a program would have written, with its strings in it.
std::unique_ptr<RecordBatch> BatchOf(const Mark& mark, uint64_t time) {
  auto batch = std::make_unique<RecordBatch>();
  batch->identity = std::make_shared<Identity>(Identity{kMarksId, mark.pid, "fxt-mark"});
  batch->strings = std::make_shared<StringTable>();
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
  batch->entries.push_back({time, mark.pid, 0, static_cast<uint32_t>(words.size())});
  return batch;
}

}  // namespace

std::optional<uint32_t> ProviderSet::Add(const std::string& name, uint32_t pid, Tell tell) {
  const std::lock_guard lock(mutex_);
  if (providers_.size() >= kMaxProviders) return std::nullopt;
  Provider& provider = providers_.emplace_back();
  provider.identity = std::make_shared<Identity>(Identity{++last_id_, pid, name});
  provider.tell = std::move(tell);
  if (!active_) {
    provider.tell(last_id_, ProviderState::kRegistered, nullptr);
    return last_id_;
  }
  GiveBuffer(provider);
  return last_id_;
}

void ProviderSet::Remove(uint32_t id) {
  const std::lock_guard lock(mutex_);
  for (Provider& provider : providers_) {
    if (provider.identity->id != id) continue;
    provider.tell = nullptr;
    provider.gone = true;
  }
  if (!active_) std::erase_if(providers_, [](const Provider& provider) { return provider.gone; });
}

bool ProviderSet::AddMark(const Mark& mark) {
  const std::lock_guard lock(mutex_);
  if (!started_) return false;
  const auto& wanted = options_.categories;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), mark.category) == wanted.end()) {
    return false;
  }
  const uint64_t time = mark.time + ahead_;
  if (time < since_ || marks_.size() >= kMaxMarks) return false;
  marks_.push_back(BatchOf(mark, time));
  ++records_gone_;
  return true;
}

std::vector<Identity> ProviderSet::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<Identity> list;
  for (const Provider& provider : providers_) {
    if (!provider.gone) list.push_back(*provider.identity);
  }
  return list;
}

std::vector<std::string> ProviderSet::Categories() const {
  const std::lock_guard lock(mutex_);
  std::set<std::string> all;
  for (const Provider& provider : providers_) {
    if (provider.reader)
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

void ProviderSet::Notify(const Provider& provider, ProviderState news,
                         std::shared_ptr<util::UniqueFd> buffer) {
  if (!provider.tell) return;
  post_([this, id = provider.identity->id, news, buffer = std::move(buffer)] {
    // It may have gone meanwhile.
    Tell tell;
    {
      const std::lock_guard lock(mutex_);
      for (const Provider& each : providers_) {
        if (each.identity->id == id) tell = each.tell;
      }
    }
    if (tell) tell(id, news, buffer);
  });
}

void ProviderSet::NotifyAll(ProviderState news) {
  for (const Provider& provider : providers_) {
    if (provider.reader) Notify(provider, news, nullptr);
  }
}

// With mutex_. A provider that comes while there is none for it goes without.
void ProviderSet::GiveBuffer(Provider& provider) {
  BufferOptions buffer;
  buffer.mode = options_.mode;
  buffer.clock = counter_ ? FXT_CLOCK_COUNTER : FXT_CLOCK_MONOTONIC;
  buffer.categories = options_.categories;
  buffer.bytes = options_.buffer_bytes != 0 ? options_.buffer_bytes : kDefaultBytes;
  const auto special = options_.bytes_of.find(provider.identity->name);
  if (special != options_.bytes_of.end()) buffer.bytes = special->second;
  auto made = SharedBuffer::Make(buffer);
  if (!made) return Notify(provider, ProviderState::kRegistered, nullptr);
  auto fd = std::make_shared<util::UniqueFd>(fcntl(made->fd(), F_DUPFD_CLOEXEC, 3));
  provider.reader = std::make_unique<BufferReader>(provider.identity, std::move(*made));
  // In one: a program that is over soon waits for the first answer only.
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
  records_gone_ = lost_ = 0;
  counter_ = ClockPairs::CounterIsInvariant();
  pairs_ = {};
  pairs_.Take(0);
  retired_.clear();
  retired_bytes_ = 0;
  marks_.clear();
  for (Provider& provider : providers_) {
    if (!provider.gone) GiveBuffer(provider);
  }
}

bool ProviderSet::AllFollowed(uint32_t changes) const {
  const std::lock_guard lock(mutex_);
  return std::all_of(providers_.begin(), providers_.end(), [changes](const Provider& provider) {
    return provider.gone || !provider.reader || provider.reader->buffer().acknowledged() >= changes;
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
  // Those that came after the first start have followed fewer changes: the wait is bounded anyway.
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
  std::erase_if(providers_, [](const Provider& provider) { return provider.gone; });
  retired_.clear();
  retired_bytes_ = 0;
}

// With mutex_. What is later than now was made up, and would wait for ever.
uint64_t ProviderSet::Until() const {
  constexpr uint64_t kTolerance = 1'000'000;
  return std::min(until_, util::MonotonicNow() + ahead_ + kTolerance);
}

// With mutex_.
std::unique_ptr<RecordBatch> ProviderSet::TakeFrom(Provider& provider) {
  auto batch = provider.reader->Take(pairs_, ahead_, since_, Until());
  lost_ += batch->lost;
  return batch;
}

std::vector<std::unique_ptr<RecordBatch>> ProviderSet::Collect() {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<RecordBatch>> batches = std::exchange(marks_, {});
  if (!active_) return batches;
  for (Provider& provider : providers_) {
    if (provider.reader) provider.reader->ReadNew();
  }
  // After the reading: no time that was read lies behind it.
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    auto batch = TakeFrom(provider);
    if (provider.gone) records_gone_ += provider.reader->records_seen();
    if (!batch->entries.empty() || batch->lost != 0 || batch->invalid != 0) {
      batches.push_back(std::move(batch));
    }
  }
  std::erase_if(providers_, [](const Provider& provider) { return provider.gone; });
  return batches;
}

// With mutex_: of a provider that has gone its records stay, and its memory is let go of.
void ProviderSet::Retire() {
  for (Provider& provider : providers_) {
    if (!provider.gone || !provider.reader) continue;
    records_gone_ += provider.reader->records_seen();
    provider.reader->ReadAll();
    auto batch = provider.reader->Take(pairs_, ahead_, since_, Until());
    batch->lost = provider.reader->lost();
    retired_bytes_ += BytesOf(*batch);
    retired_.push_back(std::move(batch));
  }
  std::erase_if(providers_, [](const Provider& provider) { return provider.gone; });
  for (auto& mark : std::exchange(marks_, {})) {
    retired_bytes_ += BytesOf(*mark);
    retired_.push_back(std::move(mark));
  }
}

std::vector<Alert> ProviderSet::Look(uint64_t edge) {
  const std::lock_guard lock(mutex_);
  std::vector<Alert> alerts;
  if (!active_) return alerts;
  for (Provider& provider : providers_) {
    if (provider.reader) provider.reader->ReadNew();
  }
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    const auto batch = TakeFrom(provider);
    alerts.insert(alerts.end(), batch->alerts.begin(), batch->alerts.end());
  }
  Retire();
  while (!retired_.empty() && (retired_bytes_ > kMaxRetired || retired_.front()->entries.empty() ||
                               retired_.front()->entries.back().time < edge)) {
    retired_bytes_ -= BytesOf(*retired_.front());
    retired_.erase(retired_.begin());
  }
  return alerts;
}

std::vector<std::unique_ptr<RecordBatch>> ProviderSet::Copy() {
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_ptr<RecordBatch>> batches;
  if (!active_) return batches;
  pairs_.Take(ahead_);
  Retire();
  for (const auto& batch : retired_) batches.push_back(std::make_unique<RecordBatch>(*batch));
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    provider.reader->ReadAll();
  }
  pairs_.Take(ahead_);
  for (Provider& provider : providers_) {
    if (!provider.reader) continue;
    auto batch = TakeFrom(provider);
    batch->lost = provider.reader->lost();
    batches.push_back(std::move(batch));
  }
  return batches;
}

}  // namespace provider
