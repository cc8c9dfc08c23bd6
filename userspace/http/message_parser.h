// SPDX-License-Identifier: BSD-2-Clause
// One HTTP/1.1 message (RFC 9112) out of what comes over a connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "util/result.h"

namespace http {

struct Field {
  std::string name;
  std::string value;
};

struct Message {
  // Of a request.
  std::string method;
  std::string target;
  // Of a response.
  unsigned status = 0;

  std::vector<Field> fields;
  std::string body;

  // Fields of that name, in upper or lower case, and the first one's value; "" where there is none.
  size_t Count(std::string_view name) const;
  std::string_view ValueOf(std::string_view name) const;
};

// The grammar is Boost.Beast's; how the bytes come is the caller's affair.
class MessageParser {
 public:
  enum class Of : uint8_t { kRequest, kResponse };
  struct Limits {
    uint32_t head_bytes = uint32_t{16} << 10;
    uint64_t body_bytes = 0;
  };

  MessageParser(Of of, const Limits& limits);
  ~MessageParser();
  MessageParser(const MessageParser&) = delete;
  MessageParser& operator=(const MessageParser&) = delete;

  // Takes what came next; what is behind the end of the message is left alone, and responses that
  // only say that one will come (1xx) are passed over. Errors: it is no such message, or larger
  // than the limits. Not again after an error.
  util::Status Add(std::string_view bytes);
  // Nothing comes any more. Errors: a part is missing. A body without a length ends here.
  util::Status End();

  bool has_head() const;  // all but the body is there
  bool is_done() const;
  // Whether the connection serves for another one, once it is done.
  bool keeps_alive() const;
  Message& message();

 private:
  class Grammar;
  template <bool kIsRequest>
  class GrammarOf;

  std::unique_ptr<Grammar> NewGrammar() const;

  Of of_;
  Limits limits_;
  std::unique_ptr<Grammar> grammar_;
};

}  // namespace http
