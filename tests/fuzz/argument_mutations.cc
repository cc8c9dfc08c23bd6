// SPDX-License-Identifier: BSD-2-Clause
// Looks for functions, arguments and USDT probes in mutated ELF files, as the recorder does with
// files of other users. Built with sanitizers, it proves that no file makes the finder read or
// write elsewhere, or take long.
//
//   argument_mutations [--count 10000] [--seed 1] [--first 1] FILE...      programs with debug
//   information
//
// Twelve files of /usr are mutated as well, for functions and USDT probes.
//
// Each file is read in a process of its own, as the recorder reads debug information. The exit
// status is 1 if one took more than ten seconds of a CPU or 1 GiB, or did not end by itself.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/argument_texts.h"
#include "fuzz/elf_mutations.h"
#include "probes/function_finder.h"
#include "probes/usdt_notes.h"
#include "symbols/elf_file.h"
#include "util/unique_fd.h"

namespace {

using fuzz::ElfOriginal;
using fuzz::Random;

constexpr rlim_t kMaxSeconds = 10;
constexpr long kMaxKib = 1 << 20;
constexpr size_t kMaxMutations = 4;  // more leave nothing of the debug information
constexpr size_t kOthers = 12;       // files of this machine

// Most mutations are of what describes functions and types.
int WeightOf(std::string_view section) {
  if (section == ".debug_info" || section == ".debug_abbrev") return 5;
  if (section == ".debug_loclists" || section == ".debug_loc" || section == ".debug_rnglists" ||
      section == ".debug_addr" || section == ".debug_str_offsets") {
    return 2;
  }
  return section == ".symtab" || section == ".dynsym" || section == ".note.stapsdt" ||
                 section == ".debug_str"
             ? 1
             : 0;
}

// The report of a process to its parent.
struct Outcome {
  bool is_elf;
  bool has_values;
};

Outcome Read(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  (void)probes::FindFunctions(path, "*", {});
  (void)probes::FindFunctions(path, "members", {});
  auto elf = symbols::ElfFile::FromDescriptor(util::UniqueFd(fcntl(file, F_DUPFD_CLOEXEC, 0)));
  if (!elf) return {false, false};
  (void)probes::ReadUsdtNotes(elf->ReadSection(".note.stapsdt"));
  return {true, fuzz::ReadArguments(std::move(*elf)) != 0};
}

}  // namespace

int main(int count, char** words) {
  size_t files_wanted = 10'000;
  uint64_t seed = 1;
  size_t first = 1;
  std::vector<ElfOriginal> originals;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--first" && i + 1 < count) {
      first = std::strtoull(words[++i], nullptr, 10);
      continue;
    }
    if ((word == "--count" || word == "--seed") && i + 1 < count) {
      (word == "--count" ? files_wanted : seed) = std::strtoull(words[++i], nullptr, 10);
      continue;
    }
    originals.push_back(ElfOriginal::Read(words[i], WeightOf));
    if (originals.back().regions.empty()) originals.pop_back();
  }
  if (originals.empty()) {
    std::fprintf(stderr, "no ELF file with functions\n");
    return 1;
  }
  Random choice(seed);
  const std::vector<std::string> others = fuzz::FilesOfThisMachine();
  for (size_t i = 0; i < kOthers && !others.empty(); ++i) {
    originals.push_back(ElfOriginal::Read(others[fuzz::Below(choice, others.size())], WeightOf));
    if (originals.back().regions.empty()) originals.pop_back();
  }
  size_t rejected = 0, with_values = 0, failures = 0;
  double longest = 0;
  long most_kib = 0;
  for (size_t done = first; done < first + files_wanted; ++done) {
    // The same file for the same number, whatever the processes before it did.
    Random random(seed * 1'000'003 + done);
    const ElfOriginal& original = originals[fuzz::Below(random, originals.size())];
    const int file = fuzz::MemoryFile(original.Mutate(random, kMaxMutations));
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) {
      const rlimit seconds{kMaxSeconds, kMaxSeconds + 1};
      setrlimit(RLIMIT_CPU, &seconds);
      const Outcome outcome = Read(file);
      _exit(write(ends[1], &outcome, sizeof(outcome)) == sizeof(outcome) ? 0 : 1);
    }
    close(ends[1]);
    Outcome outcome{};
    const bool has_outcome = read(ends[0], &outcome, sizeof(outcome)) == sizeof(outcome);
    close(ends[0]);
    close(file);
    int status = 0;
    rusage usage{};
    if (wait4(child, &status, 0, &usage) != child) std::abort();
    const auto seconds_of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    longest = std::max(longest, seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime));
    most_kib = std::max(most_kib, usage.ru_maxrss);
    if (!has_outcome || status != 0 || usage.ru_maxrss > kMaxKib) {
      std::fprintf(stderr, "mutation %zu of %s: %s %d, %ld KiB\n", done, original.path.c_str(),
                   WIFSIGNALED(status) ? "signal" : "exit",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), usage.ru_maxrss);
      ++failures;
    }
    rejected += outcome.is_elf ? 0 : 1;
    with_values += outcome.has_values ? 1 : 0;
  }
  std::printf(
      "%zu files: %zu with arguments, %zu rejected, %zu failures; longest %.2f s; memory %ld MB\n",
      files_wanted, with_values, rejected, failures, longest, most_kib / 1024);
  return failures != 0 ? 1 : 0;
}
