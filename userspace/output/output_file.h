// SPDX-License-Identifier: BSD-2-Clause
// A file that is written before it has its name.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "output/open_timeout.h"
#include "output/output_place.h"
#include "util/result.h"
#include "util/unique_fd.h"

namespace output {

struct FileOptions {
  // Who may read it. Its group's part holds for `group`; where the file cannot have that group,
  // nobody has it.
  mode_t mode = 0600;
  std::optional<gid_t> group = std::nullopt;
  // A recording is there to be read while it grows: it takes a free name at once, and any at
  // Publish(); what had the name stays as NAME.old, unless it is empty. What was never published
  // goes away. Anything else takes its name when it is closed.
  bool recording = false;
  // Nobody publishes it by itself: it takes its name with other files (publish_together.h).
  bool with_others = false;
  std::string option = "-o";  // what hints call the option that named it
  // How long to wait for whoever reads a FIFO, and later a pipe; asked on the thread that waits.
  // None: for ever.
  output::KeepWaiting keep_waiting = {};
};

// What has the name is never written into: the file is always a new one, of our own mode, which
// takes the name. So nobody has it open, or under another name, who may not read it. It belongs to
// whom the file belonged that it replaces (which is trusted, see owner_rules.h), else to the user
// behind sudo.
//
// A lock (flock(2)) on the file says that it is being written. Readers need not know about it.
class OutputFile {
 public:
  // `place` is none or a regular file. Errors: what is there is somebody else's, or is being
  // written; or nothing can be written there.
  static util::Result<std::unique_ptr<OutputFile>> Create(OutputPlace place, std::string path,
                                                          const FileOptions& options);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();  // discards what was not published

  int fd() const { return fd_.get(); }
  bool recording() const { return options_.recording; }
  bool with_others() const { return options_.with_others; }
  bool published() const { return published_; }

  // Gives it its name. Once it has it, Ok without doing anything.
  util::Status Publish();
  // Publish() does nothing from then on, and the file goes away.
  void Discard() { discarded_ = true; }

  // The same in steps that can be taken back, for PublishTogether(). What was written is on the
  // disk, and has a hidden name:
  util::Status Stage();
  // It has its own name, and what had that the hidden one:
  util::Status Exchange();
  // What it replaced has its name again, except where a file system cannot exchange names.
  void TakeBack();
  // Behind all of it; what was replaced goes away.
  void Settle();

 private:
  OutputFile(OutputPlace place, std::string path, const FileOptions& options)
      : place_(std::move(place)), path_(std::move(path)), options_(options) {}

  bool Make();
  util::Status SetOwnerAndMode();
  // What has the name: ours to replace, and locked by us from then on.
  util::Status TakeOver(util::UniqueFd entry, const struct stat& existing);
  util::Status FindExisting();
  int GiveName(const std::string& name);
  int Replace();
  // What has the name that the replaced file gets; `older` is it, locked.
  util::Status CheckOld(util::UniqueFd& older) const;
  util::Status KeepAsOld();
  std::string old_name() const { return place_.name + ".old"; }
  std::string old_path() const { return path_ + ".old"; }
  util::Error Failed(int error_number) const;

  OutputPlace place_;
  std::string path_;
  FileOptions options_;
  util::UniqueFd fd_;
  std::string temporary_;   // its name until it has the right one; empty: none
  bool exchanged_ = false;  // what it replaced has that name
  bool overwrote_ = false;  // what it replaced is gone
  bool named_ = false;      // has its name
  bool published_ = false;
  bool discarded_ = false;
  util::UniqueFd existing_;  // the file that has the name, with our lock
  struct stat existing_status_ = {};
  std::jthread remover_;
};

}  // namespace output
