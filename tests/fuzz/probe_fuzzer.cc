// SPDX-License-Identifier: BSD-2-Clause
// A coverage-guided fuzzer (libFuzzer) for what probes read of untrusted input: the text of an
// option, debug information of a program, the reply of the process that reads it, notes of USDT
// probes. The first byte selects the input.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/argument_texts.h"
#include "probes/argument_finder.h"
#include "probes/probe_text.h"
#include "probes/usdt_notes.h"
#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace {

using Bytes = std::span<const uint8_t>;

std::string_view TextOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void ReadOption(std::string_view text) {
  const auto parsed = probes::ParseProbe(text);
  if (!parsed) return;
  probes::Probe probe;
  for (const probes::Machine machine : {probes::Machine::kX86, probes::Machine::kArm}) {
    for (const probes::ValueText& value : parsed->arguments) {
      if (!probes::IsPositional(value)) continue;
      if (const auto argument = probes::ResolvePositional(value, machine))
        probe.shown.push_back(*argument);
    }
    for (const probes::ComparisonText& comparison : parsed->filter) {
      if (!probes::IsPositional(comparison.value)) continue;
      const auto argument = probes::ResolvePositional(comparison.value, machine);
      if (!argument) continue;
      if (const auto made = probes::MakeComparison(comparison, *argument))
        probe.filter.push_back(*made);
    }
    if (probe.filter.size() <= FXR_PROBE_COMPARISONS && probes::CheckLimits(probe))
      (void)probes::MakeSpec(probe);
    probe = {};
  }
}

void ReadReply(Bytes bytes) {
  probes::ArgumentQuery query;
  query.functions.resize(2);
  query.values.resize(3);
  const auto decoded = probes::DecodeArguments(std::as_bytes(bytes), query);
  if (!decoded) return;
  // An accepted text is valid for the BPF programs, and parses to the same result again.
  if (!probes::DecodeArguments(probes::EncodeArguments(*decoded), query)) std::abort();
}

void ReadProgram(Bytes bytes) {
  util::UniqueFd file(memfd_create("fuzzed", MFD_CLOEXEC));
  if (!file || write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return;
  auto elf = symbols::ElfFile::FromDescriptor(std::move(file));
  if (elf) fuzz::ReadArguments(std::move(*elf));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes bytes(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      ReadOption(TextOf(bytes));
      break;
    case 1:
      ReadReply(bytes);
      break;
    case 2:
      (void)probes::ReadUsdtNotes(std::as_bytes(bytes));
      (void)probes::ParseArgumentTypes(TextOf(bytes));
      break;
    default:
      ReadProgram(bytes);
  }
  return 0;
}
