// SPDX-License-Identifier: BSD-2-Clause
// Writes the fuzzer's seed corpus: the vectors, random valid traces, and a small recording, each
// for every mode of the fuzzer.
//   make_corpus FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "measure/store/summary_file.h"
#include "unit/analyze/flame/stack_trace.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/support/collecting_sink.h"
#include "unit/fxt/support/random_records.h"
#include "unit/fxt/support/vectors.h"
#include "unit/import/trace_event/example_json.h"
#include "unit/measure/random_capture.h"

namespace {

namespace fs = std::filesystem;

constexpr unsigned kModes = 128;
constexpr unsigned kSummaryPayload = 10 << 2;
constexpr unsigned kSummaryFile = 11 << 2;
constexpr unsigned kPerfMap = 13 << 2;
constexpr unsigned kElf = 14 << 2;
constexpr unsigned kJson = 16 << 2;
constexpr unsigned kFtrace = 17 << 2;

bool Write(const fs::path& folder, const std::string& name, unsigned mode,
           std::span<const std::byte> bytes) {
  std::ofstream file(folder / (name + "-" + std::to_string(mode)), std::ios::binary);
  file.put(static_cast<char>(mode));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  return file.good();
}

bool WriteAll(const fs::path& folder, const std::string& name, std::span<const uint64_t> words,
              unsigned step) {
  bool good = true;
  for (unsigned mode = 0; mode < kModes; mode += step) {
    good = Write(folder, name, mode, std::as_bytes(words)) && good;
  }
  return good;
}

// The rows of the vectors as one trace; each argument row becomes an event.
std::vector<uint64_t> AllVectors() {
  std::vector<uint64_t> words = {fxt::kMagicRecord};
  for (const fxt::testing::Vector& vector : fxt::testing::LoadVectors()) {
    if (vector.id == "X1" || vector.id == "M1") continue;
    if (vector.id[0] == 'A') {
      words.push_back(0x1234777701100004 | (2 + vector.words.size()) << 4);
      words.push_back(1);
    }
    words.insert(words.end(), vector.words.begin(), vector.words.end());
  }
  return words;
}

std::vector<uint64_t> RandomTrace(uint64_t seed) {
  fxt::testing::RandomRecords random(seed);
  fxt::testing::CollectingSink sink;
  fxt::RecordBuffer buffer(sink);
  fxt::Encoder encoder(buffer);
  (void)(encoder.Write(fxt::MagicNumber{}) == fxt::EncodeStatus::kOk);
  for (int i = 0; i < 20; ++i) {
    (void)(encoder.Write(random.Next()) == fxt::EncodeStatus::kOk);
  }
  buffer.Flush();
  return sink.words;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_corpus FOLDER\n");
    return 2;
  }
  const fs::path folder = argv[1];
  std::error_code error;
  fs::create_directories(folder, error);
  bool good = !error;
  const std::vector<uint64_t> vectors = AllVectors();
  if (vectors.size() == 1) std::fprintf(stderr, "make_corpus: no vectors.tsv found\n");
  good = WriteAll(folder, "vectors", vectors, 1) && good;
  for (const fxt::testing::Vector& vector : fxt::testing::LoadVectors()) {
    std::vector<uint64_t> words = {fxt::kMagicRecord};
    words.insert(words.end(), vector.words.begin(), vector.words.end());
    good = WriteAll(folder, vector.id, words, 9) && good;
  }
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    good = WriteAll(folder, "random" + std::to_string(seed), RandomTrace(seed), 5) && good;
  }
  auto recording = analyze::testing::RecordingParts::Sound();
  for (unsigned mode = 0; mode < kModes; ++mode) {
    good = Write(folder, "recording", mode, recording.Bytes()) && good;
  }
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto capture = measure::testing::RandomCapture(seed);
    const std::string name = "summary" + std::to_string(seed);
    const std::string payload = measure::EncodeSummaryPayload(capture);
    good = Write(folder, name, kSummaryPayload, std::as_bytes(std::span(payload))) && good;
    const std::string file = measure::EncodeSummary(capture);
    good = Write(folder, name, kSummaryFile, std::as_bytes(std::span(file))) && good;
  }
  analyze::testing::StackTrace stacks;
  const std::vector<uint64_t> sleeper = {analyze::testing::StackTrace::kKernel, 0x1000, 0x2000};
  const std::vector<uint64_t> waker = {0x3000};
  stacks.Define(sleeper).Define(waker).Stack("on", 100, sleeper).Stack("wake", 100, waker, 7, 101);
  stacks.Stack("off", 101, sleeper, 9000);
  good = WriteAll(folder, "stacks", stacks.words(), 1) && good;
  const std::string map = "1000 20 a function\n0x1010 20 _RINvNtC3std3mem8align_ofjdE\n";
  good = Write(folder, "map", kPerfMap, std::as_bytes(std::span(map))) && good;
  const std::string name = "INvNtC3std3mem8align_ofTjB0_EE";
  good = Write(folder, "rust", kPerfMap, std::as_bytes(std::span(name))) && good;
  // The start of this program's ELF file, with sections beyond its end.
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string elf(16384, '\0');
  self.read(elf.data(), static_cast<long>(elf.size()));
  good = Write(folder, "elf", kElf, std::as_bytes(std::span(elf))) && good;
  const std::string json = importer::testing::EveryPhase();
  good = Write(folder, "json", kJson, std::as_bytes(std::span(json))) && good;
  const std::string ftrace = importer::testing::FtraceText();
  good = Write(folder, "ftrace", kFtrace, std::as_bytes(std::span(ftrace))) && good;
  if (!good) std::fprintf(stderr, "make_corpus: cannot write %s\n", argv[1]);
  return good ? 0 : 1;
}
