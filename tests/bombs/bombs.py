#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs every command of fxt on made files that repeat one thing as often as their size allows.

bombs.py BUILD [--mib 10] [--only GLOB] [--commands GLOB] [--keep FOLDER]. Prints a table: peak memory (MiB) and CPU time
(s) of each command on each file, and the size of its output. Exit status 1 if a command needs 1 GiB or more, takes 10 s of
CPU time or more, or ends by a signal. `json` and `dump`, whose output grows with every record, have the limit of memory
alone."""

import argparse
import fnmatch
import os
import resource
import struct
import subprocess
import sys
import tempfile
import time
import traceback

MIB = 1 << 20
MEMORY_LIMIT = 1 << 30
TIME_LIMIT_S = 10
DEADLINE_S = 120
LARGE_OUTPUT = {"json", "dump"}

INSTANT, COUNTER, BEGIN, END, COMPLETE, ASYNC_BEGIN, ASYNC_INSTANT, ASYNC_END, FLOW_BEGIN, FLOW_STEP, FLOW_END = range(11)
INT64, UINT64, STRING, POINTER, KOID = 3, 4, 6, 7, 8
INLINE = 0x8000


def word(value):
    return struct.pack("<Q", value & (1 << 64) - 1)


def padded(text):
    return text + bytes(-len(text) % 8)


class Writer:
    """Builds records. Strings and threads are registered once, with growing indexes."""

    def __init__(self, provider=b"fxt-record"):
        self.parts = [word(0x0016547846040010)]
        self.provider(1, provider)
        self.section(1)
        self.add(word(1 | 2 << 4) + word(1000000000))
        self.strings = 0
        self.threads = 0
        self.time = 1000

    def add(self, record):
        self.parts.append(record)

    def provider(self, number, name):
        self.add(word((1 + len(padded(name)) // 8) << 4 | 1 << 16 | number << 20 | len(name) << 52) + padded(name))

    def section(self, number):
        self.add(word(1 << 4 | 2 << 16 | number << 20))

    def string(self, text):
        self.strings += 1
        self.add(word(2 | (1 + len(padded(text)) // 8) << 4 | self.strings << 16 | len(text) << 32) + padded(text))
        return self.strings

    def thread(self, process, thread):
        self.threads += 1
        self.add(word(3 | 3 << 4 | self.threads << 16) + word(process) + word(thread))
        return self.threads

    def now(self):
        self.time += 100
        return self.time

    def event(self, kind, category, name, thread, arguments=b"", count=0, ids=b"", process=None, inline=b""):
        """`thread` is an index, or with `process` a koid written inline. `inline` are inline category and name."""
        words = 2 + (2 if process is not None else 0) + (len(inline) + len(arguments) + len(ids)) // 8
        head = 4 | words << 4 | kind << 16 | count << 20 | (0 if process is not None else thread) << 24 | category << 32 | name << 48
        self.add(word(head) + word(self.now()) + (word(process) + word(thread) if process is not None else b"") + inline +
                 arguments + ids)

    def kernel_object(self, kind, koid, name, arguments=b"", count=0):
        text = padded(name)
        self.add(word(7 | (2 + (len(text) + len(arguments)) // 8) << 4 | kind << 16 | (INLINE | len(name)) << 24 | count << 40) +
                 word(koid) + text + arguments)

    def switch(self, cpu, state, outgoing, incoming):
        self.add(word(8 | 4 << 4 | (cpu & 0xffff) << 20 | state << 36 | 1 << 60) + word(self.now()) + word(outgoing) + word(incoming))

    def wakeup(self, cpu, thread, arguments=b"", count=0):
        self.add(word(8 | (3 + len(arguments) // 8) << 4 | count << 16 | cpu << 20 | 2 << 60) + word(self.now()) + word(thread) +
                 arguments)

    def log(self, thread, text):
        self.add(word(9 | (2 + len(padded(text)) // 8) << 4 | len(text) << 16 | thread << 32) + word(self.now()) + padded(text))

    def fill(self, size, make):
        """Calls `make` with 0, 1, ... until the file has `size` bytes."""
        held = sum(map(len, self.parts))
        number = 0
        while held < size:
            before = len(self.parts)
            make(number)
            held += sum(map(len, self.parts[before:]))
            number += 1
        return b"".join(self.parts)


def argument(kind, name, value):
    return word(kind | 2 << 4 | name << 16) + word(value)


def text_argument(name, value):
    return word(STRING | 1 << 4 | name << 16 | value << 32)


def stack_id(addresses):
    """The id of a call stack, as userspace/schema/stack_id.h defines it."""
    mask = (1 << 64) - 1
    number = 0xcbf29ce484222325
    for address in addresses:
        address = (address ^ address >> 32) * 0x9e3779b97f4a7c15 & mask
        number = (number ^ address ^ address >> 29) * 0x100000001b3 & mask
        number ^= number >> 31
    return number


def async_begins(size):
    out = Writer()
    thread, name = out.thread(10, 11), out.string(b"span")
    categories = [out.string(b"%d-" % i + b"c" * 4090) for i in range(1000)]
    return out.fill(size, lambda i: out.event(ASYNC_BEGIN, categories[i % 1000], name, thread, ids=word(i)))


def async_overlap(size):
    out = Writer()
    thread, name, category = out.thread(10, 11), out.string(b"request"), out.string(b"app")
    half = size // 48
    out.fill(size // 2, lambda i: out.event(ASYNC_BEGIN, category, name, thread, ids=word(i)))
    return out.fill(size, lambda i: out.event(ASYNC_END, category, name, thread, ids=word(i % half)))


def async_pairs_over_switches(size):
    out = Writer()
    threads = [out.thread(10, 11 + i) for i in range(100)]
    name, category = out.string(b"request"), out.string(b"app")

    def make(i):
        out.event(ASYNC_BEGIN, category, name, threads[i % 100], ids=word(i))
        out.switch(0, 2, 11 + i % 100, 11 + (i + 1) % 100)
        out.wakeup(0, 11 + (i + 50) % 100)
        if i >= 1000:
            out.event(ASYNC_END, category, name, threads[i % 100], ids=word(i - 1000))
    return out.fill(size, make)


def async_pairs_over_wakers(size):
    """Each sleep on the path of a request was ended by another one of many threads."""
    out = Writer()
    thread, waker = out.thread(10, 11), out.string(b"waker")
    name, category = out.string(b"request"), out.string(b"app")

    def make(i):
        waking = 1000 + (i + 1) % 50000
        out.event(ASYNC_BEGIN, category, name, thread, ids=word(i))
        out.switch(1, 0, 1000 + i % 50000, waking)
        out.wakeup(0, 11, argument(KOID, waker, waking), 1)
        out.switch(0, 0, 0, 11)
        if i >= 3000:
            out.event(ASYNC_END, category, name, thread, ids=word(i - 3000))
        out.switch(0, 3, 11, 0)
    return out.fill(size, make)


def nested_spans(size):
    out = Writer()
    thread, category = out.thread(10, 11), out.string(b"app")
    names = [out.string(b"%d" % i + b"n" * 30000) for i in range(20)]
    out.fill(size // 2, lambda i: out.event(BEGIN, category, names[i % 20], thread))
    return out.fill(size, lambda i: out.event(END, category, names[-1 - i % 20], thread))


def span_names(size):
    out = Writer()
    thread, category = out.thread(10, 11), out.string(b"app")

    def make(i):
        name = b"name%012d" % i
        out.event(COMPLETE, category, INLINE | len(name), thread, ids=word(out.time + 150), inline=padded(name))
    return out.fill(size, make)


def flows(size):
    out = Writer()
    thread, name, category = out.thread(10, 11), out.string(b"flow"), out.string(b"c" * 4096)
    return out.fill(size, lambda i: out.event(FLOW_BEGIN, category, name, thread, ids=word(i)))


def counters(size):
    out = Writer()
    thread, category, value = out.thread(10, 11), out.string(b"app"), out.string(b"v")

    def make(i):
        name = b"counter%09d" % i
        out.event(COUNTER, category, INLINE | len(name), thread, argument(INT64, value, i), 1, word(i), inline=padded(name))
    return out.fill(size, make)


def long_texts(size):
    out = Writer()
    thread, name, category = out.thread(10, 11), out.string(b"event"), out.string(b"app")
    texts = [out.string(b"%d" % i + b"t" * 31000) for i in range(15)]
    arguments = b"".join(text_argument(out.string(b"a%d" % i), text) for i, text in enumerate(texts))
    return out.fill(size, lambda i: out.event(INSTANT, category, name, thread, arguments, 15))


def long_names(size):
    out = Writer()
    thread, category = out.thread(10, 11), out.string(b"c" * 32000)
    name = out.string(b"n" * 32000)
    return out.fill(size, lambda i: out.event(INSTANT, category, name, thread))


def providers(size):
    out = Writer()

    def make(i):
        out.provider(i + 2, b"p%06d" % i)
        out.section(i + 2)
    return out.fill(size, make)


def provider_tables(size):
    out = Writer()

    def make(i):
        out.provider(i + 2, b"p%06d" % i)
        out.section(i + 2)
        out.add(word(2 | 513 << 4 | 1 << 16 | 4096 << 32) + b"s" * 4096)
    return out.fill(size, make)


def threads(size):
    out = Writer()
    process = out.string(b"process")

    def make(i):
        out.kernel_object(1, 2 * i + 10, b"process%d" % i + b"p" * 60)
        out.kernel_object(2, 2 * i + 11, b"thread%d" % i, argument(KOID, process, 2 * i + 10), 1)
    return out.fill(size, make)


def threads_of_one_long_name(size):
    out = Writer()
    name = out.string(b"n" * 32000)
    return out.fill(size, lambda i: out.add(word(7 | 2 << 4 | 2 << 16 | name << 24) + word(i + 10)))


def switches_of_new_threads(size):
    out = Writer()
    return out.fill(size, lambda i: out.switch(i % 4, 2, i + 10, i + 11))


def switches_of_long_names(size):
    out = Writer()
    for i in range(100):
        name = out.string(b"%d" % i + b"n" * 32000)
        out.add(word(7 | 2 << 4 | 2 << 16 | name << 24) + word(i + 10))
    return out.fill(size, lambda i: out.switch(i % 4, 2, i % 100 + 10, (i + 1) % 100 + 10))


def switches_of_many_cpus(size):
    out = Writer()
    return out.fill(size, lambda i: out.switch(i & 0xffff, 2, i % 100 + 10, (i + 1) % 100 + 10))


def wakeups_of_new_threads(size):
    out = Writer()
    return out.fill(size, lambda i: out.wakeup(i % 4, i + 10))


def waited(size):
    out = Writer()
    category, name, argument_name = out.string(b"wait"), out.string(b"waited"), out.string(b"object")
    texts = [out.string(b"%d" % i + b"o" * 31000) for i in range(20)]

    def make(i):
        out.switch(0, 2, i % 50000 + 10, 0)
        out.event(INSTANT, category, name, i % 50000 + 10, text_argument(argument_name, texts[i % 20]), 1, process=9)
        out.wakeup(0, i % 50000 + 10)
    return out.fill(size, make)


def block_requests(size):
    out = Writer()
    category, name = out.string(b"block"), out.string(b"request")
    operation, device = out.string(b"operation"), out.string(b"device")
    texts = [out.string(b"%d" % i + b"o" * 31000) for i in range(20)]
    thread = out.thread(10, 11)

    def make(i):
        out.event(ASYNC_BEGIN, category, name, thread, text_argument(operation, texts[i % 20]) +
                  text_argument(device, texts[(i + 1) % 20]), 2, word(i))
    return out.fill(size, make)


def settings(size):
    out = Writer()
    category, subject = out.string(b"settings"), out.string(b"process")
    thread, name = out.thread(10, 11), out.string(b"subject")

    def make(i):
        key = b"key%013d" % i
        text = b"text%012d" % i
        arguments = word(STRING | 3 << 4 | name << 16 | (INLINE | 16) << 32) + padded(text)
        out.event(INSTANT, category, subject, thread, arguments +
                  word(STRING | 5 << 4 | (INLINE | 16) << 16 | (INLINE | 16) << 32) + padded(key) + padded(text), 2)
    return out.fill(size, make)


def logs(size):
    out = Writer()
    thread = out.thread(10, 11)
    return out.fill(size, lambda i: out.log(thread, b"%d" % i + b"l" * 900))


def stacks(size):
    out = Writer()
    category, name, number = out.string(b"stack"), out.string(b"off"), out.string(b"stack")
    thread = out.thread(10, 11)

    def make(i):
        frames = [0x400000 + 4096 * i + 16 * j for j in range(20)]
        out.add(word(10 | 22 << 4 | 2 << 16 | thread << 20 | 20 << 28) + word(out.now()) + b"".join(map(word, frames)))
        out.event(INSTANT, category, name, thread, argument(POINTER, number, stack_id(frames)), 1)
    return out.fill(size, make)


def zeros(size):
    return Writer().fill(16, lambda i: None) + bytes(size)


BOMBS = [async_begins, async_overlap, async_pairs_over_switches, async_pairs_over_wakers, nested_spans, span_names, flows, counters, long_texts,
         long_names, providers, provider_tables, threads, threads_of_one_long_name, switches_of_new_threads,
         switches_of_long_names, switches_of_many_cpus,
         wakeups_of_new_threads, waited, block_requests, settings, logs, stacks, zeros]

JOIN = "SELECT count(*), max(p.dur) FROM path p JOIN requests r ON p.request = r.id"
COMMANDS = {
    "info": ["info", "{}"], "check": ["check", "{}"], "report": ["report", "{}"], "summarize": ["summarize", "{}", "-o", "{o}"],
    "dump": ["dump", "{}"], "json": ["json", "{}", "-o", "-"], "recover": ["recover", "{}", "-o", "{o}"],
    "trim": ["trim", "--from", "1ms", "{}", "-o", "{o}"], "merge": ["merge", "{}", "{}", "-o", "{o}"],
    "diff": ["diff", "{}", "{}"], "flame": ["flame", "{}", "-o", "{o}"], "lbr": ["lbr", "{}"],
    "draw": ["draw", "{}", "-o", "{o}.svg"], "path": ["path", "--span", "*", "--json", "{}"],
    "threads": ["path", "--thread", "*", "--from", "0s", "--to", "1s", "--json", "{}"],
    "instants": ["query", "{}", "SELECT name, count(*), max(length(args)) FROM instants GROUP BY 1 LIMIT 5"],
    "four": ["query", "{}", "SELECT (SELECT count(*) FROM slices), (SELECT count(*) FROM waits), (SELECT count(*) FROM spans), "
                            "(SELECT count(*) FROM threads)"],
    "join": ["query", "{}", JOIN],
    "cache": ["query", "--cache", "{}", JOIN],
    "cached": ["query", "--cache", "{}", "SELECT name, count(*), max(length(args)) FROM instants GROUP BY 1 LIMIT 5"],
    "perfetto": ["export", "--format", "perfetto", "{}", "-o", "{o}"], "sqlite": ["export", "{}", "-o", "{o}.db"],
    "csv": ["export", "--format", "csv", "{}", "-o", "{o}.d"],
}


def write(make, size, path):
    """In a process of its own: a command's peak memory would begin at that of the process that starts it."""
    child = os.fork()
    if child == 0:
        try:
            with open(path, "wb") as file:
                file.write(make(size))
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1] != 0:
        raise RuntimeError(f"{path} was not written")


