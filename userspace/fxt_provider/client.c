/* SPDX-License-Identifier: BSD-2-Clause */
/* The connection to the recorder's control socket. A dedicated thread connects, registers this
 * program and follows the session's state; it sleeps in between. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "fxt_provider/internal.h"

enum {
  MESSAGE_BYTES = 4096,
  STACK_BYTES = 128 * 1024,
  /* Timeout of the first reply at program start, ms. */
  FIRST_REPLY_TIMEOUT_MS = 200,
  /* Delay between attempts after a refusal, or without inotify, ms. */
  RETRY_MS = 10000,
  /* First delay if the socket has no listener, ms. Doubled at each attempt. */
  FIRST_RETRY_MS = 5,
  MAX_NAME_BYTES = 100,
};

#define DEFAULT_SOCKET "/run/fxt-record/control"

FXT_PROVIDER_API const char fxt_provider_name[] __attribute__((weak)) = "";

enum progress { NOT_BEGUN, CONNECTING, REGISTERED, NOT_REGISTERED };

static struct {
  int begun; /* this process has started the thread or needs none */
  int fd;    /* of the connection, or -1 */
  int progress;
  struct sockaddr_un address;
  char received[MESSAGE_BYTES];
  size_t bytes;
  int memory; /* descriptor received with a message, or -1 */
  bool refused;
  ino_t inode; /* of the connection */
  int retry_ms;
} client = {.fd = -1, .memory = -1};

/* secure_getenv: a set-user-ID program ignores the environment. */
static bool find_socket(void) {
  const char* path = secure_getenv("FXT_RECORD_SOCKET");
  if (path == NULL || *path == '\0') path = DEFAULT_SOCKET;
  if (strlen(path) >= sizeof client.address.sun_path) return false;
  memset(&client.address, 0, sizeof client.address);
  client.address.sun_family = AF_UNIX;
  strcpy(client.address.sun_path, path);
  return true;
}

static const char* name_of_program(void) {
  if (fxt_provider_name[0] != '\0') return fxt_provider_name;
  const char* name = secure_getenv("FXT_PROVIDER_NAME");
  if (name != NULL && *name != '\0') return name;
  return program_invocation_short_name;
}

enum message { MESSAGE_OTHER, MESSAGE_STARTED, MESSAGE_STOPPED, MESSAGE_ENDED, MESSAGE_ERROR };

/* Finds the first string member called `name` in a JSON text. Returns its length; 0: not found. */
static size_t find_member(const char* text, const char* name, const char** value) {
  const size_t bytes = strlen(name);
  for (const char* at = text; (at = strchr(at, '"')) != NULL; ++at) {
    if (strncmp(at + 1, name, bytes) != 0 || at[1 + bytes] != '"') continue;
    const char* next = at + bytes + 2;
    next += strspn(next, " \t\r\n");
    if (*next != ':') continue;
    ++next;
    next += strspn(next, " \t\r\n");
    if (*next != '"') continue;
    *value = next + 1;
    return strcspn(*value, "\"");
  }
  return 0;
}

static bool equals(const char* value, size_t bytes, const char* other) {
  return bytes == strlen(other) && memcmp(value, other, bytes) == 0;
}

/* Parses a reply to RegisterProvider; see the varlink description of the interface. */
static enum message read_message(const char* text) {
  const char* value = NULL;
  if (find_member(text, "error", &value) > 0) return MESSAGE_ERROR;
  const size_t bytes = find_member(text, "state", &value);
  if (equals(value, bytes, "STARTED")) return MESSAGE_STARTED;
  if (equals(value, bytes, "STOPPED")) return MESSAGE_STOPPED;
  if (equals(value, bytes, "READY")) return MESSAGE_ENDED;
  return MESSAGE_OTHER;
}

