// SPDX-License-Identifier: BSD-2-Clause
#include "tools/fxt/support/capture_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "measure/store/load.h"
#include "tools/common/message.h"
#include "tools/fxt/support/failure.h"
#include "tools/fxt/support/span_patterns.h"

namespace tools {
namespace {

namespace fs = std::filesystem;

// Files that differ only in these endings are one capture; the first one is used.
constexpr std::array<std::string_view, 3> kEndings = {".fxt", ".fxt.gz", ".fxs"};

// Threads that load: each may take memory for the paths of requests.
constexpr size_t kMaxThreads = 8;

bool IsCapture(std::string_view name) {
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](std::string_view ending) { return name.ends_with(ending); });
}

// A trace beside its summary or its compressed form would count twice.
std::vector<std::string> OneOfEach(const std::vector<std::string>& files) {
  std::set<std::string> names;
  std::vector<std::string> kept;
  for (const std::string_view ending : kEndings) {
    for (const std::string& file : files) {
      if (!file.ends_with(ending)) continue;
      if (names.insert(file.substr(0, file.size() - ending.size())).second) kept.push_back(file);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

util::Error NotReadable(const std::string& path, const std::error_code& error) {
  return {fmt::format("cannot read {}: {}", path, error.message()), ""};
}

util::Result<std::vector<std::string>> FilesBelow(const std::string& folder) {
  std::error_code error;
  std::vector<std::string> files;
  // Links to folders may form cycles, so they are not followed.
  auto at = fs::recursive_directory_iterator(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const bool regular = at->is_regular_file(error);
    if (error) break;
    if (regular && IsCapture(at->path().filename().string())) files.push_back(at->path().string());
  }
  if (error) return NotReadable(folder, error);
  if (files.empty()) {
    return util::Error{fmt::format("there is no capture in {}", folder),
                       "captures end in .fxt, .fxt.gz or .fxs"};
  }
  return OneOfEach(files);
}

// Leaves out the requests of a summary that no pattern chooses by their names.
void ChooseByName(measure::Capture& capture, const std::vector<std::string>& spans) {
  std::erase_if(capture.requests,
                [&](const auto& request) { return !MatchesSpan(spans, "", request.first); });
}

}  // namespace

util::Result<std::vector<std::string>> FindCaptures(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    auto below = FilesBelow(path);
    if (!below) return below.TakeError();
    files.insert(files.end(), below->begin(), below->end());
  }
  return files;
}

util::Result<std::vector<std::vector<measure::Capture>>> LoadCaptures(
    const std::vector<std::vector<std::string>>& lists, const std::vector<std::string>& spans) {
  struct Job {
    const std::string* file;
    size_t list;
    std::vector<measure::Capture> captures = {};  // a file of summaries may have several
    std::vector<std::string> notes = {};
    std::optional<util::Error> error = std::nullopt;
  };
  std::vector<Job> jobs;
  for (size_t l = 0; l < lists.size(); ++l) {
    for (const std::string& file : lists[l]) jobs.push_back({&file, l});
  }
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t at = next++; at < jobs.size(); at = next++) {
      try {
        measure::LoadOptions options;
        options.notes = &jobs[at].notes;
        ChooseRequests(options.collector, spans);
        auto captures = measure::LoadAll(*jobs[at].file, options);
        if (captures) {
          jobs[at].captures = std::move(*captures);
          const bool is_summary = jobs[at].file->ends_with(".fxs");
          for (measure::Capture& capture : jobs[at].captures) {
            if (is_summary && !spans.empty()) ChooseByName(capture, spans);
          }
        } else {
          jobs[at].error = captures.TakeError();
        }
      } catch (const std::exception& error) {
        jobs[at].error = util::Error{fmt::format("{}: {}", *jobs[at].file, error.what()), ""};
      }
    }
  };
  {
    const size_t cpus = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, kMaxThreads);
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < std::min(cpus, jobs.size()); ++i) helpers.emplace_back(work);
    work();
  }
  std::vector<std::vector<measure::Capture>> captures(lists.size());
  for (Job& job : jobs) {
    if (job.error) return std::move(*job.error);
    for (const std::string& note : job.notes) PrintNote(kProgram, "note: " + note);
    std::move(job.captures.begin(), job.captures.end(), std::back_inserter(captures[job.list]));
  }
  return captures;
}

}  // namespace tools
