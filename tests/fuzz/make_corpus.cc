// SPDX-License-Identifier: BSD-2-Clause
// Writes the fuzzers' seed corpora: the vectors, random valid traces, and a small recording, each
// for every mode of the fuzzer.
//   make_corpus FOLDER PARTICIPANTS
// PARTICIPANTS gets those of participant_fuzzer.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fxt/encoder.h"
#include "fxt/record_buffer.h"
#include "measure/store/summary_file.h"
#include "symbols/elf_file.h"
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
constexpr unsigned kFrames = 23 << 2;

bool Write(const fs::path& folder, const std::string& name, unsigned mode,
           std::span<const std::byte> bytes) {
  std::ofstream file(folder / (name + "-" + std::to_string(mode)), std::ios::binary);
  file.put(static_cast<char>(mode));
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<long>(bytes.size()));
  return file.good();
}

// Calls on the control socket, HTTP requests, and changes of a provider's memory.
bool WriteParticipants(const fs::path& folder) {
  fs::create_directories(folder);
  const std::string method = "{\"method\":\"fuchsia.tracing.controller.";
  bool good = true;
  int number = 0;
  for (const std::string& call :
       {method + "GetStatus\"}", method + "GetKnownCategories\"}",
        method + "GetProviders\",\"more\":true}",
        method + "InitializeTracing\",\"parameters\":{\"config\":{\"buffering_mode\":\"CIRCULAR\","
                 "\"buffer_size_megabytes_hint\":4,\"categories\":[\"sched\"],\"provider_specs\":[{"
                 "\"name\":\"a\","
                 "\"buffer_size_megabytes_hint\":1}]}}}",
        method + "StartTracing\",\"parameters\":{\"options\":{\"buffer_disposition\":\"RETAIN\"}}}",
        method + "StopTracing\",\"parameters\":{\"options\":{\"write_results\":false}}}",
        method + "TakeSnapshot\",\"parameters\":{\"output\":{\"descriptor\":0},\"last_"
                 "nanoseconds\":1000}}",
        method + "TerminateTracing\",\"oneway\":true}", method + "WatchAlert\"}",
        method + "WatchSessionState\",\"more\":true}",
        method + "RegisterProvider\",\"parameters\":{\"name\":\"app\",\"pid\":1,\"categories\":["
                 "\"a\"]}}",
        method +
            "SendMark\",\"parameters\":{\"kind\":\"BEGIN\",\"name\":\"n\",\"category\":\"c\"}}",
        method + "SendAlert\",\"parameters\":{\"alert_name\":\"a\"}}",
        std::string("{\"method\":\"org.varlink.service.GetInterfaceDescription\",\"parameters\":"
                    "{\"interface\":\"fuchsia.tracing.controller\"}}")}) {
    const std::string twice = call + '\0' + call + '\0';
    good = Write(folder, "call" + std::to_string(++number), 0, std::as_bytes(std::span(twice))) &&
           good;
  }
  for (const char* head :
       {"GET /token/trace.fxt HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /token/trace.fxt HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://ui.example\r\n"
        "Range: bytes=5-10\r\n\r\n",
        "OPTIONS /token/trace.fxt HTTP/1.1\r\nOrigin: https://ui.example\r\n"
        "Access-Control-Request-Private-Network: true\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"}) {
    good = Write(folder, "http" + std::to_string(++number), 1,
                 std::as_bytes(std::span(std::string_view(head)))) &&
           good;
  }
  // Changes of the header, of a block's state, of a string, and of records, then a reading each.
  for (uint8_t part = 0; part < 4; ++part) {
    std::string changes(1, static_cast<char>(part & 1));
    for (uint8_t place = 0; place < 64; place += 8) {
      const uint8_t change[] = {part, place, 0, 8, 0xff, 0, 0, 1, 0, 0, 0, 0, 4, 0xff, 0xff, 0};
      changes.append(reinterpret_cast<const char*>(change), sizeof(change));
    }
    good =
        Write(folder, "memory" + std::to_string(++number), 2, std::as_bytes(std::span(changes))) &&
        good;
  }
  return good;
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
  if (argc != 3) {
    std::fprintf(stderr, "usage: make_corpus FOLDER PARTICIPANTS\n");
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
  // The begin of this program's call frame information.
  if (const auto program = symbols::ElfFile::Open("/proc/self/exe"); program.ok()) {
    const std::vector<std::byte> frames = program->ReadSection(".eh_frame");
    good = Write(folder, "frames", kFrames,
                 std::span(frames).first(std::min<size_t>(frames.size(), 8192))) &&
           good;
  }
  good = WriteParticipants(argv[2]) && good;
  if (!good) std::fprintf(stderr, "make_corpus: cannot write %s or %s\n", argv[1], argv[2]);
  return good ? 0 : 1;
}
