// SPDX-License-Identifier: BSD-2-Clause
#include "view/handler.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "text/json_writer.h"
#include "view/tool_run.h"
#include "web/assets.h"

namespace view {
namespace {

using serve::PageRequest;
using serve::PageResponse;

constexpr size_t kMaxRows = 1000;
constexpr size_t kMaxSqlBytes = size_t{4} << 20;
constexpr const char* kJson = "application/json";
// The policy for pages of other commands, which contain their scripts. The sandbox keeps these from
// requests to this server.
constexpr const char* kReportPolicy =
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

PageResponse Json(std::string body) { return {.content_type = kJson, .body = std::move(body)}; }
PageResponse Refused(unsigned status, std::string why) {
  return {.status = status, .body = std::move(why)};
}

PageResponse Csv(const ToolOutput& output) {
  fmt::memory_buffer out;
  text::JsonWriter json(out);
  std::string_view text = output.text;
  // Drops the last line, which may be cut. Cells with line breaks may still be cut, so the page
  // reads whole rows only.
  if (output.is_cut) text = text.substr(0, text.rfind('\n') + 1);
  json.BeginObject().Bool("cut", output.is_cut).String("csv", text).EndObject();
  return Json({out.data(), out.size()});
}

// The options --from and --to for other commands; empty if "from" or "to" is missing.
std::optional<std::vector<std::string>> WindowOf(const Answers& answers, const QueryString& query) {
  const auto from = query.Get<int64_t>("from");
  const auto to = query.Get<int64_t>("to");
  if (!from || !to || *from >= *to) return std::nullopt;
  return std::vector<std::string>{"--from", fmt::format("@{}", answers.Absolute(*from)), "--to",
                                  fmt::format("@{}", answers.Absolute(*to))};
}

}  // namespace

IndexedTrace& Handler::TraceOf(const QueryString& query) const {
  const bool is_other = query.Get<int>("trace").value_or(0) == 1 && traces_[1] != nullptr;
  return *traces_[is_other ? 1 : 0];
}

std::string Handler::Status() const {
  std::string all = "[" + Answers(*traces_[0]).Status();
  if (traces_[1] != nullptr) all += "," + Answers(*traces_[1]).Status();
  return all + "]";
}

void Handler::Answer(const PageRequest& request, serve::PageServer::Respond respond) {
  if (const auto* file = web::FindAsset(request.path.empty() ? "index.html" : request.path)) {
    return respond({.content_type = file->content_type(), .body = std::string(file->content)});
  }
  const QueryString query(request.query);
  const Answers answers(TraceOf(query));
  if (request.path == "tile") {
    return respond({.content_type = "application/octet-stream", .body = answers.Tile(query)});
  }
  if (request.path == "lanes") return respond(Json(answers.Lanes()));
  if (request.path == "labels") return respond(Json(answers.Labels(query)));
  if (request.path == "busy") return respond(Json(answers.Busy(query)));
  if (request.path == "at") return respond(Json(answers.At(query)));
  if (request.path == "status") return respond(Json(Status()));
  RunSlow(request, std::move(respond));
}

void Handler::RunSlow(const PageRequest& request, serve::PageServer::Respond respond) {
  PageResponse (Handler::*answer)(const PageRequest&) = nullptr;
  const QueryString query(request.query);
  if (request.path == "find") {
    answer = nullptr;
  } else if (request.path == "sql" && request.is_post) {
    answer = &Handler::Sql;
  } else if (request.path == "report" || request.path == "flame") {
    answer = &Handler::Report;
  } else if (request.path == "stack") {
    answer = &Handler::Stack;
  } else if (request.path == "path") {
    answer = &Handler::Path;
  } else if (request.path == "row") {
    answer = &Handler::Row;
  } else {
    return respond(Refused(404, "not found"));
  }
  const bool is_taken = jobs_.Add([this, request, respond, answer] {
    if (answer == nullptr) {
      const QueryString words(request.query);
      return respond(Json(Answers(TraceOf(words)).Find(words)));
    }
    respond((this->*answer)(request));
  });
  if (!is_taken) respond(Refused(503, "too many requests are pending"));
}

std::vector<std::string> Handler::QueryWords(const std::string& path,
                                             const std::string& statement) const {
  std::vector<std::string> words = {"query", "--csv"};
  if (keeps_columns_) words.emplace_back("--cache");
  words.insert(words.end(), {"--", path, statement});
  return words;
}

serve::PageResponse Handler::Sql(const PageRequest& request) {
  const QueryString query(request.query);
  if (request.body.find('\0') != std::string::npos)
    return Refused(400, "the statement contains a NUL");
  const auto output =
      RunTool(QueryWords(TraceOf(query).path(), request.body),
              {.max_bytes = kMaxSqlBytes, .max_lines = kMaxRows + 1}, jobs_.stops());
  if (!output) return Refused(400, output.error().message);
  return Csv(*output);
}

serve::PageResponse Handler::Report(const PageRequest& request) {
  const QueryString query(request.query);
  const Answers answers(TraceOf(query));
  auto window = WindowOf(answers, query);
  if (!window) return Refused(400, "from and to are missing");
  std::vector<std::string> words = {"report", "--html", "-"};
  if (request.path == "flame") {
    const std::string of = query.Text("of");
    words = {"flame", "-o", "-", "--of", of == "on" || of == "wake" ? of : "off"};
  }
  words.insert(words.end(), window->begin(), window->end());
  words.insert(words.end(), {"--", answers.path()});
  const auto output = RunTool(std::move(words), {}, jobs_.stops());
  if (!output) return Refused(400, output.error().message);
  if (output->is_cut) return Refused(400, "the page is larger than 16 MB: choose a shorter time");
  return {
      .content_type = "text/html; charset=utf-8", .body = output->text, .policy = kReportPolicy};
}

serve::PageResponse Handler::Stack(const PageRequest& request) {
  const QueryString query(request.query);
  const Answers answers(TraceOf(query));
  auto window = WindowOf(answers, query);
  const auto koid = query.Get<uint64_t>("koid");
  if (!window || !koid) return Refused(400, "from, to or koid is missing");
  const bool is_on = query.Text("of") == "on";
  std::vector<std::string> words = {"flame",
                                    "-o",
                                    "-",
                                    "--format",
                                    "folded",
                                    "--of",
                                    is_on ? "on" : "off",
                                    "--thread",
                                    fmt::to_string(*koid)};
  words.insert(words.end(), window->begin(), window->end());
  words.insert(words.end(), {"--", answers.path()});
  const auto output = RunTool(std::move(words), {.max_bytes = size_t{1} << 20}, jobs_.stops());
  // The body is empty on an error, because most traces have no stacks.
  return {.body = output ? output->text : std::string()};
}

serve::PageResponse Handler::Path(const PageRequest& request) {
  const QueryString query(request.query);
  const Answers answers(TraceOf(query));
  auto window = WindowOf(answers, query);
  const auto koid = query.Get<uint64_t>("koid");
  if (!window || !koid) return Refused(400, "from, to or koid is missing");
  std::vector<std::string> words = {"path", "--json", "--thread", fmt::to_string(*koid)};
  words.insert(words.end(), window->begin(), window->end());
  words.insert(words.end(), {"--", answers.path()});
  const auto output = RunTool(std::move(words), {}, jobs_.stops());
  if (!output) return Refused(400, output.error().message);
  if (output->is_cut) return Refused(400, "the path has too many parts: choose a shorter time");
  return Json(output->text);
}

serve::PageResponse Handler::Row(const PageRequest& request) {
  const QueryString query(request.query);
  const Answers answers(TraceOf(query));
  const auto koid = query.Get<uint64_t>("koid");
  const auto time = query.Get<int64_t>("time");
  if (!koid || !time) return Refused(400, "koid or time is missing");
  const bool is_run = query.Text("table") == "slices";
  const std::string statement = fmt::format("SELECT * FROM {} WHERE ts = {} AND koid = {} LIMIT 1",
                                            is_run ? "slices" : "waits", answers.Absolute(*time),
                                            static_cast<int64_t>(*koid));
  const auto output = RunTool(QueryWords(answers.path(), statement), {}, jobs_.stops());
  if (!output) return Refused(400, output.error().message);
  return Csv(*output);
}

}  // namespace view
