// SPDX-License-Identifier: BSD-2-Clause
// Programs that take part, in the controller's terms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "control/controller/engine.h"
#include "control/protocol/reply.h"
#include "control/protocol/requests.h"
#include "provider/provider_set.h"

namespace tools {

// This process, which is a provider too.
control::ProviderInfo RecorderAsProvider();
// It and the programs; at most kMaxProviders.
std::vector<control::ProviderInfo> AllProviders(const provider::ProviderSet& providers);
// Those that programs named, behind the recorder's own; at most kMaxCategories together.
void AppendProviderCategories(const provider::ProviderSet& providers,
                              std::vector<control::KnownCategory>& categories);
// See control::Engine::AddProvider.
std::optional<uint32_t> Register(provider::ProviderSet& providers, const std::string& name,
                                 uint32_t pid, control::TellProvider tell);
// See control::Engine::SendMark.
bool AddMark(provider::ProviderSet& providers, const control::MarkRequest& mark, uint32_t caller);
// What a session asks of programs.
provider::ProviderSessionOptions ProviderSession(const request::TraceConfig& config);

}  // namespace tools
