// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/fleet_export.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <span>
#include <utility>

#include "export/clickhouse/database.h"
#include "export/clickhouse/fleet_load.h"
#include "export/clickhouse/fleet_schema.h"
#include "export/clickhouse/server_url.h"
#include "export/export_trace.h"
#include "measure/store/load.h"
#include "measure/store/summary_file.h"
#include "source/input.h"
#include "tables/rows/text_pool.h"
#include "tools/common/message.h"
#include "tools/fxt/support/failure.h"
#include "tools/fxt/support/progress.h"
#include "tools/fxt/support/read_loop.h"

namespace tools {
namespace {

using exporting::ClickHouse;
using exporting::FleetLoad;

struct Chosen {
  std::vector<tables::Table> traced;
  bool totals = false;
  bool histograms = false;
  std::vector<std::string> names;
};

util::Result<Chosen> Choose(const FleetOptions& options) {
  Chosen chosen;
  const auto wants = [&](std::string_view name) {
    return options.tables.empty() ||
           std::find(options.tables.begin(), options.tables.end(), name) != options.tables.end();
  };
  std::string known;
  for (const exporting::FleetTable& table : exporting::AllFleetTables()) {
    known += fmt::format(" {}", table.name);
    if (!wants(table.name)) continue;
    chosen.names.emplace_back(table.name);
    if (const auto traced = tables::TableNamed(table.name)) chosen.traced.push_back(*traced);
  }
  for (const std::string& name : options.tables) {
    if (std::find(chosen.names.begin(), chosen.names.end(), name) == chosen.names.end()) {
      return util::Error{fmt::format("there is no table \"{}\"", name), "tables:" + known};
    }
  }
  chosen.totals = wants(exporting::TotalsTable().name);
  chosen.histograms = wants(exporting::HistogramsTable().name);
  if (chosen.totals != chosen.histograms) {
    return util::Error{"the tables totals and histograms come together",
                       "--table totals,histograms"};
  }
  const std::string_view parts = exporting::RequestPartsTable().name;
  if (!chosen.totals && wants(parts)) {
    return util::Error{"the table request_parts comes with totals and histograms",
                       "--table totals,histograms"};
  }
  if (chosen.totals && !wants(parts)) chosen.names.emplace_back(parts);
  return chosen;
}

// FNV-1a over the properties that identify a capture: the same summary has the same id under any
// name.
int64_t IdOfSummary(const measure::Capture& measured) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  };
  add(measured.host);
  add(fmt::format("\n{} {} {} {}", measured.begin, measured.end, measured.start_time.value_or(0),
                  measured.groups.size()));
  return static_cast<int64_t>(hash >> 1);
}

struct FileResult {
  uint64_t rows = 0;
  uint64_t bytes = 0;
  uint64_t resumed = 0;
};

// One capture of a file. `damage` is set if only a part of the file could be read.
class OneCapture {
 public:
  OneCapture(const FleetOptions& options, const Chosen& chosen, const std::string& file)
      : options_(options), chosen_(chosen), file_(file) {}

  // Reports errors of the file before the first request to the server.
  util::Status Measure() {
    struct stat status = {};
    if (file_ == "-") return util::Error{"--clickhouse takes files: each is read twice", ""};
    if (stat(file_.c_str(), &status) == 0) bytes_ = static_cast<uint64_t>(status.st_size);
    std::unique_ptr<Progress> progress;
    measure::LoadOptions load;
    load.collector.with_requests = true;
    load.progress = [&](uint64_t done, const fxt::ByteSource& source) {
      if (!progress) progress = std::make_unique<Progress>("fxt export: " + file_, source);
      progress->Update(done);
    };
    auto measured = measure::Load(file_, load);
    if (progress) progress->Clear();
    if (!measured) return measured.TakeError();
    measured_ = std::move(*measured);
    return util::Ok();
  }

