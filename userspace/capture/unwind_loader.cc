// SPDX-License-Identifier: BSD-2-Clause
#include "capture/unwind_loader.h"

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perf/live/stack_session.h"
#include "unwind/program_files.h"
#include "unwind/unwind_table.h"
#include "util/clock.h"

namespace capture {
namespace {

constexpr int kNiceness = 5;
// Mappings come in groups, when a program starts; they are read once they have come.
constexpr useconds_t kGatherMicroseconds = 1000;
constexpr uint64_t kTick = 1'000'000'000;
// Tables that were used within as many ticks stay.
constexpr uint32_t kUsedTicks = 2;
constexpr size_t kMaxProcesses = 1 << 16;
// Paths of mappings that are kept at a time.
constexpr size_t kMaxMapped = 4096;

}  // namespace

bool UnwindLoader::FileLess::operator()(const fxr_unwind_file& a, const fxr_unwind_file& b) const {
  const auto key = [](const fxr_unwind_file& file) {
    return std::tie(file.device, file.inode, file.size, file.changed_s, file.changed_ns);
  };
  return key(a) < key(b);
}

UnwindLoader::Mappings::~Mappings() {
  loader->store_.RemoveRanges(extent, util::MonotonicNow());
  for (const fxr_unwind_range& range : ranges) {
    const auto module = loader->modules_.find(range.module);
    if (module != loader->modules_.end()) --module->second.users;
  }
}

UnwindLoader::UnwindLoader(UnwindMaps& maps, std::shared_ptr<unwind::TableMaker> maker,
                           Filter is_wanted, std::string proc)
    : maps_(maps),
      is_wanted_(std::move(is_wanted)),
      proc_(std::move(proc)),
      store_({.words = maps.words(),
              .provide = [&maps](uint32_t first,
                                 uint32_t count) { return maps.ProvideWords(first, count); },
              .write = [&maps](uint32_t first,
                               std::span<const fxr_u32> words) { maps.WriteWords(first, words); },
              .modules = maps.modules(),
              .ranges = maps.ranges()}),
      cache_(unwind::TableCache::Open()),
      maker_(std::move(maker)),
      absent_(store_.AddModule().value_or(0)) {}

UnwindLoader::~UnwindLoader() {
  if (thread_.joinable()) {
    constexpr uint64_t kOne = 1;
    while (write(stop_.get(), &kOne, sizeof(kOne)) < 0 && errno == EINTR) {
    }
    thread_.join();
  }
  // Before the modules that they count.
  processes_.clear();
}

util::Status UnwindLoader::Start(std::string program) {
  perf::StackSampling sampling;
  sampling.tasks = true;
  auto session = perf::StackSession::Open(sampling);
  if (!session) return session.TakeError();
  session_ = std::move(*session);
  stop_ = util::UniqueFd(eventfd(0, EFD_CLOEXEC));
  if (!stop_) return util::Error{fmt::format("eventfd: {}", strerror(errno)), ""};
  if (util::Status status = session_->Enable(); !status) return status;
  maps_.SetUseTime(use_time_);
  thread_ = std::thread([this, program = std::move(program)] { Run(program); });
  scanned_.wait(false);
  return util::Ok();
}

UnwindStats UnwindLoader::stats() const {
  return {.tables = shown_tables_,
          .table_bytes = shown_bytes_,
          .max_table_bytes = store_.max_table_bytes(),
          .unloaded = shown_unloaded_,
          .no_room = shown_no_room_,
          .crashes = shown_crashes_,
          .processes = shown_processes_,
          .unknown_pythons = shown_unknown_pythons_};
}

void UnwindLoader::PublishStats() {
  shown_tables_ = store_.loaded();
  shown_bytes_ = store_.table_bytes();
  shown_unloaded_ = store_.unloaded();
  shown_no_room_ = no_room_;
  shown_crashes_ = maker_->crashes();
  shown_processes_ = processes_.size();
  shown_unknown_pythons_ = unknown_pythons_;
}

void UnwindLoader::Run(const std::string& program) {
  if (!program.empty()) {
    for (const std::string& path : unwind::ProgramFiles(program)) LoadFile(path);
  }
  LoadVdso();
  ScanAll();
  PublishStats();
  scanned_ = true;
  scanned_.notify_all();
  // Only now, because the start waits.
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kNiceness);
  uint64_t last_tick = util::MonotonicNow();
  for (;;) {
    std::vector<pollfd> waits{{stop_.get(), POLLIN, 0}};
    for (const int fd : session_->fds()) waits.push_back({fd, POLLIN, 0});
    const int ready = poll(waits.data(), waits.size(), static_cast<int>(kTick / 1'000'000));
    if (waits[0].revents != 0) return;
    if (ready > 0) usleep(kGatherMicroseconds);
    const uint64_t now = util::MonotonicNow();
    const bool ticks = now - last_tick >= kTick;
    TakeRecords(ticks);
    if (ticks) {
      last_tick = now;
      maps_.SetUseTime(++use_time_);
      ReloadUsed();
      ForgetExited();
    }
    if (tables_changed_) maps_.ChangeAge();
    tables_changed_ = false;
    PublishStats();
  }
}

