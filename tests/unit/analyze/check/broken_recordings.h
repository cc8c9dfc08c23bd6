// SPDX-License-Identifier: BSD-2-Clause
// Recordings that are wrong in one known way each, and what `fxt check` has to find in them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unit/analyze/recording_parts.h"

namespace analyze::testing {

struct Broken {
  const char* what;
  std::function<void(RecordingParts&)> damage;
  std::vector<std::string> findings;  // "rule at label", in order

  friend std::ostream& operator<<(std::ostream& out, const Broken& broken) {
    return out << broken.what;
  }
};

// Errors by the rules of the format, and by the rules of fxt-record's own files.
std::vector<Broken> FormatCases();
std::vector<Broken> RecorderCases();

// "rule at label" of each finding, in order; the offset in place of a label where there is none.
std::vector<std::string> FindingsOf(RecordingParts& file, bool recorder_rules = true,
                                    std::optional<size_t> max_table_bytes = std::nullopt);

// Records that are added behind the last one of RecordingParts::Sound().
inline constexpr uint64_t kStart = 1'000'000'000;
inline constexpr uint64_t kEnd = 2'000'000'000;
inline const fxt::ThreadRef kAppRef = fxt::ThreadRef::Inline(kApp, kApp);
inline const fxt::ThreadRef kWorkerRef = fxt::ThreadRef::Inline(kApp, kWorker);
inline const fxt::ThreadRef kIdle0Ref = fxt::ThreadRef::Inline(0, kIdle0);

fxt::LegacyContextSwitch SwitchAtEnd(fxt::ThreadRef outgoing, uint8_t outgoing_priority,
                                     fxt::ThreadRef incoming, uint8_t incoming_priority,
                                     fxt::ThreadState state = fxt::ThreadState::kNew);

// `arguments` have to live as long as the event.
fxt::Event InstantOf(uint64_t time, fxt::ThreadRef thread, std::string_view category,
                     std::string_view name, std::span<const fxt::Argument> arguments = {});

}  // namespace analyze::testing
