// SPDX-License-Identifier: BSD-2-Clause
// Makes unwind tables of mutated ELF files, as the recorder does with files of other users. Built with sanitizers, it
// proves that no file makes the parser read or write elsewhere, or take long.
//
//   table_mutations [--count 10000] [--seed 1] [FILE...]      by default programs and libraries of /usr
//
// Headers, section headers and the sections with tables are mutated: bits, numbers at limits, copied pieces, and the end of
// the file. One seed makes the same files each time. The exit status is 1 if a file took more than ten seconds or a table
// is not the same after it went through the process boundary.
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "symbols/elf_file.h"
#include "symbols/symbol_table.h"
#include "unwind/table_maker.h"
#include "unwind/table_store.h"
#include "unwind/unwind_table.h"
#include "util/unique_fd.h"

namespace {

namespace fs = std::filesystem;

using Bytes = std::vector<uint8_t>;
using Random = std::mt19937_64;

constexpr size_t kMaxFileBytes = size_t{2} << 20;
constexpr double kMaxSeconds = 10;
constexpr size_t kMaxMutations = 24;

struct Region {
  size_t begin = 0;
  size_t size = 0;
};

struct Original {
  std::string path;
  Bytes bytes;
  std::vector<Region> regions;  // that are mutated
};

Bytes ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Headers, section headers, and the sections that the table maker reads.
std::vector<Region> RegionsOf(const Bytes& bytes) {
  std::vector<Region> regions;
  Elf64_Ehdr head;
  if (bytes.size() < sizeof(head)) return regions;
  std::memcpy(&head, bytes.data(), sizeof(head));
  const auto add = [&](uint64_t begin, uint64_t size) {
    if (begin < bytes.size() && size <= bytes.size() - begin && size != 0) {
      regions.push_back({static_cast<size_t>(begin), static_cast<size_t>(size)});
    }
  };
  add(0, sizeof(head));
  add(head.e_phoff, uint64_t{head.e_phnum} * sizeof(Elf64_Phdr));
  add(head.e_shoff, uint64_t{head.e_shnum} * sizeof(Elf64_Shdr));
  const size_t headers = regions.size();
  for (size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section, names;
    const size_t at = head.e_shoff + i * sizeof(section);
    const size_t names_at = head.e_shoff + head.e_shstrndx * sizeof(names);
    if (at + sizeof(section) > bytes.size() || names_at + sizeof(names) > bytes.size()) break;
    std::memcpy(&section, bytes.data() + at, sizeof(section));
    std::memcpy(&names, bytes.data() + names_at, sizeof(names));
    if (names.sh_offset + section.sh_name >= bytes.size()) continue;
    const auto* text = reinterpret_cast<const char*>(bytes.data() + names.sh_offset + section.sh_name);
    const std::string_view name(text, strnlen(text, bytes.size() - names.sh_offset - section.sh_name));
    if (name == ".eh_frame" || name == ".debug_frame") {
      // Most mutations are of these.
      for (int times = 0; times < 6; ++times) add(section.sh_offset, section.sh_size);
    } else if (name == ".eh_frame_hdr" || name == ".dynsym" || name == ".symtab" || name == ".gnu_debugdata") {
      add(section.sh_offset, section.sh_size);
    }
  }
  if (regions.size() == headers) regions.clear();
  return regions;
}

size_t Below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

void Mutate(Random& random, const Original& original, Bytes& bytes) {
  constexpr std::array<uint64_t, 10> kNumbers = {0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0xffffffff, 0x7fffffffffffffff,
                                                 UINT64_MAX};
  const size_t count = 1 + Below(random, kMaxMutations);
  for (size_t i = 0; i < count; ++i) {
    const Region& region = original.regions[Below(random, original.regions.size())];
    const size_t at = region.begin + Below(random, region.size);
    const size_t left = region.begin + region.size - at;
    switch (random() % 5) {
      case 0:
        bytes[at] ^= static_cast<uint8_t>(1U << (random() % 8));
        break;
      case 1:
        bytes[at] = static_cast<uint8_t>(random());
        break;
      case 2: {
        const uint64_t number = kNumbers[random() % kNumbers.size()] + random() % 3 - 1;
        std::memcpy(bytes.data() + at, &number, std::min<size_t>(left, size_t{1} << (random() % 4)));
        break;
      }
      case 3: {  // a piece of the region again: entries, or parts of them
        const size_t size = std::min(left, 1 + Below(random, 256));
        const size_t from = region.begin + Below(random, region.size - size + 1);
        std::memmove(bytes.data() + at, bytes.data() + from, size);
        break;
      }
      default:  // a long number in LEB128
        std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at), std::min<size_t>(left, 1 + Below(random, 12)), 0xff);
    }
  }
  if (random() % 16 == 0) bytes.resize(Below(random, bytes.size()));
}

std::vector<std::string> FilesOfThisMachine() {
  std::vector<std::string> files;
  for (const char* folder : {"/usr/bin", "/usr/lib/x86_64-linux-gnu"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.is_regular_file(error) && entry.file_size(error) <= kMaxFileBytes) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Where the BPF programs read tables.
class Store {
 public:
  void Take(Random& random, const unwind::UnwindTable& table) {
    const auto module = store_.AddModule();
    if (!module) std::abort();
    if (store_.Load(*module, table, 1, time_)) {
      for (int i = 0; i < 32; ++i) (void)table.Find(table.file_offset() + random() % (uint64_t{table.pages()} * 65536 + 1));
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
  unwind::TableStore store_{{.words = words_, .provide = nullptr, .modules = modules_, .ranges = ranges_}};
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
  if (paths.empty()) paths = FilesOfThisMachine();
  std::map<std::string, Original> originals;
  Store store;
  size_t with_table = 0, rejected = 0, failures = 0;
  double longest = 0;
  for (size_t done = 0; done < files_wanted && !paths.empty();) {
    const size_t number = Below(random, paths.size());
    auto [entry, is_new] = originals.try_emplace(paths[number]);
    Original& original = entry->second;
    if (is_new) original = {paths[number], ReadAll(paths[number]), {}};
    if (is_new) original.regions = RegionsOf(original.bytes);
    if (original.regions.empty()) {  // a script, or no table
      originals.erase(entry);
      paths.erase(paths.begin() + static_cast<ptrdiff_t>(number));
      continue;
    }
    ++done;
    Bytes bytes = original.bytes;
    Mutate(random, original, bytes);
    util::UniqueFd file(memfd_create("mutated", MFD_CLOEXEC));
    if (!file || write(file.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
    const auto begin = std::chrono::steady_clock::now();
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
      std::fprintf(stderr, "mutation %zu of %s: another table behind the process boundary\n", done, original.path.c_str());
      ++failures;
    } else if (!table.empty()) {
      ++with_table;
      store.Take(random, table);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
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
  std::printf("%zu files: %zu with a table, %zu rejected; longest %.2f s; memory %ld MB\n", files_wanted, with_table, rejected,
              longest, usage.ru_maxrss / 1024);
  if (paths.empty()) std::fprintf(stderr, "no ELF file with tables\n");
  return failures != 0 || paths.empty() ? 1 : 0;
}
