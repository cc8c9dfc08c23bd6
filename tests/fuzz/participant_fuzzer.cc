// SPDX-License-Identifier: BSD-2-Clause
// A coverage-guided fuzzer (libFuzzer) for what programs of other users send to the recorder, and
// web pages to `fxt open`: bytes on the control socket, the memory that a provider shares, and HTTP
// requests. The first byte selects the mode.
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "analyze/check/checker.h"
#include "control/controller/controller.h"
#include "control/server/server.h"
#include "fxt/archive_writer.h"
#include "fxt/byte_source.h"
#include "fxt/provider_writer.h"
#include "model/task_tracker.h"
#include "provider/buffer_reader.h"
#include "provider/section_writer.h"
#include "serve/one_download.h"
#include "sink/memory_sink.h"
#include "support/temp_folder.h"
#include "unit/control/fake_engine.h"
#include "unit/provider/fake_provider.h"
#include "unit/translate/capture_script.h"
#include "util/clock.h"
#include "util/unique_fd.h"

namespace {

using Bytes = std::span<const uint8_t>;

void Require(bool condition) {
  if (!condition) std::abort();
}

// Sends as much as the socket takes.
void Send(int socket, Bytes bytes) {
  (void)!send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// A controller's server on this thread, with an engine that records nothing.
class ControlServer {
 public:
  ControlServer() : path_(folder_ / "control") {
    auto socket = control::ControlSocket::Bind(path_, std::nullopt);
    Require(socket.ok());
    socket_ = std::move(*socket);
    controller_.emplace(engine_);
    server_.emplace(*socket_, *controller_, engine_, std::nullopt);
  }

  // A client sends the bytes in two parts and goes.
  void Serve(Bytes bytes) {
    {
      const util::UniqueFd client = Connect();
      Turn();
      const size_t half = bytes.empty() ? 0 : bytes[0] % bytes.size();
      Send(client.get(), bytes.first(half));
      Turn();
      Send(client.get(), bytes.subspan(half));
      // Pipelined calls are answered one by one.
      for (int i = 0; i < 4; ++i) Turn();
    }
    for (int i = 0; i < 2; ++i) Turn();
    Require(server_->clients() <= control::Server::kMaxClients);
    engine_.calls.clear();
    engine_.mailboxes.clear();
  }

 private:
  util::UniqueFd Connect() const {
    util::UniqueFd client(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    Require(path_.size() < sizeof(address.sun_path));
    memcpy(address.sun_path, path_.c_str(), path_.size());
    Require(connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
    return client;
  }
  void Turn() {
    std::vector<pollfd> fds;
    server_->AddPollFds(fds);
    poll(fds.data(), fds.size(), 0);
    server_->Turn(fds, util::MonotonicNow());
  }

  testing_support::TempFolder folder_;
  std::string path_;
  control::FakeEngine engine_;
  std::unique_ptr<control::ControlSocket> socket_;
  std::optional<control::Controller> controller_;
  std::optional<control::Server> server_;
};

// Writes valid records into a provider's memory, then changes words of it as the input says, and
// delivers the rest as a recorder does. The file must be valid.
void ReadProvider(Bytes bytes) {
  if (bytes.size() < 2) return;
  const fxt_buffer_mode mode = (bytes[0] & 1) != 0 ? FXT_MODE_STREAMING : FXT_MODE_CIRCULAR;
  auto made = provider::SharedBuffer::Make({.mode = mode, .bytes = 1 << 16, .categories = {}});
  Require(made.ok());
  provider::testing::FakeProvider fake(*made);
  provider::BufferReader reader(
      std::make_shared<provider::Identity>(provider::Identity{5, 100, "app", 1000, 7}),
      std::move(*made));
  const uint32_t blocks = reader.buffer().blocks();
  for (int i = 0; i < 20; ++i) fake.Add("string " + std::to_string(i), i % 3 == 0);
  for (uint32_t block = 0; block < blocks; ++block) {
    fake.Take(block, block + 1, 100 + block % 2);
    for (uint64_t i = 0; i < 20; ++i) {
      fake.Event(block, 10 + i, static_cast<uint16_t>(1 + i), static_cast<uint16_t>(1 + i % 7),
                 i % 4);
    }
  }

  sink::MemorySink sink;
  fxt::ArchiveWriter archive(sink);
  fxt::ProviderWriter writer(archive, "fxt-record");
  translate::testing::FakeIdentities identities;
  model::TaskTracker tasks(identities, true);
  translate::Translator translator(writer, tasks, {});
  provider::SectionWriter sections(archive, translator);
  for (const auto& [tid, tgid] : {std::pair(100U, 100U), {101U, 100U}, {200U, 200U}}) {
    fxr_task task{};
    task.header = {1, FXR_SIDE_FORK, 0, 0, sizeof(task)};
    task.tid = tid;
    task.tgid = tgid;
    task.start_time = 70'000'000;
    translator.OnSnapshotTask(task);
  }
  translator.OnStart(1);
  const provider::ClockPairs pairs;

  // A change: where (which part, and a place in it), how many bytes, the bytes.
  Bytes rest = bytes.subspan(1);
  while (rest.size() >= 4) {
    const unsigned part = rest[0] % 5;
    const size_t place = rest[1] | size_t{rest[2]} << 8;
    const size_t count = std::min<size_t>(rest[3] % 65, rest.size() - 4);
    const Bytes change = rest.subspan(4, count);
    rest = rest.subspan(4 + count);
    if (part == 4) {
      mode == FXT_MODE_STREAMING ? reader.ReadNew(place * 16) : reader.ReadAll(place * 16);
      const auto batch = reader.Take(pairs, 0, 0, UINT64_MAX);
      for (const provider::RecordEntry& entry : batch->entries) sections.Write(*batch, entry);
      sections.WriteLoss(*batch, 1000);
      continue;
    }
    const uint64_t starts[] = {0, fxt_descriptors_offset(), fxt_strings_offset(),
                               fxt_blocks_offset(blocks)};
    const uint64_t at = starts[part] + place;
    if (at + count <= fake.bytes()) memcpy(fake.memory() + at, change.data(), count);
  }
  Require(archive.Flush());
  const auto words = sink.bytes();
  fxt::MemorySource written(words);
  const analyze::CheckResult result =
      analyze::CheckTrace(written, {}, [](const analyze::Finding&) {});
  Require(result.unreadable.empty());
}

// `fxt open` on a thread of its own, which runs until the process ends: so this object is never
// destroyed.
class HttpServer {
 public:
  HttpServer() {
    Require(file_.valid() && ftruncate(file_.get(), 100000) == 0);
    Listen();
    std::thread([this] {
      for (;;) {
        server_->Run();
        Listen();
      }
    }).detach();
  }

  void Serve(Bytes bytes) const {
    const util::UniqueFd client(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) return;
    Send(client.get(), bytes);
    shutdown(client.get(), SHUT_WR);
    char answer[4096];
    for (size_t total = 0; total < 200000;) {
      pollfd ready = {client.get(), POLLIN, 0};
      if (poll(&ready, 1, 50) <= 0) break;
      const ssize_t n = recv(client.get(), answer, sizeof(answer), 0);
      if (n <= 0) break;
      total += static_cast<size_t>(n);
    }
  }

 private:
  // On any free port: another program may have taken the last one meanwhile.
  void Listen() {
    auto made = serve::OneDownload::Listen({.path = "/token/trace.fxt",
                                            .origin = "https://ui.example",
                                            .users = {geteuid()},
                                            .open_timeout = std::chrono::hours(10)},
                                           util::UniqueFd(fcntl(file_.get(), F_DUPFD_CLOEXEC, 0)));
    Require(made.ok());
    server_ = std::move(*made);
    port_ = server_->port();
  }

  const util::UniqueFd file_{memfd_create("served", MFD_CLOEXEC)};
  std::unique_ptr<serve::OneDownload> server_;
  std::atomic<uint16_t> port_ = 0;
};

}  // namespace

// A call may name an output file, which the server opens as its client: the fuzzer must not be
// root.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0)
    Require(setgroups(0, nullptr) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const Bytes bytes(data + 1, size - 1);
  switch (data[0] & 3) {
    case 0: {
      static ControlServer control;
      control.Serve(bytes);
      break;
    }
    case 1: {
      static HttpServer& http = *new HttpServer;
      http.Serve(bytes);
      break;
    }
    default:
      ReadProvider(bytes);
  }
  return 0;
}