void UnwindLoader::TakeRecords(bool follows_cpus) {
  const auto take = [this](unsigned, const perf::Record& record) {
    changes_.Add(record);
    has_lost_records_ |= std::holds_alternative<perf::LostRecord>(record.body);
    const auto* mapping = std::get_if<perf::MmapRecord>(&record.body);
    if (mapping != nullptr && !mapping->kernel && mapping->file.starts_with('/') &&
        mapped_.size() < kMaxMapped) {
      mapped_.emplace(mapping->file);
    }
  };
  if (follows_cpus) session_->FollowCpus(take);
  session_->Drain(take);
  changes_.TakeForks([this](uint32_t parent, uint32_t child) {
    if (!is_wanted_(child)) return true;
    const auto known = processes_.find(parent);
    if (known == processes_.end()) return false;
    SetMappings(child, known->second);
    return true;
  });
  for (const uint32_t tgid : changes_.changed()) {
    if (is_wanted_(tgid)) Scan(tgid);
  }
  changes_.ClearChanged();
  for (const std::string& path : mapped_) LoadFile(path);
  mapped_.clear();
}

void UnwindLoader::ScanAll() {
  SeenFiles seen;
  seen_files_ = &seen;
  VisitProcesses(proc_, [this](uint32_t tgid) {
    if (is_wanted_(tgid)) Scan(tgid);
  });
  seen_files_ = nullptr;
  maps_.ChangeAge();
  tables_changed_ = false;
}

void UnwindLoader::ReadMappings(uint32_t tgid, Mappings* mappings) {
  const auto page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<fxr_unwind_range>& ranges = mappings->ranges;
  VisitCodeMappings(proc_, tgid, [&](const CodeMapping& mapping) {
    fxr_unwind_range range{};
    range.start = mapping.start;
    range.size = mapping.end - mapping.start;
    range.offset = mapping.offset;
    // That page is the kernel's.
    if (!mapping.writable && mapping.path != "[vsyscall]") {
      mappings->code_pages += range.size / page_bytes;
    }
    range.module = mapping.path.empty() ? FXR_UNWIND_NO_FILE : FXR_UNWIND_NO_TABLE;
    if (mapping.path == "[vdso]" && vdso_ != FXR_UNWIND_NO_FILE) {
      range.module = vdso_;
      ++modules_.at(vdso_).users;
    }
    if (mapping.path.starts_with('/') && mapping.has_device) range.module = UseMapped(mapping);
    ranges.push_back(range);
    UsePython(range, mappings);
    return ranges.size() < FXR_UNWIND_MAX_RANGES;
  });
}

void UnwindLoader::UsePython(const fxr_unwind_range& range, Mappings* mappings) {
  const auto module = modules_.find(range.module);
  if (module == modules_.end() || module->second.python.empty() || mappings->python != 0) return;
  const unwind::PythonModule& python = module->second.python;
  // The code may be in several mappings.
  const uint64_t base = range.start - range.offset;
  if (python.loop < range.offset || python.loop - range.offset >= range.size) return;
  const auto layout = unwind::PythonLayout(python);
  const auto number = layout ? maps_.AddPythonLayout(*layout) : std::nullopt;
  if (!number) return;
  mappings->python = uint64_t{*number} + 1;
  mappings->python_runtime = base + python.runtime;
  mappings->python_loop = base + python.loop;
  mappings->python_loop_bytes = python.loop_bytes;
}

