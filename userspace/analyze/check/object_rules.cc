// SPDX-License-Identifier: BSD-2-Clause
#include "analyze/check/object_rules.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <variant>

#include "facts/scheduling.h"
#include "fxt/id_map.h"
#include "schema/koid.h"
#include "schema/names.h"

namespace analyze {
namespace {

bool IsLeader(fxt::Koid thread, fxt::Koid process) {
  return schema::TidOfKoid(thread) == schema::TidOfKoid(process) &&
         thread >> schema::kTidBits < schema::kFirstPseudoGeneration &&
         process >> schema::kTidBits < schema::kFirstPseudoGeneration;
}

// The same number the time before.
fxt::Koid Before(fxt::Koid process) { return process - (fxt::Koid{1} << schema::kTidBits); }

// Text that was not UTF-8 has grown: U+FFFD takes three bytes and may have been one.
bool MayHaveGrown(std::string_view text) {
  return text.find("\xef\xbf\xbd") != std::string_view::npos;
}

}  // namespace

std::vector<SplitProcess> FindSplitProcesses(const facts::TaskNames& names) {
  std::vector<SplitProcess> found;
  fxt::IdSet with_leader, with_threads;
  for (const facts::TaskNames::Thread& thread : names.threads()) {
    if (!thread.process) continue;
    with_threads.insert(*thread.process);
    if (!IsLeader(thread.koid, *thread.process)) continue;
    with_leader.insert(*thread.process);
    // A tid was used at least as often as the process's number: there was a leader each time.
    if (schema::GenerationOfKoid(thread.koid) >= schema::GenerationOfKoid(*thread.process))
      continue;
    found.push_back({*thread.process,
                     fmt::format("process {} is split in two: its leader, thread {}, is of process "
                                 "{}, and other threads are of process {}",
                                 schema::TidOfKoid(thread.koid), thread.koid, *thread.process,
                                 Before(*thread.process))});
  }
  // If generations have started again at 1, a leader may have a lower one than its threads.
  std::erase_if(found, [&](const SplitProcess& split) {
    const fxt::Koid first = Before(split.process);
    return with_leader.contains(first) || !with_threads.contains(first);
  });
  return found;
}

std::optional<std::string> CommandLineFault(const fxt::KernelObject& object) {
  const fxt::Argument* cut =
      facts::FindArgument(object.arguments, schema::argument::kCommandLineCut);
  if (cut == nullptr) return std::nullopt;
  const auto* length = std::get_if<uint64_t>(&cut->value);
  const auto text =
      facts::TextOf(facts::FindArgument(object.arguments, schema::argument::kCommandLine));
  if (length == nullptr || !text) {
    return fmt::format(
        "process {}: \"cmdline_cut\" is not a uint64 or has no \"cmdline\" beside it", object.koid);
  }
  if (*length > text->size() || MayHaveGrown(*text)) return std::nullopt;
  return fmt::format("process {}: a command line of {} bytes is cut to {}", object.koid, *length,
                     text->size());
}

}  // namespace analyze
