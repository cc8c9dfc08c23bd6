// SPDX-License-Identifier: BSD-2-Clause
// Answers the requests of the page: its files, data of the index, and output of other fxt commands.
#pragma once

#include <string>
#include <vector>

#include "serve/page_server.h"
#include "view/answers.h"
#include "view/indexed_trace.h"
#include "view/job_queue.h"

namespace view {

// Answers from the index are immediate. Other commands run in child processes, two at a time.
class Handler {
 public:
  // The traces must outlive the handler. `other` is a second trace, shown below the first one;
  // null: none. `keeps_columns`: statements run with `fxt query --cache`.
  Handler(IndexedTrace& trace, IndexedTrace* other, bool keeps_columns)
      : traces_{&trace, other}, keeps_columns_(keeps_columns) {}

  void Answer(const serve::PageRequest& request, serve::PageServer::Respond respond);
  // The status of the traces, for the page's event stream.
  std::string Status() const;

 private:
  // The trace selected by the parameter "trace": 0 or 1.
  IndexedTrace& TraceOf(const QueryString& query) const;
  void RunSlow(const serve::PageRequest& request, serve::PageServer::Respond respond);
  // The arguments of `fxt query` for a statement.
  std::vector<std::string> QueryWords(const std::string& path, const std::string& statement) const;
  serve::PageResponse Sql(const serve::PageRequest& request);
  serve::PageResponse Report(const serve::PageRequest& request);
  serve::PageResponse Stack(const serve::PageRequest& request);
  serve::PageResponse Path(const serve::PageRequest& request);
  serve::PageResponse Row(const serve::PageRequest& request);

  IndexedTrace* traces_[2];
  bool keeps_columns_;
  JobQueue jobs_{2};
};

}  // namespace view
