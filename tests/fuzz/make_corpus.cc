// SPDX-License-Identifier: BSD-2-Clause
// Writes the fuzzer's seed corpus into a folder: the vectors, random valid traces, and a small
// recording, each for every mode of the fuzzer.
//
//   make_corpus FOLDER
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "measure/store/summary_file.h"
#include "unit/analyze/recording_parts.h"
#include "unit/fxt/collecting_sink.h"
#include "unit/fxt/random_records.h"
#include "unit/fxt/vectors.h"
#include "unit/import/trace_event/example_json.h"
#include "unit/measure/random_capture.h"

namespace {

namespace fs = std::filesystem;

constexpr unsigned kModes = 64;
constexpr unsigned kSummaryPayload = 10 << 2;
constexpr unsigned kSummaryFile = 11 << 2;
constexpr unsigned kJson = 12 << 2;
constexpr unsigned kFtrace = 13 << 2;

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

// The rows of the vectors as one trace; arguments stand in an event each.
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
  const std::string json = importer::testing::EveryPhase();
  good = Write(folder, "json", kJson, std::as_bytes(std::span(json))) && good;
  const std::string ftrace = importer::testing::FtraceText();
  good = Write(folder, "ftrace", kFtrace, std::as_bytes(std::span(ftrace))) && good;
  if (!good) std::fprintf(stderr, "make_corpus: cannot write %s\n", argv[1]);
  return good ? 0 : 1;
}
