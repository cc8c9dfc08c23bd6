// SPDX-License-Identifier: BSD-2-Clause
#include "capture/thread_context_loader.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <variant>

#include "perf/live/stack_session.h"
#include "util/clock.h"

namespace capture {
namespace {

constexpr int kNiceValue = 5;
// Mappings come in groups, when a program starts; they are read once they have come.
constexpr useconds_t kGatherTime = 1000;
constexpr uint64_t kFollowInterval = 1'000'000'000;
constexpr size_t kRingBytes = size_t{128} << 10;
// Files whose variable is remembered. They are read again when there are more.
constexpr size_t kMaxFiles = 16'384;

bool ReadVariable(int file, util::IsolatedWorker::Bytes* reply) {
  auto elf = symbols::ElfFile::FromDescriptor(util::UniqueFd(fcntl(file, F_DUPFD_CLOEXEC, 0)));
  if (!elf) return false;
  const auto variable = symbols::FindThreadVariable(*elf, FXR_THREAD_CONTEXT_VARIABLE);
  reply->resize(sizeof(variable));
  std::memcpy(reply->data(), &variable, sizeof(variable));
  return true;
}

// Distributions install one under the name of the dynamic linker, or that of the library.
bool IsMusl(std::string_view path) {
  return path.find("/ld-musl-") != std::string_view::npos || path.ends_with("/libc.so");
}

static_assert(static_cast<int>(symbols::ThreadVariable::Model::kModuleInSlot) ==
              FXR_THREAD_VARIABLE_MODULE_IN_SLOT);

}  // namespace

util::Result<std::unique_ptr<util::IsolatedWorker>> ThreadContextLoader::StartReader() {
  return util::IsolatedWorker::Start(ReadVariable, {});
}

ThreadContextLoader::ThreadContextLoader(ThreadContextMap& contexts,
                                         std::unique_ptr<util::IsolatedWorker> reader,
                                         Filter is_wanted, std::string proc)
    : contexts_(contexts),
      reader_(std::move(reader)),
      is_wanted_(std::move(is_wanted)),
      proc_(std::move(proc)) {}

ThreadContextLoader::~ThreadContextLoader() {
  if (!thread_.joinable()) return;
  constexpr uint64_t kOne = 1;
  while (write(stop_.get(), &kOne, sizeof(kOne)) < 0 && errno == EINTR) {
  }
  thread_.join();
}

void ThreadContextLoader::Start() {
  stop_ = util::UniqueFd(eventfd(0, EFD_CLOEXEC));
  if (!stop_) return;
  perf::StackSampling sampling;
  sampling.tasks = true;
  sampling.ring_bytes = kRingBytes;
  auto session = perf::StackSession::Open(sampling);
  if (session && (*session)->Enable()) session_ = std::move(*session);
  thread_ = std::thread([this] { Run(); });
  scanned_.wait(false);
}

void ThreadContextLoader::Run() {
  ScanAll();
  scanned_ = true;
  scanned_.notify_all();
  if (!session_) return;
  // Only now, because the start waits.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceValue);
  uint64_t last_tick = util::MonotonicNow();
  for (;;) {
    std::vector<pollfd> waits{{stop_.get(), POLLIN, 0}};
    for (const int fd : session_->fds()) waits.push_back({fd, POLLIN, 0});
    const int ready =
        poll(waits.data(), waits.size(), static_cast<int>(kFollowInterval / 1'000'000));
    if (waits[0].revents != 0) return;
    if (ready > 0) usleep(kGatherTime);
    const uint64_t now = util::MonotonicNow();
    const bool ticks = now - last_tick >= kFollowInterval;
    TakeRecords(ticks);
    if (!ticks) continue;
    last_tick = now;
    ForgetExited();
  }
}

void ThreadContextLoader::TakeRecords(bool follows_cpus) {
  const auto take = [this](unsigned, const perf::Record& record) { changes_.Add(record); };
  if (follows_cpus) session_->FollowCpus(take);
  session_->Drain(take);
  changes_.TakeForks([this](uint32_t parent, uint32_t child) {
    const auto known = processes_.find(parent);
    if (known != processes_.end()) {
      Set(child, known->second);
    } else {
      Forget(child);  // as its parent, it has no variable
    }
    return true;
  });
  for (const uint32_t tgid : changes_.changed()) {
    if (is_wanted_(tgid)) Scan(tgid);
  }
  changes_.ClearChanged();
}

void ThreadContextLoader::ScanAll() {
  VisitProcesses(proc_, [this](uint32_t tgid) {
    if (is_wanted_(tgid)) Scan(tgid);
  });
}

void ThreadContextLoader::Scan(uint32_t tgid) {
  const auto arguments = ReadArguments(proc_, tgid);
  if (!arguments) return Forget(tgid);
  fxr_thread_variable variable{};
  variable.arguments = *arguments;
  VisitCodeMappings(proc_, tgid, [&](const CodeMapping& mapping) {
    if (!mapping.path.starts_with('/')) return true;
    if (IsMusl(mapping.path)) variable.is_musl = 1;
    if (variable.model != FXR_THREAD_VARIABLE_NONE) return true;
    const symbols::ThreadVariable found = VariableOf(mapping);
    if (found.empty()) return true;
    variable.model = static_cast<fxr_u32>(found.model);
    variable.slot = mapping.start - mapping.offset + found.slot;
    variable.add = found.add;
    return true;
  });
  if (variable.model == FXR_THREAD_VARIABLE_NONE) return Forget(tgid);
  Set(tgid, variable);
}

symbols::ThreadVariable ThreadContextLoader::VariableOf(const CodeMapping& mapping) {
  const auto file = FindMappedFile(proc_, mapping);
  if (!file) return {};
  const fxr_unwind_file& identity = file->identity;
  const FileKey key(identity.device, identity.inode, identity.size, identity.changed_s,
                    identity.changed_ns);
  if (const auto known = files_.find(key); known != files_.end()) return known->second;
  symbols::ThreadVariable variable;
  const auto fd = OpenCode(file->path, file->root);
  if (!fd) return {};
  const auto reply = reader_->Call(fd->get());
  if (reply && reply->size() == sizeof(variable)) {
    std::memcpy(&variable, reply->data(), sizeof(variable));
    if (variable.model > symbols::ThreadVariable::Model::kModuleInSlot) variable = {};
  }
  if (files_.size() >= kMaxFiles) files_.clear();
  files_.emplace(key, variable);
  return variable;
}

void ThreadContextLoader::Set(uint32_t tgid, const fxr_thread_variable& variable) {
  if (!contexts_.Set(tgid, variable)) {
    ForgetExited();
    if (!contexts_.Set(tgid, variable)) return;
  }
  processes_.insert_or_assign(tgid, variable);
}

void ThreadContextLoader::Forget(uint32_t tgid) {
  if (processes_.erase(tgid) != 0) contexts_.Remove(tgid);
}

void ThreadContextLoader::ForgetExited() {
  for (const uint32_t tgid : changes_.exited()) {
    if (!processes_.contains(tgid)) continue;
    // Other threads may outlive the first one.
    bool is_gone = true;
    VisitCodeMappings(proc_, tgid, [&](const CodeMapping&) { return is_gone = false; });
    if (is_gone) Forget(tgid);
  }
  changes_.ClearExited();
}

}  // namespace capture