def measure(words, folder):
    """MiB of peak memory, s of CPU time, MiB of output files, and the exit status (None: not ended in time)."""
    output = os.path.join(folder, "out")
    begin = time.monotonic()
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (32 << 30, 32 << 30)))
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        if time.monotonic() - begin > DEADLINE_S:
            process.kill()
            _, _, usage = os.wait4(process.pid, 0)
            process.returncode = None
            break
        time.sleep(0.02)
    written = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names
                  if place != folder or name.startswith("out"))
    subprocess.run(["rm", "-rf", *(output + end for end in ("", ".db", ".d", ".svg"))], check=False)
    return usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, written / MIB, process.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--mib", type=int, default=10)
    parser.add_argument("--only", default="*", help="names of files")
    parser.add_argument("--commands", default="*")
    parser.add_argument("--keep", help="a folder for the files")
    arguments = parser.parse_args()
    failures = []
    if arguments.keep:
        os.makedirs(arguments.keep, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="bombs-") as folder:
        for make in BOMBS:
            if not fnmatch.fnmatch(make.__name__, arguments.only):
                continue
            path = os.path.join(arguments.keep or folder, make.__name__ + ".fxt")
            write(make, arguments.mib * MIB, path)
            for name, words in COMMANDS.items():
                if not any(fnmatch.fnmatch(name, glob) for glob in arguments.commands.split(",")):
                    continue
                command = [os.path.join(arguments.build, "fxt")] + [
                    each.replace("{o}", os.path.join(folder, "out")).replace("{}", path) for each in words]
                mib, seconds, written, status = measure(command, folder)
                problems = [text for text, failed in (
                    ("memory", mib >= MEMORY_LIMIT / MIB), ("time", seconds >= TIME_LIMIT_S and name not in LARGE_OUTPUT),
                    ("not ended", status is None and name not in LARGE_OUTPUT),
                    ("signal", status is not None and status < 0)) if failed]
                print(f"{make.__name__:26} {name:10} {mib:7.0f} MiB {seconds:7.2f} s  output {written:5.0f} MiB  exit {status}  {' '.join(problems)}",
                      flush=True)
                if problems:
                    failures.append(f"{make.__name__} {name}: {', '.join(problems)}")
            for old in [path + ".cache"] + ([] if arguments.keep else [path]):
                if os.path.exists(old):
                    os.unlink(old)
    for failure in failures:
        print("FAILED", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
