// SPDX-License-Identifier: BSD-2-Clause
#include "capture/ftrace/switch_log.h"

#include <errno.h>
#include <string.h>

#include <cstdio>
#include <memory>

#include <fmt/format.h>

namespace truth {
namespace {

constexpr char kMagic[8] = {'F', 'T', 'R', 'L', 'O', 'G', '0', '2'};

struct FileCloser {
  void operator()(FILE* file) const { fclose(file); }
};
using File = std::unique_ptr<FILE, FileCloser>;

class Writer {
 public:
  explicit Writer(FILE* file) : file_(file) {}
  void Bytes(const void* data, size_t size) {
    if (size > 0 && fwrite(data, 1, size, file_) != size) failed_ = true;
  }
  template <typename T>
  void Array(const std::vector<T>& values) {
    const uint64_t count = values.size();
    Bytes(&count, sizeof(count));
    Bytes(values.data(), count * sizeof(T));
  }
  bool failed() const { return failed_; }

 private:
  FILE* file_;
  bool failed_ = false;
};

class Reader {
 public:
  explicit Reader(FILE* file) : file_(file) {
    fseek(file, 0, SEEK_END);
    left_ = static_cast<uint64_t>(ftell(file));
    rewind(file);
  }
  bool Bytes(void* data, uint64_t size) {
    if (size > left_) return false;
    left_ -= size;
    return size == 0 || fread(data, 1, size, file_) == size;
  }
  template <typename T>
  bool Array(std::vector<T>* values) {
    uint64_t count = 0;
    if (!Bytes(&count, sizeof(count)) || count > left_ / sizeof(T)) return false;
    values->resize(count);
    return Bytes(values->data(), count * sizeof(T));
  }

 private:
  FILE* file_;
  uint64_t left_ = 0;
};

bool Load(Reader* reader, SwitchLog* log) {
  char magic[sizeof(kMagic)];
  uint64_t names = 0;
  if (!reader->Bytes(magic, sizeof(magic)) || memcmp(magic, kMagic, sizeof(magic)) != 0 ||
      !reader->Bytes(&names, sizeof(names))) {
    return false;
  }
  for (uint64_t i = 0; i < names; ++i) {
    std::vector<char> name;
    if (!reader->Array(&name)) return false;
    log->names.Intern({name.data(), name.size()});
  }
  if (log->names.size() != names || !reader->Bytes(&log->begin_ns, sizeof(log->begin_ns)) ||
      !reader->Bytes(&log->end_ns, sizeof(log->end_ns))) {
    return false;
  }
  uint64_t cpus = 0;
  if (!reader->Bytes(&cpus, sizeof(cpus)) || cpus > 65536) return false;
  log->cpus.resize(cpus);
  for (std::vector<Switch>& cpu : log->cpus) {
    if (!reader->Array(&cpu)) return false;
    for (const Switch& s : cpu) {
      if (s.prev_name >= names || s.next_name >= names) return false;
    }
  }
  uint64_t stamped = 0;
  if (!reader->Bytes(&stamped, sizeof(stamped)) || stamped > cpus) return false;
  log->second_stamps.resize(stamped);
  for (std::vector<SecondStamp>& cpu : log->second_stamps) {
    if (!reader->Array(&cpu)) return false;
  }
  if (!reader->Array(&log->renames) || !reader->Array(&log->births) ||
      !reader->Array(&log->takeovers) || !reader->Array(&log->first_tids) ||
      !reader->Array(&log->init_tids)) {
    return false;
  }
  for (const Rename& rename : log->renames) {
    if (rename.old_name >= names || rename.new_name >= names) return false;
  }
  return true;
}

}  // namespace

uint32_t NameTable::Intern(std::string_view name) {
  if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
  const auto id = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(names_.back(), id);
  return id;
}

size_t SwitchLog::switch_count() const {
  size_t count = 0;
  for (const std::vector<Switch>& cpu : cpus) count += cpu.size();
  return count;
}

util::Status SaveSwitchLog(const SwitchLog& log, const std::string& path) {
  File file(fopen(path.c_str(), "wbe"));
  if (!file) return util::Error{fmt::format("cannot write {}: {}", path, strerror(errno)), ""};
  Writer writer(file.get());
  writer.Bytes(kMagic, sizeof(kMagic));
  const uint64_t names = log.names.size();
  writer.Bytes(&names, sizeof(names));
  for (uint32_t id = 0; id < names; ++id) {
    const std::string& name = log.names.Name(id);
    const uint64_t size = name.size();
    writer.Bytes(&size, sizeof(size));
    writer.Bytes(name.data(), size);
  }
  writer.Bytes(&log.begin_ns, sizeof(log.begin_ns));
  writer.Bytes(&log.end_ns, sizeof(log.end_ns));
  const uint64_t cpus = log.cpus.size();
  writer.Bytes(&cpus, sizeof(cpus));
  for (const std::vector<Switch>& cpu : log.cpus) writer.Array(cpu);
  const uint64_t stamped = log.second_stamps.size();
  writer.Bytes(&stamped, sizeof(stamped));
  for (const std::vector<SecondStamp>& cpu : log.second_stamps) writer.Array(cpu);
  writer.Array(log.renames);
  writer.Array(log.births);
  writer.Array(log.takeovers);
  writer.Array(log.first_tids);
  writer.Array(log.init_tids);
  if (writer.failed() || fflush(file.get()) != 0) {
    return util::Error{fmt::format("cannot write {}: {}", path, strerror(errno)), ""};
  }
  return util::Ok();
}

util::Result<SwitchLog> LoadSwitchLog(const std::string& path) {
  File file(fopen(path.c_str(), "rbe"));
  if (!file) return util::Error{fmt::format("cannot read {}: {}", path, strerror(errno)), ""};
  Reader reader(file.get());
  SwitchLog log;
  if (!Load(&reader, &log)) return util::Error{fmt::format("{} is not a whole log", path), ""};
  return log;
}

}  // namespace truth
