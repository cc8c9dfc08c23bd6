// SPDX-License-Identifier: BSD-2-Clause
// Names and limits of fuchsia.tracing.controller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace control {

// Limit of the nesting of a message; the interface needs five levels.
inline constexpr int kMaxDepth = 32;
inline constexpr size_t kMaxCategories = 100;
inline constexpr size_t kMaxCategoryName = 100;         // bytes
inline constexpr size_t kMaxCategoryDescription = 400;  // bytes
inline constexpr size_t kMaxProviders = 100;
inline constexpr size_t kMaxProviderName = 100;  // bytes
inline constexpr size_t kMaxAlertName = 14;      // bytes
inline constexpr size_t kMaxMarkName = 1000;     // bytes

// The values are those of Fuchsia's interface.
enum class SessionState : uint8_t {
  kReady = 1,
  kInitialized = 2,
  kStarting = 3,
  kStarted = 4,
  kStopping = 5,
  kStopped = 6,
  kTerminating = 7,
};

enum class MarkKind : uint8_t { kBegin, kEnd, kInstant, kCounter };

std::string_view Name(SessionState state);
std::string_view Name(MarkKind kind);

// Empty for an unknown name. Case-sensitive.
std::optional<MarkKind> FindMarkKind(std::string_view word);

// Names of the interface's errors.
namespace error_name {
inline constexpr std::string_view kNotInitialized = "NOT_INITIALIZED";
inline constexpr std::string_view kAlreadyInitialized = "ALREADY_INITIALIZED";
inline constexpr std::string_view kNotStarted = "NOT_STARTED";
inline constexpr std::string_view kAlreadyStarted = "ALREADY_STARTED";
inline constexpr std::string_view kStopping = "STOPPING";
inline constexpr std::string_view kTerminating = "TERMINATING";
inline constexpr std::string_view kNoOutput = "NO_OUTPUT";
inline constexpr std::string_view kNotSupported = "NOT_SUPPORTED";
inline constexpr std::string_view kFailed = "FAILED";
}  // namespace error_name

}  // namespace control
