// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/control/provider_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
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

// 0: not known.
uint32_t ParentOf(uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(file, text);
  // The name, in parentheses, may have any characters in it.
  std::istringstream rest(text.substr(std::min(text.rfind(')') + 1, text.size())));
  std::string state;
  uint32_t parent = 0;
  rest >> state >> parent;
  return parent;
}

control::SessionState StateAfter(provider::ProviderState news) {
  switch (news) {
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
    if (!known) categories.push_back({name, "of a program that takes part"});
  }
}

std::optional<uint32_t> Register(provider::ProviderSet& providers, const std::string& name,
                                 uint32_t pid, control::TellProvider tell) {
  // Readers know the recorder's records by its name.
  const std::string own = name == schema::kRecorderName ? name + " (program)" : name;
  return providers.Add(own, pid,
                       [tell = std::move(tell)](uint32_t id, provider::ProviderState news,
                                                std::shared_ptr<util::UniqueFd> buffer) {
                         tell(id, StateAfter(news), std::move(buffer));
                       });
}

bool AddMark(provider::ProviderSet& providers, const control::MarkRequest& mark, uint32_t caller) {
  constexpr uint64_t kLongAgo = 1'000'000'000;
  provider::Mark made;
  made.kind = KindOf(mark.kind);
  made.name = mark.name;
  made.category = mark.category;
  made.value = mark.value;
  // Who called waits for the answer, so that its parent is the one that it says.
  made.pid = mark.pid != 0 && mark.pid == ParentOf(caller) ? mark.pid : caller;
  made.time = util::MonotonicNow() - std::min(mark.nanoseconds_ago, kLongAgo);
  return providers.AddMark(made);
}

provider::ProviderSessionOptions ProviderSession(const control::TraceConfig& config) {
  provider::ProviderSessionOptions options;
  for (const control::ProviderSpec& spec : config.provider_specs) {
    if (spec.name == schema::kRecorderName || spec.buffer_size_megabytes_hint == 0) continue;
    options.bytes_of[spec.name] = uint64_t{spec.buffer_size_megabytes_hint} << 20;
  }
  std::vector<std::string> categories = config.categories.value_or(std::vector<std::string>());
  options.categories = TakeProviderCategories(categories);
  return options;
}

}  // namespace tools
