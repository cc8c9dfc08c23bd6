// SPDX-License-Identifier: BSD-2-Clause
// A file that gets its name when it is complete.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "output/open_timeout.h"
#include "output/output_place.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

struct FileOptions {
  // The group's permissions apply to `group`; they are removed if the file cannot have that group.
  mode_t mode = 0600;
  std::optional<gid_t> group = std::nullopt;
  // For recordings, which are read while they grow: takes a free name at once, and a taken one at
  // Publish(). The replaced file stays as NAME.old unless it is empty. An unpublished file is
  // removed. Other files take their names when they are closed.
  bool recording = false;
  // The file takes its name together with others (PublishTogether()).
  bool with_others = false;
  std::string option = "-o";  // the option that hints mention
  // Decides how long to wait for the reader of a FIFO or pipe; called on the waiting thread. Empty:
  // for ever.
  output::KeepWaiting keep_waiting = {};
};

// The file is always a new one with our own mode; an existing file of that name is replaced, never
// written into. Therefore no other process has it open or has another link to it. Its owner is the
// owner of the replaced file (which is trusted, see owner_rules.h), else the user behind sudo.
// A lock (flock(2)) marks the file as being written. Readers need not check it.
class OutputFile {
 public:
  // `place` is free or a regular file. Fails if the file belongs to another user, is being written,
  // or if the directory is not writable.
  static util::Result<std::unique_ptr<OutputFile>> Create(OutputPlace place, std::string path,
                                                          const FileOptions& options);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // discards an unpublished file

  int fd() const { return fd_.get(); }
  bool recording() const { return options_.recording; }
  bool with_others() const { return options_.with_others; }
  bool published() const { return published_; }

  // Gives the file its name. A second call returns Ok.
  util::Status Publish();
  // Publish() does nothing afterwards, and the file is removed.
  void Discard() { discarded_ = true; }

  // The steps of PublishTogether(). Stage() syncs the file to the disk under a hidden name.
  util::Status Stage();
  // Exchange() swaps the names of the file and of the one it replaces.
  util::Status Exchange();
  // TakeBack() undoes Exchange(), except on file systems that cannot exchange names.
  void TakeBack();
  // Settle() ends the sequence and removes the replaced file.
  void Settle();

 private:
  OutputFile(OutputPlace place, std::string path, const FileOptions& options)
      : place_(std::move(place)), path_(std::move(path)), options_(options) {}

  bool Make();
  util::Status SetOwnerAndMode();
  // Checks and locks the file that has the name.
  util::Status TakeOver(util::UniqueFd entry, const struct stat& existing);
  util::Status FindExisting();
  int GiveName(const std::string& name);
  int Replace();
  // Checks the file of the name NAME.old; `older` is that file, locked.
  util::Status CheckOld(util::UniqueFd& older) const;
  util::Status KeepAsOld();
  std::string old_name() const { return place_.name + ".old"; }
  std::string old_path() const { return path_ + ".old"; }
  util::Error Failed(int error_number) const;

  OutputPlace place_;
  std::string path_;
  FileOptions options_;
  util::UniqueFd fd_;
  std::string temporary_;   // its name until it has the final one; empty: none
  bool exchanged_ = false;  // the replaced file has that name
  bool overwrote_ = false;  // the replaced file is gone
  bool named_ = false;      // has its name
  bool published_ = false;
  bool discarded_ = false;
  util::UniqueFd existing_;  // the file that has the name, locked by us
  struct stat existing_status_ = {};
  std::jthread remover_;
};

// Files with FileOptions::with_others, written and closed. First syncs all of them under hidden
// names, which detects a full disk. Then exchanges names with the existing files. After an error
// everything is as before. SIGKILL or a power loss during the exchanges leaves some new and some
// old files, and the others as .fxt-* in the directory. Other signals wait until the end.
util::Status PublishTogether(std::span<const std::shared_ptr<OutputFile>> files);

}  // namespace output
