// SPDX-License-Identifier: BSD-2-Clause
// Makes unwind tables of mutated ELF files, as the recorder does with files of other users. Built
// with sanitizers, it proves that no file makes the parser read or write elsewhere, or take long.
//
//   table_mutations [--count 10000] [--seed 1] [FILE...]      by default programs and libraries of
//   /usr
//
// Headers, section headers and the sections with tables are mutated: bits, numbers at limits,
// copied pieces, and the end of the file. One seed makes the same files each time. The exit status
// is 1 if a file took more than ten seconds of a CPU or a table is not the same after it went
// through the process boundary.
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/elf_mutations.h"
#include "symbols/elf_file.h"
#include "symbols/symbol_table.h"
#include "unwind/table_maker.h"
#include "unwind/table_store.h"
#include "unwind/unwind_table.h"
#include "util/unique_fd.h"

namespace {

using fuzz::Below;
using fuzz::ElfOriginal;
using fuzz::Random;

constexpr double kMaxSeconds = 10;
constexpr size_t kMaxMutations = 24;

// The sections that the table maker reads; most mutations are of the tables themselves.
int WeightOf(std::string_view section) {
  if (section == ".eh_frame" || section == ".debug_frame") return 6;
  return section == ".eh_frame_hdr" || section == ".dynsym" || section == ".symtab" ||
                 section == ".gnu_debugdata"
             ? 1
             : 0;
}

// The memory from which BPF programs read tables.
class Store {
 public:
  void Take(Random& random, const unwind::UnwindTable& table) {
    const auto module = store_.AddModule();
    if (!module) std::abort();
    if (store_.Load(*module, table, 1, time_)) {
      for (int i = 0; i < 32; ++i)
        (void)table.Find(table.file_offset() + random() % (uint64_t{table.pages()} * 65536 + 1));
    }
    time_ += unwind::ExtentAllocator::kGrace + 1;
    store_.RemoveModule(*module, time_);
    time_ += unwind::ExtentAllocator::kGrace + 1;
  }

 private:
  uint64_t time_ = 1;
  std::vector<fxr_u32> words_ = std::vector<fxr_u32>(size_t{8} << 20);
  std::vector<fxr_unwind_module> modules_ = std::vector<fxr_unwind_module>(64);
  std::vector<fxr_unwind_range> ranges_ = std::vector<fxr_unwind_range>(64);
  unwind::TableStore store_{
      {.words = words_, .provide = nullptr, .modules = modules_, .ranges = ranges_}};
};

}  // namespace

int main(int count, char** words) {
  size_t files_wanted = 10'000;
  uint64_t seed = 1;
  std::vector<std::string> paths;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if ((word == "--count" || word == "--seed") && i + 1 < count) {
      (word == "--count" ? files_wanted : seed) = std::strtoull(words[++i], nullptr, 10);
    } else {
      paths.emplace_back(word);
    }
  }
  Random random(seed);
  if (paths.empty()) paths = fuzz::FilesOfThisMachine();
  std::map<std::string, ElfOriginal> originals;
  Store store;
  size_t with_table = 0, rejected = 0, failures = 0;
  double longest = 0;
  for (size_t done = 0; done < files_wanted && !paths.empty();) {
    const size_t number = Below(random, paths.size());
    auto [entry, is_new] = originals.try_emplace(paths[number]);
    ElfOriginal& original = entry->second;
    if (is_new) original = ElfOriginal::Read(paths[number], WeightOf);
    if (original.regions.empty()) {  // a script, or no table
      originals.erase(entry);
      paths.erase(paths.begin() + static_cast<ptrdiff_t>(number));
      continue;
    }
    ++done;
    util::UniqueFd file(fuzz::MemoryFile(original.Mutate(random, kMaxMutations)));
    const std::clock_t begin = std::clock();
    auto elf = symbols::ElfFile::FromDescriptor(std::move(file));
    if (!elf) {
      ++rejected;
      continue;
    }
    const unwind::UnwindTable table = unwind::UnwindTable::Read(*elf);
    symbols::SymbolTable functions;
    elf->ReadFunctions(&functions);
    const auto decoded = unwind::DecodeTable(unwind::EncodeTable(table));
    if (!decoded || !std::ranges::equal(decoded->words(), table.words())) {
      std::fprintf(stderr, "mutation %zu of %s: another table behind the process boundary\n", done,
                   original.path.c_str());
      ++failures;
    } else if (!table.empty()) {
      ++with_table;
      store.Take(random, table);
    }
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    longest = std::max(longest, seconds);
    if (seconds > kMaxSeconds) {
      std::fprintf(stderr, "mutation %zu of %s: %.1f s\n", done, original.path.c_str(), seconds);
      ++failures;
    }
    // Few originals are in memory at a time.
    if (originals.size() > 64) originals.erase(originals.begin());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%zu files: %zu with a table, %zu rejected; longest %.2f s; memory %ld MB\n",
              files_wanted, with_table, rejected, longest, usage.ru_maxrss / 1024);
  if (paths.empty()) std::fprintf(stderr, "no ELF file with tables\n");
  return failures != 0 || paths.empty() ? 1 : 0;
}
