// SPDX-License-Identifier: BSD-2-Clause
// The secret key of a machine, with which values of environment variables are hashed. Equal values
// of a variable have equal hashes in all recordings of the machine; without the key no one can test
// a guess.
#pragma once

#include <string>
#include <string_view>

#include "util/sip_hash.h"

namespace settings {

class HashKey {
 public:
  static constexpr const char* kPath = "/var/lib/fxt-record/settings.key";

  // Reads 16 bytes from `path`, or creates the file, readable only by its owner. A file of
  // another user, or that others can read or write, is not used. If the file cannot be created, the
  // key is random, and hashes can be compared only within this process.
  static HashKey Load(const std::string& path = kPath);

  // The hash of a variable's value, 16 hexadecimal digits. The name counts: equal values of two
  // variables have different hashes.
  std::string HashOf(std::string_view name, std::string_view value) const;
  // Identifies a key without revealing it.
  std::string Identity() const;

 private:
  util::SipKey key_{};
};

}  // namespace settings
