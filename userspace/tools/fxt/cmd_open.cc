// SPDX-License-Identifier: BSD-2-Clause
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>

#include "analyze/flame/flame_text.h"
#include "facts/read_loop.h"
#include "output/owner_rules.h"
#include "output/unnamed_file.h"
#include "serve/one_download.h"
#include "serve/origin.h"
#include "sink/file_sink.h"
#include "sink/output.h"
#include "source/input.h"
#include "text/clean_text.h"
#include "text/text_writer.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/perfetto_trace.h"
#include "tools/fxt/support/flame_input.h"
#include "tools/fxt/support/local_page.h"
#include "util/percent_encoding.h"
#include "util/quantity.h"

namespace tools {
namespace {

struct OpenOptions {
  std::string file;
  std::string viewer = "perfetto";
  std::string viewer_url;
  std::string of = "off";
  bool has_of = false;
  std::string timeout = "10m";
  uint64_t port = 9001;
  bool print = false;
  bool as_is = false;
};

struct Viewer {
  const char* name;
  const char* url;
  // Builds the address of the browser from those of the viewer and of the file, and the file's
  // name.
  std::string (*page)(const std::string& viewer, const std::string& file, const std::string& name);
};

constexpr Viewer kViewers[] = {
    {"perfetto", "https://ui.perfetto.dev",
     [](const std::string& viewer, const std::string& file, const std::string&) {
       return fmt::format("{}/#!/?url={}", viewer, file);
     }},
    {"speedscope", "https://www.speedscope.app",
     [](const std::string& viewer, const std::string& file, const std::string& name) {
       return fmt::format("{}/#profileURL={}&title={}", viewer, util::PercentEncoded(file),
                          util::PercentEncoded(name));
     }},
};

util::Result<Viewer> ViewerOf(const OpenOptions& options) {
  for (const Viewer& viewer : kViewers) {
    if (options.viewer == viewer.name) return viewer;
  }
  return util::Error{fmt::format("unknown viewer \"{}\"", options.viewer),
                     "viewers: perfetto, speedscope"};
}

util::Result<util::UniqueFd> OpenFile(const std::string& path) {
  util::UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) {
    return util::Error{
        fmt::format("cannot open {}: {}", text::CleanText(path), std::strerror(errno)), ""};
  }
  return fd;
}

// The file as it is. A wrong name fails before the server starts.
util::Result<util::UniqueFd> TraceFile(const std::string& path) {
  auto source = source::OpenInput(path);
  if (!source) return source.TakeError();
  fxt::Reader reader(**source);
  if (facts::NextRecord(reader) != fxt::ReadStatus::kRecord) {
    const std::string why = reader.error_message();
    return util::Error{fmt::format("{}: {}", text::CleanText(path), why.empty() ? "empty" : why),
                       ""};
  }
  return OpenFile(path);
}

// The file as a Perfetto trace, which has what Perfetto cannot see in FXT.
util::Result<util::UniqueFd> PerfettoFile(const OpenOptions& options) {
  auto source = source::OpenInput(options.file);
  if (!source) return source.TakeError();
  auto file = output::MakeUnnamedFile();
  if (!file) return file.TakeError();
  util::UniqueFd written_to(fcntl(file->get(), F_DUPFD_CLOEXEC, 0));
  if (!written_to) return output::UnnamedFileFailed("make");
  sink::FileSink sink(sink::Output(std::move(written_to), "a temporary file"));
  const auto written = WritePerfettoTrace({.command = "fxt open", .file = options.file},
                                          /*prints=*/false, **source, sink);
  if (auto closed = sink.Close(); !closed) {
    return util::Error{closed.error().message,
                       "set TMPDIR to a folder with room, or serve the trace --as-is"};
  }
  if (written.records == 0) {
    return util::Error{fmt::format("{}: {}", text::CleanText(options.file),
                                   written.damage.empty() ? "empty" : written.damage),
                       ""};
  }
  if (!written.damage.empty()) {
    PrintNote(kProgram, fmt::format("note: {}: {}; the viewer gets the records before it",
                                    text::CleanText(options.file), written.damage));
  }
  return std::move(*file);
}

util::Result<util::UniqueFd> ProfileFile(const OpenOptions& options) {
  const auto kind = ParseFlameKind(options.of);
  if (!kind) return kind.error();
  auto stacks = ReadStacks(options.file, *kind, {});
  if (!stacks) return stacks.TakeError();
  if (stacks->empty()) {
    return util::Error{
        fmt::format("there are no stacks for speedscope in {}", text::CleanText(options.file)),
        "fxt-record -c default,stack records them"};
  }
  auto file = output::MakeUnnamedFile();
  if (!file) return file.TakeError();
  text::TextWriter out(file->get(), "a temporary file");
  analyze::WriteSpeedscope(out, *stacks, *kind, options.file);
  if (auto written = out.Finish(); !written) return written.TakeError();
  return std::move(*file);
}

int Serve(const OpenOptions& options, serve::OneDownload& server) {
  switch (server.Run()) {
    case serve::OneDownload::End::kDownloaded:
      return kExitOk;
    case serve::OneDownload::End::kTimeout:
      return Fail({fmt::format("no viewer loaded {} within {}", text::CleanText(options.file),
                               options.timeout),
                   "--timeout waits longer"});
    case serve::OneDownload::End::kInterrupted:
      break;
  }
  // The child has the default handling of Ctrl-C.
  std::signal(SIGINT, SIG_DFL);
  std::raise(SIGINT);
  return kExitUnreadable;
}

int RunOpen(const OpenOptions& options) {
  const auto viewer = ViewerOf(options);
  if (!viewer) return Fail(viewer.error());
  const bool profile = options.viewer == "speedscope";
  if (options.has_of && !profile) {
    return Fail(
        {"--of has no effect without --viewer speedscope", "Perfetto gets all of the trace"});
  }
  if (options.as_is && profile) {
    return Fail({"--as-is has no effect with --viewer speedscope", "speedscope reads no FXT"});
  }
  const auto open_timeout = util::ParseDuration(options.timeout);
  if (!open_timeout) return Fail(open_timeout.error());
  std::string address = options.viewer_url.empty() ? viewer->url : options.viewer_url;
  const auto origin = serve::OriginOf(address);
  if (!origin) return Fail(origin.error());
  while (address.ends_with('/')) address.pop_back();
  if (options.file == "-") return Fail({"standard input cannot be shown: save it to a file", ""});

  auto file = profile         ? ProfileFile(options)
              : options.as_is ? TraceFile(options.file)
                              : PerfettoFile(options);
  if (!file) return Fail(file.error());
  const auto secret = SecretName();
  if (!secret) return Fail(secret.error());
  const char* suffix = profile ? ".speedscope.json" : options.as_is ? "" : ".pftrace";
  const std::string name = serve::UrlNameOf(options.file) + suffix;
  serve::DownloadOptions download{.port = static_cast<uint16_t>(options.port),
                                  .path = fmt::format("/{}/{}", *secret, name),
                                  .origin = *origin,
                                  .users = {0, getuid()},
                                  .open_timeout = std::chrono::nanoseconds(*open_timeout)};
  if (profile) download.content_type = "application/json";
  if (const auto caller = output::UserBehindSudo()) download.users.push_back(caller->uid);
  auto server = serve::OneDownload::Listen(download, std::move(*file));
  if (!server) return Fail(server.error());

  const std::string page = viewer->page(address, (*server)->url(), name);
  if (auto announced = PrintPage(page, (*server)->port(), options.print); !announced)
    return Fail(announced.error());
  if (!options.print) ShowPage(page);
  PrintNote(kProgram, fmt::format("waiting until the viewer has loaded {} (Ctrl-C stops)",
                                  text::CleanText(options.file)));
  return Serve(options, **server);
}

}  // namespace