uint32_t UnwindLoader::UseMapped(const CodeMapping& mapping) {
  const std::pair key(mapping.device, mapping.inode);
  const bool is_known_by_inode = seen_files_ != nullptr && mapping.inode != 0;
  if (is_known_by_inode) {
    if (const auto seen = seen_files_->find(key); seen != seen_files_->end()) {
      const auto module = modules_.find(seen->second);
      if (module != modules_.end()) {
        ++module->second.users;
        return seen->second;
      }
    }
  }
  const auto file = FindMappedFile(proc_, mapping);
  if (!file) return absent_;
  const uint32_t number = UseModule(file->identity, file->path, file->root);
  if (is_known_by_inode && modules_.contains(number)) seen_files_->insert_or_assign(key, number);
  return number;
}

UnwindLoader::Module* UnwindLoader::FindModule(const fxr_unwind_file& file, const std::string& path,
                                               const std::string& root, uint32_t* number) {
  auto found = numbers_.find(file);
  if (found == numbers_.end()) {
    std::optional<uint32_t> free = store_.AddModule();
    if (!free) {
      // Numbers of files that no process maps any more are used again.
      const uint64_t now = util::MonotonicNow();
      std::erase_if(modules_, [&](const auto& module) {
        if (module.second.users != 0) return false;
        numbers_.erase(module.second.file);
        maps_.RemoveFile(module.second.file);
        store_.RemoveModule(module.first, now);
        return true;
      });
      free = store_.AddModule();
    }
    if (!free) {
      ++no_room_;
      return nullptr;
    }
    found = numbers_.emplace(file, *free).first;
    modules_[*free].file = file;
  }
  *number = found->second;
  Module& module = modules_.at(found->second);
  if (module.is_read) return &module;
  module.path = path;
  module.root = root;
  LoadTable(found->second);
  // From now on the programs find the file's code by themselves.
  if (module.is_read) maps_.SetFile(file, module.has_none ? 0 : found->second);
  return &module;
}

uint32_t UnwindLoader::UseModule(const fxr_unwind_file& file, const std::string& path,
                                 const std::string& root) {
  uint32_t number = absent_;
  Module* module = FindModule(file, path, root, &number);
  if (!module) return absent_;
  if (module->has_none) return 0;
  // The file may be opened again by it.
  if (module->root != root || module->path != path) {
    module->path = path;
    module->root = root;
  }
  ++module->users;
  return number;
}

void UnwindLoader::LoadFile(const std::string& path) {
  const auto file = FindOwnFile(path);
  uint32_t number = 0;
  if (file) FindModule(file->identity, path, "", &number);
}

util::Result<util::UniqueFd> UnwindLoader::OpenFile(const Module& module) const {
  if (module.image) return util::UniqueFd(fcntl(module.image.get(), F_DUPFD_CLOEXEC, 0));
  return OpenCode(module.path, module.root);
}

void UnwindLoader::LoadVdso() {
  const uint64_t address = getauxval(AT_SYSINFO_EHDR);
  const auto number = address == 0 ? std::nullopt : store_.AddModule();
  if (!number) return;
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(address);
  const size_t size = header->e_shoff + size_t{header->e_shnum} * header->e_shentsize;
  Module& module = modules_[*number];
  module.image = util::UniqueFd(memfd_create("vdso", MFD_CLOEXEC));
  module.users = 1;
  if (write(module.image.get(), header, size) != static_cast<ssize_t>(size)) return;
  LoadTable(*number);
  if (!module.is_read || module.has_none) return;
  vdso_ = *number;
  maps_.SetVdso(vdso_);
}

void UnwindLoader::LoadTable(uint32_t number) {
  Module& module = modules_.at(number);
  if (const auto kept = cache_.Find(module.file)) {
    bool is_damaged = false;
    const auto read = [&](const unwind::TableStore::Put& put) {
      is_damaged = !kept->read(put);
      return !is_damaged;
    };
    PutTable(number, kept->shape, kept->words, read, &is_damaged);
    if (!is_damaged) return;
  }
  const auto file = OpenFile(module);
  // It is unknown whether an unreadable file has a table.
  if (!file) return;
  std::optional<unwind::UnwindTable> table = maker_->Make(file->get());
  if (table) {
    cache_.Keep(module.file, file->get(), *table);
  } else {
    table.emplace();
  }
  const auto copy = [&](const unwind::TableStore::Put& put) {
    put(0, table->words());
    return true;
  };
  PutTable(number, table->shape(), table->words().size(), copy, nullptr);
}

