// SPDX-License-Identifier: BSD-2-Clause
#include "tools/record/symbol_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include "analyze/flame/symbol_writer.h"
#include "facts/read_loop.h"
#include "fxt/byte_sink.h"
#include "fxt/reader.h"
#include "source/input.h"
#include "util/clock.h"
#include "util/isolation.h"

namespace tools {
namespace {

constexpr uint64_t kStep = 16'384;  // records between two reads of the clock
constexpr uint64_t kCountsInterval = 250'000'000;
// More than a batch of records can have.
constexpr uint64_t kMaxPart = uint64_t{256} << 20;

enum class Kind : uint64_t { kRecords, kCounts, kError, kEnd };

// Is in front of each part that the process writes into the pipe.
struct Head {
  Kind kind = Kind::kEnd;
  uint64_t bytes = 0;
};

class PartWriter final : public fxt::ByteSink {
 public:
  explicit PartWriter(int pipe) : pipe_(pipe) {}
  bool Write(std::span<const std::byte> records) override { return Send(Kind::kRecords, records); }
  bool Send(Kind kind, std::span<const std::byte> bytes) const {
    const Head head{kind, bytes.size()};
    return WriteAll(std::as_bytes(std::span(&head, 1))) && WriteAll(bytes);
  }

 private:
  bool WriteAll(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t n = write(pipe_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      bytes = bytes.subspan(static_cast<size_t>(n));
    }
    return true;
  }

  int pipe_;
};

bool SendError(const PartWriter& out, const std::string& message) {
  return out.Send(Kind::kError, std::as_bytes(std::span(message)));
}

// True: all is sent.
bool Run(int pipe, const std::string& path, uint64_t naming_ns) {
  PartWriter out(pipe);
  if (auto status = util::LeaveOnly(util::Rights::kReadFiles); !status)
    return SendError(out, status.error().message);
  auto source = source::OpenInput(path);
  if (!source) return SendError(out, source.error().message);
  fxt::Reader reader(**source);
  analyze::SymbolWriter writer(out, {});
  const auto send_counts = [&] {
    const SymbolProcess::Counts counts{writer.functions(), writer.named(), writer.left_out()};
    return out.Send(Kind::kCounts, std::as_bytes(std::span(&counts, 1)));
  };
  const uint64_t begin = util::MonotonicNow();
  uint64_t due = begin + kCountsInterval;
  for (uint64_t records = 1; facts::NextRecord(reader) == fxt::ReadStatus::kRecord; ++records) {
    writer.Add(reader);
    if (records % kStep != 0) continue;
    if (writer.failed()) return false;
    const uint64_t now = util::MonotonicNow();
    if (now - begin > naming_ns) writer.StopNaming();
    if (now < due) continue;
    due = now + kCountsInterval;
    if (!send_counts()) return false;
  }
  if (reader.error() != fxt::ReadError::kNone) {
    return SendError(out, fmt::format("{}: {}", path, reader.error_message()));
  }
  return writer.Finish() && send_counts() && out.Send(Kind::kEnd, {});
}

util::Error Crashed() {
  return {"the process that reads symbols ended", "record without --symbols"};
}

}  // namespace

util::Result<std::unique_ptr<SymbolProcess>> SymbolProcess::Start(const std::string& path,
                                                                  uint64_t naming_ns) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return util::Error{fmt::format("pipe: {}", strerror(errno)), ""};
  util::UniqueFd ours(ends[0]);
  const util::UniqueFd theirs(ends[1]);
  const pid_t process = fork();
  if (process < 0) return util::Error{fmt::format("fork: {}", strerror(errno)), ""};
  if (process == 0) {
    const int kept[] = {theirs.get(), STDERR_FILENO};
    util::CloseAllBut(kept);
    bool good = false;
    try {
      good = Run(theirs.get(), path, naming_ns);
    } catch (...) {
      // Out of memory: the caller sees the end of the pipe.
    }
    _exit(good ? 0 : 1);
  }
  return std::unique_ptr<SymbolProcess>(new SymbolProcess(std::move(ours), process));
}

SymbolProcess::~SymbolProcess() {
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool SymbolProcess::ReadAll(void* into, size_t size) {
  for (size_t done = 0; done < size;) {
    const ssize_t n = read(pipe_.get(), static_cast<std::byte*>(into) + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

util::Result<SymbolProcess::Event> SymbolProcess::Next(int timeout_ms) {
  pollfd ready = {pipe_.get(), POLLIN, 0};
  if (poll(&ready, 1, timeout_ms) <= 0) return Event::kNothing;
  Head head;
  if (!ReadAll(&head, sizeof(head)) || head.bytes > kMaxPart) return Crashed();
  switch (head.kind) {
    case Kind::kRecords:
      records_.resize(head.bytes);
      if (!ReadAll(records_.data(), records_.size())) return Crashed();
      return Event::kRecords;
    case Kind::kCounts:
      if (head.bytes != sizeof(counts_) || !ReadAll(&counts_, sizeof(counts_))) return Crashed();
      return Event::kCounts;
    case Kind::kError: {
      std::string message(head.bytes, '\0');
      if (!ReadAll(message.data(), message.size())) return Crashed();
      return util::Error{std::move(message), ""};
    }
    case Kind::kEnd:
      return Event::kEnd;
  }
  return Crashed();
}

}  // namespace tools