void AddOpen(const Command& program, int& exit_code) {
  auto options = std::make_shared<OpenOptions>();
  const Command command = program.AddSubcommand(
      "open", "Show a trace in the browser: in Perfetto's viewer, or speedscope");
  command.Add("FILE", options->file, "A trace").Required();
  command.Add("--viewer", options->viewer, "perfetto, or speedscope for recorded stacks")
      .Type("NAME")
      .ShowDefault();
  command.Add(
      "--print", options->print,
      "Start no browser; print the address, and the command for the machine with a browser");
  command.Add("--as-is", options->as_is,
              "Serve the file itself to Perfetto, not the output of fxt export --format perfetto");
  command.Add("--of", options->of, "The stacks for speedscope: off, on or wake (see fxt flame)")
      .Type("KIND")
      .ShowDefault();
  command.Add("--timeout", options->timeout, "How long to wait for the viewer")
      .Type("TIME")
      .ShowDefault();
  command
      .Add("--port", options->port,
           "Port of 127.0.0.1; 0 is any. Perfetto's page may use only 9001")
      .Type("N")
      .Range(0, 65535)
      .ShowDefault();
  command
      .Add("--viewer-url", options->viewer_url,
           "Address of another instance of the viewer; only its pages may load the file")
      .Type("URL");
  command.Footer(
      "Perfetto gets a Perfetto trace, with thread states, wakers, stacks, logs and command lines\n"
      "that its FXT importer does not read.\n"
      "\n"
      "Only the viewer's page in a browser of this machine can load the file. It is served once,\n"
      "on 127.0.0.1, under a random name, to programs of this user, for pages of the viewer.\n"
      "\n"
      "Examples:\n"
      "  fxt open trace.fxt\n"
      "  fxt open --print trace.fxt                 on a server, with a browser elsewhere\n"
      "  fxt open --viewer speedscope --of on trace.fxt");
  command.OnRun([options, command, &exit_code] {
    options->has_of = command.Has("--of");
    exit_code = RunOpen(*options);
  });
}

}  // namespace tools