void UnwindLoader::PutTable(uint32_t number, const unwind::UnwindTable::Shape& shape, size_t words,
                            const unwind::TableStore::Fill& fill, const bool* is_damaged) {
  const uint32_t in_use = use_time_ > kUsedTicks ? use_time_ - kUsedTicks : 1;
  const auto load = [&] {
    return words == 0 || store_.Load(number, shape, words, fill, in_use, util::MonotonicNow());
  };
  bool has_room = load();
  if (is_damaged && *is_damaged) return;
  Module& module = modules_.at(number);
  module.is_read = true;
  module.has_none = words == 0;
  const bool is_first = module.python.empty();
  module.python = shape.python;
  if (is_first && !module.python.empty() && !unwind::PythonLayout(module.python)) {
    ++unknown_pythons_;
  }
  if (words == 0) return;
  tables_changed_ = true;
  if (has_room) return;
  // Tables that went become free after their grace period.
  usleep(unwind::ExtentAllocator::kGrace / 1000 + 1000);
  if (!load()) ++no_room_;
}

void UnwindLoader::ReloadUsed() {
  for (auto& [number, module] : modules_) {
    if (module.users == 0 || module.has_none || store_.IsLoaded(number)) continue;
    if (store_.UsedAt(number) + 1 >= use_time_) LoadTable(number);
  }
}

void UnwindLoader::Scan(uint32_t tgid) {
  auto mappings = std::make_shared<Mappings>();
  mappings->loader = this;
  const auto arguments = ReadArguments(proc_, tgid);
  if (!arguments) return Forget(tgid);
  mappings->arguments = *arguments;
  ReadMappings(tgid, mappings.get());
  // The process is gone.
  if (mappings->ranges.empty()) return Forget(tgid);
  // It executed a program meanwhile, which will be reported.
  if (arguments != ReadArguments(proc_, tgid)) return;
  const auto same = [](const fxr_unwind_range& a, const fxr_unwind_range& b) {
    return std::memcmp(&a, &b, sizeof(a)) == 0;
  };
  if (const auto known = processes_.find(tgid);
      known != processes_.end() && known->second->arguments == mappings->arguments &&
      known->second->code_pages == mappings->code_pages &&
      std::ranges::equal(known->second->ranges, mappings->ranges, same)) {
    return;
  }
  const auto extent = store_.AddRanges(mappings->ranges, util::MonotonicNow());
  if (!extent) {
    ++no_room_;
    return Forget(tgid);
  }
  mappings->extent = *extent;
  mappings->version = ++last_version_;
  SetMappings(tgid, std::move(mappings));
}

bool UnwindLoader::SetMappings(uint32_t tgid, MappingsPtr mappings) {
  const fxr_unwind_process process{.version = mappings->version,
                                   .first = mappings->extent.first,
                                   .count = mappings->extent.count,
                                   .arguments = mappings->arguments,
                                   .code_pages = mappings->code_pages,
                                   .python = mappings->python,
                                   .python_runtime = mappings->python_runtime,
                                   .python_loop = mappings->python_loop,
                                   .python_loop_bytes = mappings->python_loop_bytes};
  if (processes_.size() >= kMaxProcesses || !maps_.SetProcess(tgid, process)) {
    ForgetExited();
    if (!maps_.SetProcess(tgid, process)) {
      ++no_room_;
      Forget(tgid);
      return false;
    }
  }
  processes_.insert_or_assign(tgid, std::move(mappings));
  return true;
}

void UnwindLoader::Forget(uint32_t tgid) {
  if (processes_.erase(tgid) != 0) maps_.RemoveProcess(tgid);
}

void UnwindLoader::ForgetExited() {
  for (const uint32_t tgid : changes_.exited()) {
    if (!processes_.contains(tgid)) continue;
    // Other threads may outlive the first one.
    std::ifstream maps(fmt::format("{}/{}/maps", proc_, tgid));
    if (maps.peek() == std::ifstream::traits_type::eof()) Forget(tgid);
  }
  changes_.ClearExited();
  if (!std::exchange(has_lost_records_, false)) return;
  // Exits may be among the lost records.
  std::vector<uint32_t> gone;
  for (const auto& [tgid, mappings] : processes_) {
    if (access(fmt::format("{}/{}", proc_, tgid).c_str(), F_OK) != 0) gone.push_back(tgid);
  }
  for (const uint32_t tgid : gone) Forget(tgid);
}

}  // namespace capture
