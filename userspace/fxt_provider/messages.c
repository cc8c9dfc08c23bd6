/* SPDX-License-Identifier: BSD-2-Clause */
/* The few words that this library exchanges with the controller, which is varlink's JSON. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fxt_provider/internal.h"

/* The value of the first member of this name that is a string; its bytes, 0 when there is none. */
static size_t find_word(const char* text, const char* name, const char** word) {
  const size_t bytes = strlen(name);
  for (const char* at = text; (at = strchr(at, '"')) != NULL; ++at) {
    if (strncmp(at + 1, name, bytes) != 0 || at[1 + bytes] != '"') continue;
    const char* value = at + bytes + 2;
    value += strspn(value, " \t\r\n");
    if (*value != ':') continue;
    ++value;
    value += strspn(value, " \t\r\n");
    if (*value != '"') continue;
    *word = value + 1;
    return strcspn(*word, "\"");
  }
  return 0;
}

static bool is(const char* word, size_t bytes, const char* other) {
  return bytes == strlen(other) && memcmp(word, other, bytes) == 0;
}

enum fxt_message fxt_read_message(const char* text) {
  const char* word = NULL;
  if (find_word(text, "error", &word) > 0) return FXT_MESSAGE_ERROR;
  const size_t bytes = find_word(text, "state", &word);
  if (is(word, bytes, "STARTED")) return FXT_MESSAGE_STARTED;
  if (is(word, bytes, "STOPPED")) return FXT_MESSAGE_STOPPED;
  if (is(word, bytes, "READY")) return FXT_MESSAGE_ENDED;
  return FXT_MESSAGE_OTHER;
}

size_t fxt_write_register(char* buffer, size_t size, const char* name) {
  static const char begin[] =
      "{\"method\":\"fuchsia.tracing.controller.RegisterProvider\",\"more\":true,"
      "\"parameters\":{\"name\":\"";
  char escaped[6 * 100 + 1];
  size_t out = 0;
  for (size_t i = 0; name[i] != '\0' && i < 100; ++i) {
    const unsigned char c = (unsigned char)name[i];
    if (c < 0x20 || c == '"' || c == '\\' || c >= 0x7f) {
      /* What is not ASCII may be no UTF-8, which JSON has to be. */
      escaped[out++] = '_';
    } else {
      escaped[out++] = (char)c;
    }
  }
  escaped[out] = '\0';
  const int bytes = snprintf(buffer, size, "%s%s\",\"pid\":%ld}}", begin, escaped, (long)getpid());
  return bytes > 0 && (size_t)bytes < size ? (size_t)bytes + 1 : 0;
}
