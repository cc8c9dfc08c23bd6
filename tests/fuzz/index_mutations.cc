// SPDX-License-Identifier: BSD-2-Clause
// Opens traces beside mutated indexes, as `fxt view --keep-index` does, and asks all that the page
// asks. Built with sanitizers, it proves that no index makes the server read or write elsewhere, or
// take long.
//
//   index_mutations [--count 5000] [--seed 1] [TRACE...]      by default a trace with something of
//   each kind of lane
//
// Bits, numbers at limits, cut, inserted and copied pieces. Most of them get right hashes again:
// without these an index is not looked at. One seed makes the same files each time. The exit status
// is 1 if an index took more than ten seconds.
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "unit/view/index_trace.h"
#include "util/content_hash.h"
#include "view/answers.h"
#include "view/index_file.h"
#include "view/indexed_trace.h"
#include "view/query_string.h"

namespace {

namespace fs = std::filesystem;

using Random = std::mt19937_64;

constexpr double kMaxSeconds = 10;
constexpr size_t kMaxTraceBytes = size_t{256} << 10;

// Offsets of the checked fields in the header of an index (view/index_file.cc).
constexpr size_t kBodyBytesAt = 56, kBodyHashAt = 64, kHeaderHashAt = 80, kHeaderBytes = 88;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void Write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

size_t Below(Random& random, size_t limit) { return limit == 0 ? 0 : random() % limit; }

void Seal(std::string& index) {
  if (index.size() < kHeaderBytes) return;
  const auto bytes = std::as_bytes(std::span(index));
  util::ContentHash hash;
  hash.Add(bytes.subspan(kHeaderBytes));
  const util::ContentHash::Value value = hash.Finish();
  const uint64_t size = index.size() - kHeaderBytes;
  std::memcpy(&index[kBodyBytesAt], &size, sizeof size);
  std::memcpy(&index[kBodyHashAt], &value, sizeof value);
  const uint64_t header = util::ContentHash::Of(bytes.first(kHeaderHashAt));
  std::memcpy(&index[kHeaderHashAt], &header, sizeof header);
}

void Mutate(Random& random, std::string& index) {
  constexpr std::array<uint64_t, 12> kNumbers = {0,
                                                 1,
                                                 2,
                                                 0x7f,
                                                 0x80,
                                                 0xff,
                                                 0xffff,
                                                 0x7fffffff,
                                                 0xffffffff,
                                                 0x7fffffffffffffff,
                                                 uint64_t{1} << 63,
                                                 UINT64_MAX};
  const size_t from = random() % 8 == 0 ? 0 : kHeaderBytes;
  const size_t count = 1 + Below(random, 3);
  for (size_t i = 0; i < count && index.size() > from; ++i) {
    const size_t at = from + Below(random, index.size() - from);
    const size_t left = index.size() - at;
    const auto place = static_cast<ptrdiff_t>(at);
    switch (random() % 7) {
      case 0:
        index[at] ^= static_cast<char>(1U << (random() % 8));
        break;
      case 1:
        index[at] = static_cast<char>(random());
        break;
      case 2:
      case 3: {
        const uint64_t number = kNumbers[random() % kNumbers.size()] + random() % 3 - 1;
        std::memcpy(&index[at], &number, std::min<size_t>(left, size_t{1} << (random() % 4)));
        break;
      }
      case 4: {  // a piece of it elsewhere
        const size_t size = std::min(left, 1 + Below(random, 64));
        std::memmove(&index[at], &index[from + Below(random, index.size() - from - size + 1)],
                     size);
        break;
      }
      case 5:
        index.insert(at, 1 + Below(random, 32), static_cast<char>(random()));
        break;
      default:
        index.erase(
            place + index.begin(),
            place + index.begin() + static_cast<ptrdiff_t>(std::min(left, 1 + Below(random, 32))));
    }
  }
  if (random() % 16 == 0) index.resize(Below(random, index.size()));
  if (random() % 8 != 0) Seal(index);
}

// The requests of the page. Returns the bytes of all answers.
size_t AskAll(view::IndexedTrace& trace, Random& random) {
  const view::Answers answers(trace);
  size_t bytes = answers.Status().size() + answers.Lanes().size();
  const auto ask = [&](const std::string& text) { return view::QueryString(text); };
  std::string lanes;
  for (const char kind : {'c', 's', 'd', 'i', 'a', 'k', 'g', 'l'}) {
    for (int number = 0; number < 12; ++number) {
      const std::string lane = kind + std::to_string(number);
      lanes += lane + ",";
      for (const int64_t time :
           {int64_t{0}, static_cast<int64_t>(random() % 10'000'000), INT64_MAX, INT64_MIN}) {
        bytes +=
            answers
                .At(ask("lane=" + lane + "&until=" + std::to_string(time / 2 + 1000) +
                        "&depth=" + std::to_string(random() % 3) + "&time=" + std::to_string(time)))
                .size();
      }
    }
  }
  for (const char* range : {"from=0&to=10000000&pixel=1", "from=0&to=5000000000&pixel=1000000",
                            "from=-9223372036854775808&to=9223372036854775807&pixel=1"}) {
    bytes += answers.Tile(ask(std::string(range) + "&lanes=" + lanes)).size();
  }
  for (const char* range :
       {"from=0&to=10000000", "from=-9223372036854775808&to=9223372036854775807"}) {
    bytes += answers.Busy(ask(range)).size();
  }
  return bytes + answers.Find(ask("text=a&from=0")).size() +
         answers.Labels(ask("ids=0,1,2,3,4000000000")).size();
}

}  // namespace

