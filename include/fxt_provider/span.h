// SPDX-License-Identifier: BSD-2-Clause
// Spans as C++17 objects: RAII forms of TRACE_DURATION and of TRACE_ASYNC_BEGIN and _END.
#pragma once

#include <cstdint>
#include <utility>

#include "fxt_provider/event.h"

namespace fxt_provider {

// A trace point: the category and the name of a span.
class Site {
 public:
  // Keeps the pointers: pass literals.
  constexpr Site(const char* category, const char* name)
      : site_ FXT_SITE(category, name, nullptr, 0) {}
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  bool enabled() { return fxt_site_enabled(&site_) != 0; }
  // Precondition: enabled().
  void Write(fxt_event_type type, uint64_t payload = 0) {
    fxt_provider_write(&site_, type, payload, nullptr);
  }

 private:
  fxt_site site_;
};

// A duration of this thread, from the constructor to End() or the destructor:
//
//   static fxt_provider::Site site("server", "parse");
//   fxt_provider::Span span(site);
//
// Spans of a thread must end in reverse order.
class Span {
 public:
  explicit Span(Site& site) {
    if (!site.enabled()) return;
    site.Write(FXT_DURATION_BEGIN);
    site_ = &site;
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() { End(); }

  void End() {
    Site* const site = std::exchange(site_, nullptr);
    if (site != nullptr && site->enabled()) site->Write(FXT_DURATION_END);
  }

 private:
  Site* site_ = nullptr;  // null: not begun, or ended
};

// An async span. It may be moved and ended on another thread.
class AsyncSpan {
 public:
  AsyncSpan() = default;
  explicit AsyncSpan(Site& site) {
    if (!site.enabled()) return;
    id_ = TRACE_NONCE();
    site.Write(FXT_ASYNC_BEGIN, id_);
    site_ = &site;
  }
  AsyncSpan(AsyncSpan&& other) noexcept
      : site_(std::exchange(other.site_, nullptr)), id_(other.id_) {}
  AsyncSpan& operator=(AsyncSpan&& other) noexcept {
    if (this == &other) return *this;
    End();
    site_ = std::exchange(other.site_, nullptr);
    id_ = other.id_;
    return *this;
  }
  ~AsyncSpan() { End(); }

  // Writes an instant of the span.
  void Instant() {
    if (site_ != nullptr && site_->enabled()) site_->Write(FXT_ASYNC_INSTANT, id_);
  }
  void End() {
    Site* const site = std::exchange(site_, nullptr);
    if (site != nullptr && site->enabled()) site->Write(FXT_ASYNC_END, id_);
  }
  // 0: not begun.
  uint64_t id() const { return id_; }

 private:
  Site* site_ = nullptr;
  uint64_t id_ = 0;
};

}  // namespace fxt_provider
