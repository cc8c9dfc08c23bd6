/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the recorder and does what it says, on a thread of its own that sleeps otherwise. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
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
  /* How long the start of a program waits for a recorder that is there; ms. */
  FIRST_PATIENCE_MS = 200,
  /* Where the folder cannot be watched. */
  RETRY_MS = 10000,
};

#define DEFAULT_SOCKET "/run/fxt-record/control"

FXT_PROVIDER_API const char fxt_provider_name[] __attribute__((weak)) = "";

enum progress { NOT_BEGUN, UNDER_WAY, TAKES_PART, ALONE };

static struct {
  int begun; /* a thread was started in this process, or nobody wants one */
  int fd;    /* of the connection, or -1 */
  int progress;
  struct sockaddr_un address;
  char received[MESSAGE_BYTES];
  size_t bytes;
  int memory; /* descriptor that came with what was received, or -1 */
  bool refused;
  ino_t inode; /* of the connection */
} client = {.fd = -1, .memory = -1};

/* What the environment may not say to a program with another user's rights. */
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

/* 0, or what is wrong. */
static int connect_and_register(void) {
  char message[1024];
  const size_t bytes = fxt_write_register(message, sizeof message, name_of_program());
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
  client.fd = fd;
  client.bytes = 0;
  __atomic_store_n(&client.progress, UNDER_WAY, __ATOMIC_RELEASE);
  return 0;
}

static void disconnect(void) {
  fxt_session_end();
  /* A program that closes whatever is open may have something else there by now. */
  struct stat status;
  if (client.fd >= 0 && fstat(client.fd, &status) == 0 && status.st_ino == client.inode) {
    close(client.fd);
  }
  if (client.memory >= 0) close(client.memory);
  client.fd = client.memory = -1;
  client.bytes = 0;
  __atomic_store_n(&client.progress, ALONE, __ATOMIC_RELEASE);
}

/* False when the recorder is done with this program. */
static bool follow(const char* message) {
  if (client.memory >= 0 && strstr(message, "\"descriptor\"") != NULL) {
    fxt_session_end();
    if (fxt_session_begin(client.memory)) fxt_strings_share(fxt_session_memory());
    close(client.memory);
    client.memory = -1;
  }
  switch (fxt_read_message(message)) {
    case FXT_MESSAGE_STARTED:
      fxt_session_start();
      break;
    case FXT_MESSAGE_STOPPED:
      fxt_session_stop();
      break;
    case FXT_MESSAGE_ENDED:
      fxt_session_end();
      break;
    case FXT_MESSAGE_ERROR:
      client.refused = true;
      return false;
    case FXT_MESSAGE_OTHER:
      break;
  }
  __atomic_store_n(&client.progress, TAKES_PART, __ATOMIC_RELEASE);
  return true;
}

/* A piece of what comes; false at the end. */
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
  /* The recorder sends what comes with a descriptor as one message. */
  for (;;) {
    const char* end = memchr(client.received, '\0', client.bytes);
    if (end == NULL) return client.bytes < sizeof client.received;
    if (!follow(client.received)) return false;
    const size_t used = (size_t)(end - client.received) + 1;
    client.bytes -= used;
    memmove(client.received, end + 1, client.bytes);
  }
}

static bool wait_readable(int fd, int milliseconds) {
  struct pollfd ready = {fd, POLLIN, 0};
  return poll(&ready, 1, milliseconds) > 0;
}

/* Until something changes where the socket should be: in its folder, or in the nearest one above
 * that exists. */
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
  /* It may have come before the watch. */
  if (connect_and_register() != 0) {
    if (watched >= 0) {
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
    /* Whoever refused this program would do so again. */
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
  /* No signal of the program's ends up there. */
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

/* A recorder that is there answers at once: so a program that is over soon takes part as well. */
static void ask_first(void) {
  const uint64_t deadline = now_ms() + FIRST_PATIENCE_MS;
  for (uint64_t now = now_ms();
       __atomic_load_n(&client.progress, __ATOMIC_ACQUIRE) == UNDER_WAY && now < deadline;
       now = now_ms()) {
    if (wait_readable(client.fd, (int)(deadline - now)) && !receive()) return disconnect();
  }
}

void fxt_client_begin(void) {
  if (__atomic_exchange_n(&client.begun, 1, __ATOMIC_ACQ_REL) != 0) return;
  fxt_session_make_state();
  fxt_set_state(FXT_STATE_OFF);
  fxt_nonce_begin((uint32_t)getpid());
  const char* wish = secure_getenv("FXT_PROVIDER");
  if ((wish != NULL && strcmp(wish, "off") == 0) || !find_socket()) return;
  __atomic_store_n(&client.progress, ALONE, __ATOMIC_RELEASE);
  const int error = connect_and_register();
  /* Without the right to speak to it the program is as it would be without this library. */
  if (error == EACCES || error == EPERM) return;
  if (error == 0) ask_first();
  start_thread();
}

FXT_PROVIDER_API int fxt_provider_wait(uint32_t milliseconds) {
  fxt_client_begin();
  const uint64_t deadline = now_ms() + milliseconds;
  int progress;
  while ((progress = __atomic_load_n(&client.progress, __ATOMIC_ACQUIRE)) == UNDER_WAY &&
         now_ms() < deadline) {
    poll(NULL, 0, 1);
  }
  return progress == TAKES_PART;
}

/* The connection and the thread are the parent's: the child asks for itself at its first trace
 * point. */
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