int main(int count, char** words) {
  size_t wanted = 5000;
  uint64_t seed = 1;
  std::vector<std::string> paths;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if ((word == "--count" || word == "--seed") && i + 1 < count) {
      (word == "--count" ? wanted : seed) = std::strtoull(words[++i], nullptr, 10);
    } else {
      paths.emplace_back(word);
    }
  }
  Random random(seed);
  std::string folder = (fs::temp_directory_path() / "index_mutations.XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  struct Original {
    std::string trace;
    std::string index;
  };
  std::vector<Original> originals;
  if (paths.empty()) {
    paths.push_back(folder + "/made");
    Write(paths.back(), view::testing::IndexTrace(200, 40));
  }
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::file_size(path, error) > kMaxTraceBytes || error) continue;
    const std::string copy = folder + "/" + std::to_string(originals.size());
    fs::copy_file(path, copy, fs::copy_options::overwrite_existing);
    {
      auto trace = view::IndexedTrace::Open(copy, {}, true);
      if (!trace) continue;
      (*trace)->Wait();
    }
    std::string index = ReadAll(view::IndexFile::PathOf(copy));
    if (index.size() > kHeaderBytes) originals.push_back({copy, std::move(index)});
  }
  size_t taken = 0, failures = 0, bytes = 0;
  double longest = 0;
  for (size_t done = 0; done < wanted && !originals.empty(); ++done) {
    const Original& original = originals[Below(random, originals.size())];
    std::string index = original.index;
    Mutate(random, index);
    Write(view::IndexFile::PathOf(original.trace), index);
    const std::clock_t begin = std::clock();
    const auto file = view::IndexFile::Open(original.trace, {});
    const bool is_taken = file && (*file)->Load();
    taken += is_taken ? 1 : 0;
    // A refused index is rebuilt, which is slow.
    if (is_taken || done % 16 == 0) {
      auto trace = view::IndexedTrace::Open(original.trace, {}, true);
      if (!trace) std::abort();
      (*trace)->Wait();
      bytes += AskAll(**trace, random);
    }
    // Of the CPU: other programs may run.
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    longest = std::max(longest, seconds);
    if (seconds > kMaxSeconds) {
      std::fprintf(stderr, "mutation %zu of %s: %.1f s\n", done, original.trace.c_str(), seconds);
      ++failures;
    }
  }
  fs::remove_all(folder);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "%zu indexes of %zu traces: %zu taken; %zu MB of answers; longest %.2f s; memory %ld MB\n",
      wanted, originals.size(), taken, bytes >> 20, longest, usage.ru_maxrss / 1024);
  if (originals.empty()) std::fprintf(stderr, "no trace below 256 KiB\n");
  return failures != 0 || originals.empty() ? 1 : 0;
}
