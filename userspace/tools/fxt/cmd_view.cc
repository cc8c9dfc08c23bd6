// SPDX-License-Identifier: BSD-2-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>

#include "output/owner_rules.h"
#include "serve/page_server.h"
#include "text/clean_text.h"
#include "tools/common/message.h"
#include "tools/fxt/commands.h"
#include "tools/fxt/support/local_page.h"
#include "util/quantity.h"
#include "view/handler.h"
#include "view/indexed_trace.h"

namespace tools {
namespace {

struct ViewOptions {
  std::string file;
  std::string other;
  std::string at;
  std::string timeout = "10m";
  uint64_t port = 0;
  bool print = false;
  bool cache = false;
  bool keep_index = false;
};

// The part of the address that says what to show: of a time, or what the page's "link" has behind
// its #.
util::Result<std::string> FragmentOf(const std::string& at) {
  if (at.empty()) return std::string();
  const auto is_allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           std::string_view("=&.,:@_-~%+*").find(c) != std::string_view::npos;
  };
  if (at.find('=') != std::string::npos) {
    const size_t mark = at.find('#');
    std::string fragment = mark == std::string::npos ? at : at.substr(mark + 1);
    if (std::all_of(fragment.begin(), fragment.end(), is_allowed)) return "#" + fragment;
    return util::Error{"--at takes a time, or the address of a place from the page", ""};
  }
  if (at.starts_with('@')) {
    if (at.size() > 1 && at.size() < 21 &&
        at.find_first_not_of("0123456789", 1) == std::string::npos) {
      return "#clock=" + at.substr(1);
    }
    return util::Error{fmt::format("\"{}\" is not a time of the clock in ns", at), ""};
  }
  const auto time = util::ParseDuration(at);
  if (!time) return time.error();
  return fmt::format("#at={}", *time);
}

int Serve(serve::PageServer& server, const ViewOptions& options) {
  switch (server.Run()) {
    case serve::PageServer::End::kPagesGone:
      return kExitOk;
    case serve::PageServer::End::kTimeout:
      return Fail({fmt::format("no browser opened the page within {}", options.timeout),
                   "--timeout waits longer"});
    case serve::PageServer::End::kInterrupted:
      break;
  }
  return kExitOk;
}

int RunView(const ViewOptions& options) {
  const auto open_timeout = util::ParseDuration(options.timeout);
  if (!open_timeout) return Fail(open_timeout.error());
  const auto fragment = FragmentOf(options.at);
  if (!fragment) return Fail(fragment.error());
  for (const std::string& file : {options.file, options.other}) {
    if (file == "-") return Fail({"standard input cannot be read again: save it to a file", ""});
  }
  view::IndexLimits limits;
  if (!options.other.empty()) limits = limits.Half();
  auto trace = view::IndexedTrace::Open(options.file, limits, options.keep_index);
  if (!trace) return Fail(trace.error());
  std::unique_ptr<view::IndexedTrace> other;
  if (!options.other.empty()) {
    auto opened = view::IndexedTrace::Open(options.other, limits, options.keep_index);
    if (!opened) return Fail(opened.error());
    other = std::move(*opened);
  }
  const auto secret = SecretName();
  if (!secret) return Fail(secret.error());
  serve::PageOptions page{.port = static_cast<uint16_t>(options.port),
                          .secret = *secret,
                          .users = {0, getuid()},
                          .open_timeout = std::chrono::nanoseconds(*open_timeout)};
  if (const auto caller = output::UserBehindSudo()) page.users.push_back(caller->uid);
  // Its jobs end before the server does.
  view::Handler* handler = nullptr;
  auto server = serve::PageServer::Listen(
      page,
      [&handler](serve::PageRequest request, serve::PageServer::Respond respond) {
        handler->Answer(request, std::move(respond));
      },
      [&handler] { return handler->Status(); });
  if (!server) return Fail(server.error());
  view::Handler answers(**trace, other.get(), options.cache);
  handler = &answers;

  const std::string address = (*server)->url() + *fragment;
  if (auto printed = PrintPage(address, (*server)->port(), options.print); !printed) {
    return Fail(printed.error());
  }
  if (!options.print) ShowPage(address);
  PrintNote(kProgram, fmt::format("showing {} until the page is closed (Ctrl-C stops)",
                                  text::CleanText(options.file)));
  return Serve(**server, options);
}

}  // namespace

void AddView(const Command& program, int& exit_code) {
  auto options = std::make_shared<ViewOptions>();
  const Command command = program.AddSubcommand(
      "view", "Show a trace in the browser: an interactive timeline, without the network");
  command.Add("FILE", options->file, "A trace").Required();
  command.Add("OTHER", options->other, "A second trace, shown below it; both begin at 0");
  command.Add(
      "--print", options->print,
      "Start no browser; print the address, and the command for the machine with a browser");
  command.Add("--cache", options->cache,
              "Keep all tables as columns in a file beside FILE, for fast statements");
  command.Add(
      "--keep-index", options->keep_index,
      "Keep the data of the timeline in FILE.index, so that FILE opens at once the next time");
  command
      .Add("--at", options->at,
           "What to show first: a time (1.5s since the first record, or @ and ns), a thread at a "
           "time ('clock=NS&thread=ID'), or the address of a place, as the page's link has it")
      .Type("PLACE");
  command.Add("--timeout", options->timeout, "How long to wait for the browser")
      .Type("TIME")
      .ShowDefault();
  command.Add("--port", options->port, "Port of 127.0.0.1; 0 is any")
      .Type("N")
      .Range(0, 65535)
      .ShowDefault();
  command.Footer(
      "The page needs no network. This program reads the trace once and serves the page on\n"
      "127.0.0.1, under a random name, to programs of this user.\n"
      "It ends when the page is closed, or with Ctrl-C. Keys: W S zoom, A D move, F fits the\n"
      "selection, M marks it, / searches, ? lists all.\n"
      "\n"
      "Examples:\n"
      "  fxt view trace.fxt\n"
      "  fxt view --at 1.25s trace.fxt\n"
      "  fxt view --at 'clock=2434124107831&thread=1234' trace.fxt\n"
      "                                             what a thread did then\n"
      "  fxt view --print trace.fxt                 on a server, with a browser elsewhere\n"
      "  fxt view before.fxt after.fxt              side by side");
  command.OnRun([options, &exit_code] { exit_code = RunView(*options); });
}

}  // namespace tools
