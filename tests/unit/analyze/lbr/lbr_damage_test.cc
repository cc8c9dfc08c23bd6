// SPDX-License-Identifier: BSD-2-Clause
// Traces of genuine recordings, damaged, in the reports: nothing may crash, hang or grow.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <random>

#include "analyze/document/render.h"
#include "analyze/lbr/lbr_document.h"
#include "analyze/lbr/lbr_filter.h"
#include "analyze/lbr/lbr_raw.h"
#include "analyze/lbr/lbr_report.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "import/perf_importer.h"
#include "sink/memory_sink.h"
#include "unit/perf/recordings.h"
#include "unit/support/is_json.h"

namespace analyze {
namespace {

// FXT_DAMAGE_ROUNDS asks for more than a quick run.
size_t Rounds(size_t quick) {
  const char* rounds_text = std::getenv("FXT_DAMAGE_ROUNDS");
  return rounds_text != nullptr ? std::strtoull(rounds_text, nullptr, 10) : quick;
}

std::vector<std::byte> Import(const std::filesystem::path& path) {
  auto source = perf::OpenFile(path);
  EXPECT_TRUE(source.ok());
  auto input = perf::FileReader::Open(std::move(*source));
  EXPECT_TRUE(input.ok());
  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter provider(archive, "perf.data");
  importer::PerfImporter importer(*input, provider);
  EXPECT_TRUE(importer.Run());
  EXPECT_TRUE(archive.Flush());
  return {sink.bytes().begin(), sink.bytes().end()};
}

// Both ways of reading; what they say.
size_t ReadTrace(std::span<const std::byte> bytes) {
  LbrSymbolOptions no_symbols;
  no_symbols.enabled = false;
  LbrSelection selection;
  selection.threads.Add("*");
  LbrReport report(no_symbols);
  {
    fxt::MemorySource source(bytes);
    fxt::Reader reader(source);
    LbrFilter filter(selection, report);
    VisitLbr(reader, filter);
  }
  // A stack has at most what a perf sample holds, and a record of a trace says so in bytes.
  EXPECT_LE(report.totals().branches * 16, bytes.size());
  const std::string text = document::RenderText(LbrDocument("x", report, {}));
  EXPECT_TRUE(testing_support::IsJson(document::RenderJson(LbrDocument("x", report, {}))));
  text::TextWriter out;
  LbrRawWriter raw(out, LbrRawForm::kText, no_symbols);
  {
    fxt::MemorySource source(bytes);
    fxt::Reader reader(source);
    VisitLbr(reader, raw);
  }
  return text.size() + out.text().size();
}

TEST(LbrDamageTest, DamagedTracesAreSurvived) {
  RECORDINGS_FOLDER_OR_SKIP(folder);
  std::mt19937_64 random(20240304);
  for (const auto& recording : perf::testing::Recordings()) {
    std::vector<std::byte> trace = Import(perf::testing::RecordingPath(folder, recording));
    const size_t intact = ReadTrace(trace);
    EXPECT_GT(intact, recording.entries * 10);
    const size_t rounds = Rounds(trace.size() < 200000 ? 300 : 4);
    for (size_t i = 0; i < rounds; ++i) {
      const size_t place = random() % trace.size();
      const std::byte bit{static_cast<unsigned char>(1u << random() % 8)};
      trace[place] ^= bit;
      ReadTrace(trace);
      trace[place] ^= bit;
      ReadTrace(std::span(trace).first(random() % trace.size()));
    }
    EXPECT_EQ(ReadTrace(trace), intact);
  }
}

}  // namespace
}  // namespace analyze