/* Writes a RegisterProvider call with its NUL. Returns its size; 0: it does not fit. */
static size_t write_register(char* buffer, size_t size, const char* name) {
  static const char begin[] =
      "{\"method\":\"fuchsia.tracing.controller.RegisterProvider\",\"more\":true,"
      "\"parameters\":{\"name\":\"";
  char escaped[MAX_NAME_BYTES + 1];
  size_t out = 0;
  for (; name[out] != '\0' && out < MAX_NAME_BYTES; ++out) {
    const unsigned char c = (unsigned char)name[out];
    /* JSON requires UTF-8; other bytes may be invalid. */
    const bool printable = c >= 0x20 && c != '"' && c != '\\' && c < 0x7f;
    escaped[out] = printable ? (char)c : '_';
  }
  escaped[out] = '\0';
  const int bytes = snprintf(buffer, size, "%s%s\",\"pid\":%ld}}", begin, escaped, (long)getpid());
  return bytes > 0 && (size_t)bytes < size ? (size_t)bytes + 1 : 0;
}

/* Returns 0 or an errno. */
static int connect_and_register(void) {
  char message[1024];
  const size_t bytes = write_register(message, sizeof message, name_of_program());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return errno;
  if (bytes == 0 ||
      connect(fd, (const struct sockaddr*)&client.address, sizeof client.address) != 0 ||
      send(fd, message, bytes, MSG_NOSIGNAL) != (ssize_t)bytes) {
    const int error = errno;
    close(fd);
    return error;
  }
  struct stat status;
  client.inode = fstat(fd, &status) == 0 ? status.st_ino : 0;
  client.retry_ms = 0;
  client.fd = fd;
  client.bytes = 0;
  __atomic_store_n(&client.progress, CONNECTING, __ATOMIC_RELEASE);
  return 0;
}

static void disconnect(void) {
  fxt_session_end();
  /* A program may have closed all descriptors and reused this number. */
  struct stat status;
  if (client.fd >= 0 && fstat(client.fd, &status) == 0 && status.st_ino == client.inode) {
    close(client.fd);
  }
  if (client.memory >= 0) close(client.memory);
  client.fd = client.memory = -1;
  client.bytes = 0;
  __atomic_store_n(&client.progress, NOT_REGISTERED, __ATOMIC_RELEASE);
}

/* Handles one message. False if the recorder refused this program. */
static bool handle(const char* message) {
  if (client.memory >= 0 && strstr(message, "\"descriptor\"") != NULL) {
    fxt_session_end();
    if (fxt_session_begin(client.memory)) fxt_strings_share(fxt_session_memory());
    close(client.memory);
    client.memory = -1;
  }
  switch (read_message(message)) {
    case MESSAGE_STARTED:
      fxt_session_start();
      break;
    case MESSAGE_STOPPED:
      fxt_session_stop();
      break;
    case MESSAGE_ENDED:
      fxt_session_end();
      break;
    case MESSAGE_ERROR:
      client.refused = true;
      return false;
    case MESSAGE_OTHER:
      break;
  }
  __atomic_store_n(&client.progress, REGISTERED, __ATOMIC_RELEASE);
  return true;
}

/* Reads once and handles the whole messages. False at the end of the connection. */
static bool receive(void) {
  struct iovec part = {client.received + client.bytes, sizeof client.received - client.bytes};
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  const ssize_t got = recvmsg(client.fd, &message, MSG_CMSG_CLOEXEC);
  if (got < 0) return errno == EINTR;
  const struct cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
    if (client.memory >= 0) close(client.memory);
    memcpy(&client.memory, CMSG_DATA(header), sizeof client.memory);
  }
  if (got == 0) return false;
  client.bytes += (size_t)got;
  for (;;) {
    const char* end = memchr(client.received, '\0', client.bytes);
    if (end == NULL) return client.bytes < sizeof client.received;
    if (!handle(client.received)) return false;
    const size_t used = (size_t)(end - client.received) + 1;
    client.bytes -= used;
    memmove(client.received, end + 1, client.bytes);
  }
}

static bool wait_readable(int fd, int milliseconds) {
  struct pollfd ready = {fd, POLLIN, 0};
  return poll(&ready, 1, milliseconds) > 0;
}

/* Connects, or waits until the folder of the socket changes. If the folder does not exist, watches
 * the nearest existing folder above it. */
