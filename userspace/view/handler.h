// SPDX-License-Identifier: BSD-2-Clause
// Answers the requests of the page: its files, the index, and what other commands of fxt say.
#pragma once

#include <string>
#include <vector>

#include "serve/page_server.h"
#include "view/answers.h"
#include "view/indexed_trace.h"
#include "view/job_queue.h"

namespace view {

// Answers from the index come at once; other commands run in processes of their own, two at a time.
class Handler {
 public:
  // Must outlive it. `other` is a second trace, shown below the first one; null: there is none.
  // `keeps_columns`: statements run with `fxt query --cache`.
  Handler(IndexedTrace& trace, IndexedTrace* other, bool keeps_columns)
      : traces_{&trace, other}, keeps_columns_(keeps_columns) {}

  void Answer(const serve::PageRequest& request, serve::PageServer::Respond respond);
  // For the page's event stream.
  std::string Status() const;

 private:
  // The trace that the parameter "trace" names: 0 or 1.
  IndexedTrace& TraceOf(const QueryString& query) const;
  void RunSlow(const serve::PageRequest& request, serve::PageServer::Respond respond);
  // The words of `fxt query` for a statement.
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
