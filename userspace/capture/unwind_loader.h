// SPDX-License-Identifier: BSD-2-Clause
// Gives the BPF programs what they unwind user stacks with: the executable mappings of processes
// and the tables of the mapped files. Works in a thread of its own, with a lower priority: the
// collector must not wait for files. perf's rings report which processes have new mappings, /proc
// has the mappings.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "capture/bpf/unwind_maps.h"
#include "capture/process_changes.h"
#include "capture/process_mappings.h"
#include "unwind/table_cache.h"
#include "unwind/table_maker.h"
#include "unwind/table_store.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace perf {
class StackSession;
}

namespace capture {

// Counts of the loader so far.
struct UnwindStats {
  uint64_t tables = 0;       // loaded now
  uint64_t table_bytes = 0;  // of these
  uint64_t max_table_bytes = 0;
  uint64_t unloaded = 0;         // tables that were removed to free memory
  uint64_t no_room = 0;          // tables and lists of mappings for which there was no room
  uint64_t crashes = 0;          // files that their parser did not survive, or not in time
  uint64_t processes = 0;        // whose mappings the programs know
  uint64_t unknown_pythons = 0;  // files with an interpreter whose layout is not known
};

class UnwindLoader {
 public:
  // True if a process, by its id, may have stacks. Called from the thread.
  using Filter = std::function<bool(uint32_t tgid)>;

  // `maps` outlives the loader. `proc` is the path of /proc.
  UnwindLoader(UnwindMaps& maps, std::shared_ptr<unwind::TableMaker> maker, Filter is_wanted,
               std::string proc = "/proc");
  ~UnwindLoader();
  UnwindLoader(const UnwindLoader&) = delete;
  UnwindLoader& operator=(const UnwindLoader&) = delete;

  // Starts the thread, and waits until the processes that run have their tables, and so do the
  // files of `program`, which will be executed; empty: none.
  util::Status Start(std::string program = {});
  // Any thread may call it.
  UnwindStats stats() const;

 private:
  struct FileLess {
    bool operator()(const fxr_unwind_file& a, const fxr_unwind_file& b) const;
  };

  // While all processes are read, the modules of files by device and inode: most are mapped by
  // many.
  using SeenFiles = std::map<std::pair<uint32_t, uint64_t>, uint32_t>;

  struct Module {
    fxr_unwind_file file{};
    // Opens the file: a path below a root (empty: this process's own), or a link in
    // /proc/PID/map_files.
    std::string path;
    std::string root;
    util::UniqueFd image;  // the file, if no path leads to it
    uint32_t users = 0;    // lists of mappings
    bool is_read = false;
    // The file has no table, and its code is unwound by frame pointers.
    bool has_none = false;
    unwind::PythonModule python;
  };
  // The mappings of a process; those that it forked may share them.
  struct Mappings {
    UnwindLoader* loader = nullptr;
    std::vector<fxr_unwind_range> ranges;
    unwind::Extent extent;
    uint64_t version = 0;
    uint64_t arguments = 0;   // see fxr_unwind_process
    uint64_t code_pages = 0;  // see fxr_unwind_process
    // The interpreter, see fxr_unwind_process.
    uint64_t python = 0;
    uint64_t python_runtime = 0;
    uint64_t python_loop = 0;
    uint64_t python_loop_bytes = 0;
    ~Mappings();
  };
  using MappingsPtr = std::shared_ptr<const Mappings>;

  void Run(const std::string& program);
  // `follows_cpus`: also of CPUs that came online.
  void TakeRecords(bool follows_cpus);
  void ScanAll();
  // Reads the process's mappings, and makes them known if they changed.
  void Scan(uint32_t tgid);
  void ReadMappings(uint32_t tgid, Mappings* mappings);
  // Notes the interpreter that the mapping contains.
  void UsePython(const fxr_unwind_range& range, Mappings* mappings);
  bool SetMappings(uint32_t tgid, MappingsPtr mappings);
  void Forget(uint32_t tgid);
  // The number of the module of a mapping; 0: not known.
  uint32_t UseMapped(const CodeMapping& mapping);
  // The number of the file's module, 0 if it has no table. Counts a user of it.
  uint32_t UseModule(const fxr_unwind_file& file, const std::string& path, const std::string& root);
  // The same without a user; null if there is no room.
  Module* FindModule(const fxr_unwind_file& file, const std::string& path, const std::string& root,
                     uint32_t* number);
  // Loads the table of a file of this process's own namespace, which a process may map.
  void LoadFile(const std::string& path);
  void LoadTable(uint32_t number);
  // Loads a table of `words` words; none: the module has no table. If `fill` finds it damaged, the
  // module stays without one.
  void PutTable(uint32_t number, const unwind::UnwindTable::Shape& shape, size_t words,
                const unwind::TableStore::Fill& fill, const bool* is_damaged);
  util::Result<util::UniqueFd> OpenFile(const Module& module) const;
  // Makes the table of the vDSO, from this process's own.
  void LoadVdso();
  // Loads tables again that had to go and are used.
  void ReloadUsed();
  void ForgetExited();
  void PublishStats();

  UnwindMaps& maps_;
  const Filter is_wanted_;
  const std::string proc_;
  unwind::TableStore store_;
  unwind::TableCache cache_;
  std::shared_ptr<unwind::TableMaker> maker_;
  uint32_t absent_ = 0;  // a module that never has a table
  uint32_t vdso_ = FXR_UNWIND_NO_FILE;
  std::unique_ptr<perf::StackSession> session_;
  util::UniqueFd stop_;  // an eventfd
  std::thread thread_;

  // The thread's.
  std::unordered_map<uint32_t, MappingsPtr> processes_;
  std::map<fxr_unwind_file, uint32_t, FileLess> numbers_;
  std::unordered_map<uint32_t, Module> modules_;
  SeenFiles* seen_files_ = nullptr;  // while all processes are read
  ProcessChanges changes_;
  std::unordered_set<std::string> mapped_;  // files of these mappings
  uint64_t last_version_ = 0;
  uint32_t use_time_ = 1;
  uint64_t no_room_ = 0;
  bool has_lost_records_ = false;
  uint64_t unknown_pythons_ = 0;
  bool tables_changed_ = false;

  std::atomic<bool> scanned_ = false;
  std::atomic<uint64_t> shown_tables_ = 0, shown_bytes_ = 0, shown_unloaded_ = 0,
                        shown_no_room_ = 0, shown_crashes_ = 0, shown_processes_ = 0,
                        shown_unknown_pythons_ = 0;
};

}  // namespace capture
