// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/provider_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "schema/names.h"
#include "tools/record/options/provider_categories.h"
#include "util/clock.h"

namespace tools {
namespace {

fxt::EventType KindOf(control::MarkKind kind) {
  switch (kind) {
    case control::MarkKind::kBegin:
      return fxt::EventType::kDurationBegin;
    case control::MarkKind::kEnd:
      return fxt::EventType::kDurationEnd;
    case control::MarkKind::kCounter:
      return fxt::EventType::kCounter;
    case control::MarkKind::kInstant:
      break;
  }
  return fxt::EventType::kInstant;
}

// The parent `pid` of the caller, if the caller may speak for it. An orphan's parent is init or a
// subreaper, which is in another session or another user's.
std::optional<util::ProcessHandle> ParentOf(const control::Caller& caller, uint32_t pid) {
  constexpr uint32_t kInit = 1;
  if (pid == kInit) return std::nullopt;
  auto parent = util::ProcessHandle::Open(static_cast<pid_t>(pid));
  const auto child = util::ReadProcessStat(static_cast<pid_t>(caller.pid));
  const auto stat = util::ReadProcessStat(static_cast<pid_t>(pid));
  const auto user = util::ReadProcessUser(static_cast<pid_t>(pid));
  if (!parent || !child || !stat || !user) return std::nullopt;
  const bool is_parent = child->parent == static_cast<pid_t>(pid) &&
                         child->session == stat->session && stat->start_ticks <= child->start_ticks;
  if (!is_parent || (caller.user != 0 && caller.user != *user)) return std::nullopt;
  // Both still run: what was read belongs to them.
  if (!parent->IsAlive() || !caller.process->IsAlive()) return std::nullopt;
  return parent;
}

control::SessionState StateOf(provider::ProviderState state) {
  switch (state) {
    case provider::ProviderState::kInitialized:
      return control::SessionState::kInitialized;
    case provider::ProviderState::kStarted:
      return control::SessionState::kStarted;
    case provider::ProviderState::kStopped:
      return control::SessionState::kStopped;
    case provider::ProviderState::kRegistered:
    case provider::ProviderState::kEnded:
      break;
  }
  return control::SessionState::kReady;
}

}  // namespace

control::ProviderInfo RecorderAsProvider() {
  return {1, static_cast<uint32_t>(getpid()), std::string(schema::kRecorderName)};
}

std::vector<control::ProviderInfo> AllProviders(const provider::ProviderSet& providers) {
  std::vector<control::ProviderInfo> all = {RecorderAsProvider()};
  for (const provider::Identity& each : providers.List()) {
    if (all.size() == control::kMaxProviders) break;
    all.push_back({each.id, each.pid, each.name});
  }
  return all;
}

void AppendProviderCategories(const provider::ProviderSet& providers,
                              std::vector<control::KnownCategory>& categories) {
  for (const std::string& name : providers.Categories()) {
    if (categories.size() == control::kMaxCategories) return;
    const bool known = std::any_of(categories.begin(), categories.end(),
                                   [&](const auto& category) { return category.name == name; });
    if (!known) categories.push_back({name, "category of a provider"});
  }
}

std::optional<uint32_t> Register(provider::ProviderSet& providers, const std::string& name,
                                 const control::Caller& caller, control::NotifyProvider notify) {
  return providers.Add(name, {caller.pid, caller.user, caller.process},
                       [notify = std::move(notify)](uint32_t id, provider::ProviderState state,
                                                    std::shared_ptr<util::UniqueFd> buffer) {
                         notify(id, StateOf(state), std::move(buffer));
                       });
}

bool AddMark(provider::ProviderSet& providers, const control::MarkRequest& mark,
             const control::Caller& caller) {
  constexpr uint64_t kLongAgo = 1'000'000'000;
  provider::Mark made;
  made.kind = KindOf(mark.kind);
  made.name = mark.name;
  made.category = mark.category;
  made.value = mark.value;
  made.user = caller.user;
  made.pid = caller.pid;
  made.start_ticks = caller.process->start_ticks();
  if (mark.pid != 0 && mark.pid != caller.pid) {
    if (const auto parent = ParentOf(caller, mark.pid)) {
      made.pid = mark.pid;
      made.start_ticks = parent->start_ticks();
    }
  }
  made.time = util::MonotonicNow() - std::min(mark.nanoseconds_ago, kLongAgo);
  return providers.AddMark(made);
}

provider::ProviderSessionOptions ProviderSession(const request::TraceConfig& config) {
  provider::ProviderSessionOptions options;
  for (const request::ProviderSpec& spec : config.provider_specs) {
    if (spec.name == schema::kRecorderName || spec.buffer_size_megabytes_hint == 0) continue;
    options.bytes_of[spec.name] = uint64_t{spec.buffer_size_megabytes_hint} << 20;
  }
  std::vector<std::string> categories = config.categories.value_or(std::vector<std::string>());
  options.categories = TakeProviderCategories(categories);
  return options;
}

}  // namespace tools