  util::Result<FileResult> Send(ClickHouse& server, tables::TextPool& texts) {
    const std::string& host = options_.host.empty() ? measured_.host : options_.host;
    if (host.empty()) {
      return util::Error{fmt::format("{}: its host is unknown", file_), "name it with --host"};
    }
    FleetLoad load(server,
                   {.host = host,
                    .label = options_.label,
                    .start_time = measured_.start_time.value_or(0),
                    .bytes = bytes_},
                   IsSummary() ? Summed() : chosen_.names);
    int64_t capture = IdOfSummary(measured_);
    if (!IsSummary()) {
      auto sent = SendRows(load, texts);
      if (!sent) return sent.TakeError();
      capture = *sent;
    }
    if (chosen_.totals) {
      if (auto status = load.WriteGroups(measured_, capture); !status) return status.TakeError();
    }
    if (auto status = load.Finish(); !status) return status.TakeError();
    return FileResult{.rows = load.rows(), .bytes = load.bytes(), .resumed = load.resumed()};
  }

 private:
  bool IsSummary() const {
    std::array<char, measure::kSummaryMagicBytes> start{};
    std::ifstream(file_, std::ios::binary).read(start.data(), start.size());
    return measure::IsSummary(std::as_bytes(std::span(start)));
  }
  static std::vector<std::string> Summed() { return {"totals", "histograms", "request_parts"}; }

  // Returns the capture's number.
  util::Result<int64_t> SendRows(FleetLoad& load, tables::TextPool& texts) {
    auto source = source::OpenInput(file_);
    if (!source) return source.TakeError();
    Progress progress("fxt export: " + file_, **source);
    exporting::TraceExport what{
        .file = file_, .tables = chosen_.traced, .on_begin = {}, .progress = {}, .on_end = {}};
    what.progress = [&](uint64_t done) { progress.Update(done); };
    what.on_end = [&](const tables::Scan& scan) {
      progress.Clear();
      WarnAboutDamage(file_, scan.faults());
    };
    auto exported = exporting::ExportTrace(what, **source, texts, load);
    if (!exported) return exported.TakeError();
    if (!exported->read_error.empty()) {
      return util::Error{fmt::format("{}: {}", file_, exported->read_error),
                         "nothing of it is shown; fxt recover may save it"};
    }
    return exported->capture;
  }

  const FleetOptions& options_;
  const Chosen& chosen_;
  const std::string& file_;
  measure::Capture measured_;
  uint64_t bytes_ = 0;
};

}  // namespace

int PrintFleetSchema(const FleetOptions& options) {
  for (const std::string& statement :
       exporting::FleetStatements(options.database, options.cluster)) {
    fmt::print("{};\n", statement);
  }
  return kExitOk;
}

int ExportToFleet(const FleetOptions& options) {
  auto url = exporting::ServerUrl::Parse(options.server);
  if (!url) return Fail(url.error());
  auto chosen = Choose(options);
  if (!chosen) return Fail(chosen.error());
  ClickHouse server(std::move(*url), options.database);
  bool made_tables = false;
  int exit_code = kExitOk;
  tables::TextPool texts;
  for (const std::string& file : options.files) {
    OneCapture capture(options, *chosen, file);
    if (auto status = capture.Measure(); !status) {
      exit_code = Fail(status.error());
      continue;
    }
    for (const std::string& statement : exporting::FleetStatements(options.database, "")) {
      if (made_tables) break;
      if (auto answer = server.Run(statement); !answer) return Fail(answer.error());
    }
    made_tables = true;
    const auto begin = std::chrono::steady_clock::now();
    auto sent = capture.Send(server, texts);
    if (!sent) return Fail(sent.error());
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto rows = static_cast<double>(sent->rows);
    PrintNote(kProgram,
              fmt::format("{}: {} rows to {} in {:.1f} s, {:.0f} rows/s, {:.0f} bytes a row{}",
                          file, sent->rows, server.Shown(), seconds, rows / std::max(seconds, 1e-9),
                          static_cast<double>(sent->bytes) / std::max(rows, 1.0),
                          sent->resumed == 0 ? ""
                                             : fmt::format("; {} blocks were there already, of an "
                                                           "attempt that was broken off",
                                                           sent->resumed)));
  }
  return exit_code;
}

}  // namespace tools
