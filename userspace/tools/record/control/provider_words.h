// SPDX-License-Identifier: BSD-2-Clause
// Converts between provider::ProviderSet and the types of the protocol.
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

// The recorder as a provider.
control::ProviderInfo RecorderAsProvider();
// The recorder and the providers; at most kMaxProviders.
std::vector<control::ProviderInfo> AllProviders(const provider::ProviderSet& providers);
// Appends the categories of providers; at most kMaxCategories in all.
void AppendProviderCategories(const provider::ProviderSet& providers,
                              std::vector<control::KnownCategory>& categories);
// See control::Engine::AddProvider.
std::optional<uint32_t> Register(provider::ProviderSet& providers, const std::string& name,
                                 const control::Caller& caller, control::NotifyProvider notify);
// See control::Engine::SendMark.
bool AddMark(provider::ProviderSet& providers, const control::MarkRequest& mark,
             const control::Caller& caller);
// The provider options of a session.
provider::ProviderSessionOptions ProviderSession(const request::TraceConfig& config);

}  // namespace tools
