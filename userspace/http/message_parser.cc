// SPDX-License-Identifier: BSD-2-Clause
#include "http/message_parser.h"

#include <strings.h>

#include <algorithm>
#include <boost/beast/http/basic_parser.hpp>
#include <utility>

namespace http {
namespace {

namespace beast = boost::beast;
using beast::error_code;
using beast::string_view;

bool IsSameName(std::string_view one, std::string_view two) {
  return one.size() == two.size() && strncasecmp(one.data(), two.data(), one.size()) == 0;
}

// Of a response: the one that was asked for comes behind it. 101 is the last one: what follows is
// no HTTP.
bool IsInterim(const Message& message) {
  return message.status >= 100 && message.status < 200 && message.status != 101;
}

std::string Text(string_view text) { return {text.data(), text.size()}; }

}  // namespace

size_t Message::Count(std::string_view name) const {
  return static_cast<size_t>(std::count_if(fields.begin(), fields.end(), [&](const Field& field) {
    return IsSameName(field.name, name);
  }));
}

std::string_view Message::ValueOf(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return IsSameName(field.name, name); });
  return found == fields.end() ? std::string_view() : found->value;
}

// What requests and responses have in common.
class MessageParser::Grammar {
 public:
  virtual ~Grammar() = default;
  virtual size_t Put(std::string_view bytes, error_code& error) = 0;
  virtual void PutEnd(error_code& error) = 0;
  virtual bool has_head() const = 0;
  virtual bool is_done() const = 0;
  virtual bool keeps_alive() const = 0;

  Message message;
  // What is no whole line yet.
  std::string rest;
};

template <bool kIsRequest>
class MessageParser::GrammarOf final : public Grammar, beast::http::basic_parser<kIsRequest> {
  using Parser = beast::http::basic_parser<kIsRequest>;

 public:
  explicit GrammarOf(const Limits& limits) {
    this->header_limit(limits.head_bytes);
    this->body_limit(limits.body_bytes);
    this->eager(true);
  }

  size_t Put(std::string_view bytes, error_code& error) override {
    return this->put(boost::asio::const_buffer(bytes.data(), bytes.size()), error);
  }
  void PutEnd(error_code& error) override {
    if (Parser::got_some()) return this->put_eof(error);
    error = beast::http::error::end_of_stream;
  }
  bool has_head() const override { return Parser::is_header_done(); }
  bool is_done() const override { return Parser::is_done(); }
  bool keeps_alive() const override { return Parser::keep_alive(); }

 private:
  void on_request_impl(beast::http::verb /*known*/, string_view method, string_view target,
                       int /*version*/, error_code& /*error*/) override {
    message.method = Text(method);
    message.target = Text(target);
  }
  void on_response_impl(int code, string_view /*reason*/, int /*version*/,
                        error_code& /*error*/) override {
    message.status = static_cast<unsigned>(code);
  }
  void on_field_impl(beast::http::field /*known*/, string_view name, string_view value,
                     error_code& /*error*/) override {
    message.fields.push_back({.name = Text(name), .value = Text(value)});
  }
  void on_header_impl(error_code& /*error*/) override {}
  void on_body_init_impl(const boost::optional<uint64_t>& /*length*/,
                         error_code& /*error*/) override {}
  size_t on_body_impl(string_view bytes, error_code& /*error*/) override {
    message.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_chunk_header_impl(uint64_t /*size*/, string_view /*extensions*/,
                            error_code& /*error*/) override {}
  size_t on_chunk_body_impl(uint64_t /*remain*/, string_view bytes,
                            error_code& /*error*/) override {
    message.body.append(bytes.data(), bytes.size());
    return bytes.size();
  }
  void on_finish_impl(error_code& /*error*/) override {}
};

std::unique_ptr<MessageParser::Grammar> MessageParser::NewGrammar() const {
  if (of_ == Of::kRequest) return std::make_unique<GrammarOf<true>>(limits_);
  return std::make_unique<GrammarOf<false>>(limits_);
}

MessageParser::MessageParser(Of of, const Limits& limits)
    : of_(of), limits_(limits), grammar_(NewGrammar()) {}
MessageParser::~MessageParser() = default;

util::Status MessageParser::Add(std::string_view bytes) {
  grammar_->rest.append(bytes);
  while (!grammar_->rest.empty() && !grammar_->is_done()) {
    std::string& rest = grammar_->rest;
    error_code error;
    rest.erase(0, grammar_->Put(rest, error));
    // Of the beginnings of chunks the grammar knows no longest one.
    if (error == beast::http::error::need_more && rest.size() <= limits_.head_bytes) break;
    if (error) return util::Error{error.message(), ""};
    if (grammar_->is_done() && IsInterim(grammar_->message)) {
      std::string behind = std::move(rest);
      grammar_ = NewGrammar();
      grammar_->rest = std::move(behind);
    }
  }
  return util::Ok();
}

util::Status MessageParser::End() {
  if (is_done()) return util::Ok();
  error_code error;
  grammar_->PutEnd(error);
  if (error) return util::Error{error.message(), ""};
  return util::Ok();
}

bool MessageParser::has_head() const { return grammar_->has_head(); }
bool MessageParser::is_done() const { return grammar_->is_done(); }
bool MessageParser::keeps_alive() const { return is_done() && grammar_->keeps_alive(); }
Message& MessageParser::message() { return grammar_->message; }

}  // namespace http
