// SPDX-License-Identifier: BSD-2-Clause
#include "unit/import/trace_event/imported.h"

#include <gtest/gtest.h>

#include "analyze/check/checker.h"
#include "analyze/show/trace_event_writer.h"
#include "fxt/archive_writer.h"
#include "text/text_writer.h"
#include "unit/support/json.h"

namespace importer::testing {

void Import(std::string_view text, Imported& imported, bool ftrace, size_t memory) {
  fxt::MemorySource source(std::as_bytes(std::span(text)));
  TraceEventImporter importer(memory);
  const util::Status read = ftrace ? importer.ReadFtrace(source) : importer.Read(source);
  if (!read) {
    imported.error = read.error().message;
    return;
  }
  fxt::ArchiveWriter archive(imported.sink);
  const util::Status written = importer.Write(archive);
  EXPECT_TRUE(written) << written.error().message;
  EXPECT_TRUE(archive.Flush());
  imported.stats = importer.stats();
}

void ExpectSound(const Imported& imported) {
  fxt::MemorySource source(imported.sink.bytes());
  const analyze::CheckResult result = analyze::CheckTrace(
      source, {}, [](const analyze::Finding& f) { ADD_FAILURE() << f.rule << ": " << f.message; });
  EXPECT_EQ(result.unreadable, "");
}

nlohmann::json BackToJson(const Imported& imported) {
  fxt::MemorySource source(imported.sink.bytes());
  fxt::Reader reader(source);
  text::TextWriter out;
  analyze::TraceEventWriter writer(out, {});
  while (reader.Next() == fxt::ReadStatus::kRecord) EXPECT_TRUE(writer.Add(reader));
  EXPECT_TRUE(writer.Finish());
  return testing_support::ParseJson(out.text());
}

}  // namespace importer::testing
