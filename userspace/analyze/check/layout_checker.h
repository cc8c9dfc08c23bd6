// SPDX-License-Identifier: BSD-2-Clause
// Checks a record's words beyond what reading it needs: reserved bits, padding, sizes, text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "analyze/check/finding.h"
#include "analyze/check/rules.h"
#include "fxt/reader.h"

namespace analyze {

class LayoutChecker {
 public:
  explicit LayoutChecker(FindingHandler report) : report_(std::move(report)) {}

  // The record that `reader` stands at.
  void Check(const fxt::Reader& reader);

 private:
  void Report(const Rule& rule, std::string message);
  // Each checks its part of the record and moves past it.
  void Words(size_t count) { next_ += count; }
  void Stream(const void* start, size_t bytes, std::string_view what);
  void Text(std::string_view text, std::string_view what);
  void String(const fxt::StringRef& string, std::string_view what, bool any_bytes = false);
  void Thread(const fxt::ThreadRef& thread) { next_ += thread.words(); }
  void Arguments(std::span<const fxt::Argument> arguments);
  void State(fxt::ThreadState state);
  void SecondWord(uint64_t reserved);
  void Branches(const fxt::Blob& blob);

  // All of a record behind its header.
  void Body(const fxt::ProviderInfo& r);
  void Body(const fxt::Initialization&) { Words(1); }
  void Body(const fxt::StringRecord& r);
  void Body(const fxt::ThreadRecord&) { Words(2); }
  void Body(const fxt::Event& r);
  void Body(const fxt::Blob& r);
  void Body(const fxt::UserspaceObject& r);
  void Body(const fxt::KernelObject& r);
  void Body(const fxt::LegacyContextSwitch& r);
  void Body(const fxt::ContextSwitch& r);
  void Body(const fxt::ThreadWakeup& r);
  void Body(const fxt::Log& r);
  void Body(const fxt::LargeBlobWithMetadata& r);
  void Body(const fxt::LargeBlob& r);
  void Body(const fxt::ProfilerModule& r);
  void Body(const fxt::ProfilerMmap& r);
  void Body(const fxt::ProfilerBacktrace& r);
  // Records of one word.
  void Body(const fxt::MagicNumber&) {}
  void Body(const fxt::ProviderSection&) {}
  void Body(const fxt::ProviderEvent&) {}
  // Records whose contents are not known.
  void Body(const fxt::TraceInfo&) { next_ = words_.size(); }
  void Body(const fxt::UnknownRecord&) { next_ = words_.size(); }

  FindingHandler report_;
  std::span<const uint64_t> words_;
  uint64_t offset_ = 0;
  size_t next_ = 0;  // word
};

}  // namespace analyze