static void wait_for_socket(void) {
  const int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  char folder[sizeof client.address.sun_path];
  strcpy(folder, client.address.sun_path);
  int watched = -1;
  char* slash = NULL;
  while (watch >= 0 && watched < 0 && (slash = strrchr(folder, '/')) != NULL) {
    slash[slash == folder ? 1 : 0] = '\0';
    watched = inotify_add_watch(
        watch, folder, IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF);
    if (slash == folder) break;
  }
  /* The socket may have appeared before the watch. */
  const int error = connect_and_register();
  if (error != 0) {
    if (watched >= 0 && error == ECONNREFUSED) {
      /* Either the recorder has bound the socket and will listen, which inotify does not report, or
       * it was killed. Tries again. */
      client.retry_ms = client.retry_ms == 0 ? FIRST_RETRY_MS : 2 * client.retry_ms;
      if (client.retry_ms > RETRY_MS) client.retry_ms = RETRY_MS;
      wait_readable(watch, client.retry_ms);
    } else if (watched >= 0) {
      wait_readable(watch, -1);
    } else {
      poll(NULL, 0, RETRY_MS);
    }
  }
  if (watch >= 0) close(watch);
}

static void* run(void* unused) {
  (void)unused;
  prctl(PR_SET_NAME, "fxt-provider");
  for (;;) {
    if (client.fd < 0 && connect_and_register() != 0) wait_for_socket();
    if (client.fd < 0) continue;
    while (receive()) {
    }
    disconnect();
    if (client.refused) poll(NULL, 0, RETRY_MS);
    client.refused = false;
    wait_for_socket();
  }
  return NULL;
}

static void start_thread(void) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  /* The program's signals must not be delivered to this thread. */
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  pthread_create(&thread, &attributes, run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
}

static uint64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Waits for the reply, which a running recorder sends at once. Otherwise a program that ends soon
 * would never be registered. */
static void wait_for_first_reply(void) {
  const uint64_t deadline = now_ms() + FIRST_REPLY_TIMEOUT_MS;
  for (uint64_t now = now_ms();
       __atomic_load_n(&client.progress, __ATOMIC_ACQUIRE) == CONNECTING && now < deadline;
       now = now_ms()) {
    if (wait_readable(client.fd, (int)(deadline - now)) && !receive()) return disconnect();
  }
}

void fxt_client_begin(void) {
  if (__atomic_exchange_n(&client.begun, 1, __ATOMIC_ACQ_REL) != 0) return;
  fxt_session_make_state();
  fxt_set_state(FXT_STATE_OFF);
  fxt_nonce_begin((uint32_t)getpid());
  const char* setting = secure_getenv("FXT_PROVIDER");
  if ((setting != NULL && strcmp(setting, "off") == 0) || !find_socket()) return;
  __atomic_store_n(&client.progress, NOT_REGISTERED, __ATOMIC_RELEASE);
  const int error = connect_and_register();
  /* Without permission to connect no thread is started. */
  if (error == EACCES || error == EPERM) return;
  if (error == 0) wait_for_first_reply();
  start_thread();
}

FXT_PROVIDER_API int fxt_provider_wait(uint32_t milliseconds) {
  fxt_client_begin();
  const uint64_t deadline = now_ms() + milliseconds;
  int progress;
  while ((progress = __atomic_load_n(&client.progress, __ATOMIC_ACQUIRE)) == CONNECTING &&
         now_ms() < deadline) {
    poll(NULL, 0, 1);
  }
  return progress == REGISTERED;
}

/* The connection and the thread belong to the parent. The child registers at its first trace point.
 */
static void in_child(void) {
  fxt_session_forget();
  fxt_writer_forget();
  if (client.fd >= 0) close(client.fd);
  if (client.memory >= 0) close(client.memory);
  client.fd = client.memory = -1;
  client.bytes = 0;
  client.progress = NOT_BEGUN;
  __atomic_store_n(&client.begun, 0, __ATOMIC_RELEASE);
  fxt_set_state(FXT_STATE_ASK);
}

__attribute__((constructor)) static void begin(void) {
  pthread_atfork(NULL, NULL, in_child);
  fxt_client_begin();
}
