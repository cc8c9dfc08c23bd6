#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares `fxt export --format perfetto` with fxt query and fxt flame on recordings of many kinds. Google's protobuf
library reads the packets. With TRACE_PROCESSOR=PATH, a built trace_processor_shell, Perfetto imports each file and
answers the same questions in SQL."""

import collections
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import perfetto_packets

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
import cgroup  # noqa: E402
import harness  # noqa: E402
from harness import fxt  # noqa: E402

LOAD = "ls -lR /usr/share/doc > /dev/null; sleep 0.05; dd if=/dev/zero of={folder}/f bs=1M count=8 conv=fsync 2> /dev/null"
LOAD_OF_WAITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perfetto_load.py")
# Koids above the range of tids become other numbers.
TID_LIMIT = 1 << 22
RUNNABLE = {"wakeup", "preempted", "throttled"}
# The interpreter that has the distribution's packages.
SYSTEM_PYTHON = "/usr/bin/python3"


def rows(trace, statement):
    """The rows of a statement, each a dictionary. Numbers are texts, as of CSV, and NULL is empty."""
    return [{key: "" if value is None else str(value) for key, value in row.items()}
            for row in json.loads(fxt("query", "--json", trace, statement))]


def why_not():
    if not shutil.which("protoc"):
        return "protoc is not installed (protobuf-compiler)"
    try:
        import google.protobuf  # noqa: F401
    except ImportError:
        if os.path.exists(SYSTEM_PYTHON) and not os.path.samefile(sys.executable, SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON, *sys.argv])
        return "Google's protobuf library for Python is not installed (python3-protobuf)"
    return harness.why_not_recordable()


def record_waits(folder):
    """A recording of perfetto_load.py, with a quota where there can be one."""
    group = None if cgroup.why_no_quota() else cgroup.Group(f"fxr-perfetto-{os.getpid()}")
    try:
        if group:
            group.limit(30_000, 100_000)
            group.weigh_most()
        return record(folder, "waits.fxt", "-c", "default,wait,syscall", command=[
            sys.executable, LOAD_OF_WAITS, group.folder if group else ""])
    finally:
        if group:
            group.remove()


def record(folder, name, *options, command=None):
    path = os.path.join(folder, name)
    load = command or ["sh", "-c", LOAD.format(folder=folder)]
    harness.record(path, *load, options=("-q", *options))
    return path


def traces(folder):
    """Recordings of every kind, by name."""
    everything = record(folder, "all.fxt", "-c", "all")
    found = {
        "all categories": everything,
        "default": record(folder, "default.fxt"),
        "losses": record(folder, "losses.fxt", "-b", "4K", "-c", "default,syscall"),
        "circular": record(folder, "circular.fxt", "--circular", "1M", "-c", "default,syscall"),
        "waits": record_waits(folder),
        "symbols": record(folder, "symbols.fxt", "-c", "default,stack", "--symbols", "--stack-min", "10us"),
    }
    trimmed = os.path.join(folder, "trimmed.fxt")
    fxt("trim", everything, "--from", "10ms", "--to", "200ms", "-o", trimmed)
    found["trimmed"] = trimmed
    spans = os.path.join(folder, "spans.json")
    with open(spans, "w", encoding="utf-8") as file:
        json.dump({"traceEvents": [
            {"ph": "B", "name": "request", "cat": "app", "pid": 5, "tid": 7, "ts": 1000},
            {"ph": "s", "name": "hand", "cat": "app", "id": 1, "pid": 5, "tid": 7, "ts": 1100},
            {"ph": "E", "pid": 5, "tid": 7, "ts": 2000},
            {"ph": "X", "name": "work", "cat": "app", "pid": 5, "tid": 8, "ts": 1200, "dur": 500},
            {"ph": "f", "bp": "e", "name": "hand", "cat": "app", "id": 1, "pid": 5, "tid": 8, "ts": 1300},
            {"ph": "b", "name": "job", "cat": "app", "id": 9, "pid": 5, "tid": 7, "ts": 1000},
            {"ph": "b", "name": "job", "cat": "app", "id": 10, "pid": 5, "tid": 7, "ts": 1500},
            {"ph": "e", "name": "job", "cat": "app", "id": 9, "pid": 5, "tid": 8, "ts": 3000},
            {"ph": "e", "name": "job", "cat": "app", "id": 10, "pid": 5, "tid": 8, "ts": 3500},
            {"ph": "C", "name": "queue", "pid": 5, "tid": 7, "ts": 1500, "args": {"length": 3}},
        ]}, file)
    imported = os.path.join(folder, "imported.fxt")
    fxt("import", spans, "-o", imported)
    found["imported"] = imported
    text, from_text = os.path.join(folder, "text.json"), os.path.join(folder, "text.fxt")
    fxt("json", found["default"], "-o", text)
    fxt("import", text, "-o", from_text)
    found["imported runs"] = from_text
    merged = os.path.join(folder, "merged.fxt")
    fxt("merge", found["default"], imported, "--offset", f"{imported}=1ms", "--apart", imported, "-o", merged)
    found["merged"] = merged
    return found


def exported(path):
    out = path.replace(".fxt", ".pftrace")
    fxt("export", "--format", "perfetto", path, "-o", out)
    return out


def as_shown(text):
    """The text as fxt query has it, without control characters."""
    return re.sub(r"[\x00-\x1f\x7f]", lambda found: f"\\u{ord(found[0]):04x}", text)


def of_linux(state):
    """The state as the kernel has it, which has none for W and Rq: the thread is runnable."""
    return "R" if state in ("W", "Rq") else state


def wanted_runs(path):
    """Begin, end, CPU, thread and state at the end of each run with an end."""
    return collections.Counter(
        (int(row["ts"]), int(row["ts"]) + int(row["length"]), int(row["cpu"]), int(row["koid"]),
         of_linux(row["end_state"] or "S"))
        for row in rows(path, f"SELECT * FROM slices WHERE ended != 'edge' AND koid < {TID_LIMIT}"))


def wanted_wakers(path):
    return collections.Counter(
        (int(row["ts"]), int(row["koid"]), int(row["waker_tid"]) if row["waker_tid"] else None)
        for row in rows(path, "SELECT ts, koid, waker_tid FROM waits WHERE kind = 'wakeup' AND began = 'seen' "
                              "AND state IS NULL AND certain = 1"))


def wanted_states(path):
    """Thread, begin, end and state of each time on no CPU whose ends are known. A wait that was throttled for a part is
    one: Linux has no state for it."""
    parts, wanted = [], collections.Counter()

    def add():
        if parts and all((row["began"], row["ended"], row["certain"]) == ("seen", "seen", "1") for row in parts):
            first, last = parts[0], parts[-1]
            state = "R" if first["kind"] == "wakeup" else of_linux(first["state"])
            wanted[(int(first["koid"]), int(first["ts"]), int(last["ts"]) + int(last["length"]), state)] += 1
        parts.clear()

    for row in rows(path, "SELECT * FROM waits ORDER BY koid, ts"):
        last = parts[-1] if parts else None
        goes_on = last and (row["koid"], int(row["ts"])) == (last["koid"], int(last["ts"]) + int(last["length"])) and (
            "throttled" in (row["kind"], last["kind"]) and {row["kind"], last["kind"]} <= RUNNABLE)
        if not goes_on:
            add()
        parts.append(row)
    add()
    return wanted


def kind_of(reason):
    """The part of a reason that the export keeps: a page fault, the operation and the device of a request, or a function."""
    if reason.startswith("page fault"):
        return "page fault"
    first = reason.split("; ")[0]
    return " ".join(first.split(" ")[:3]) if first.startswith("block ") else first


def wanted_reasons(path):
    """Thread, end and reason of each sleep in D that has one."""
    return collections.Counter(
        (int(row["koid"]), int(row["until"]), kind_of(row["reason"]))
        for row in rows(path, "SELECT koid, ts + length AS until, reason FROM waits WHERE kind = 'blocked' "
                              "AND state = 'D' AND began = 'seen' AND ended = 'seen' AND certain = 1 "
                              "AND reason IS NOT NULL"))


def latencies(states):
    """p50 and p99 of the time that each thread waited for a CPU."""
    lengths = collections.defaultdict(list)
    for koid, begin, end, state in states:
        if state in ("R", "R+"):
            lengths[koid].append(end - begin)
    return {koid: (quantile(of, 50), quantile(of, 99)) for koid, of in lengths.items()}


def quantile(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)]


def wanted_stacks(path, kind):
    """Weights by thread name and frames, outermost first, as `fxt flame` has them."""
    wanted = collections.Counter()
    done = harness.run(harness.FXT, "flame", path, "--of", kind, "--format", "folded", "-o", "-", "--no-symbols")
    if "has no stacks" in done.stderr:
        return wanted
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        stack, weight = line.rsplit(" ", 1)
        frames = stack.split(";")
        wanted[(frames[1], tuple(frames[2:]))] += int(weight)
    return wanted


@unittest.skipIf(why_not(), why_not())
class Perfetto(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = perfetto_packets.load_library()
        cls.traces = traces(harness.class_folder(cls))
        cls.packets = {}
        for name, path in cls.traces.items():
            out = exported(path)
            trace = cls.library.Trace()
            with open(out, "rb") as file:
                trace.ParseFromString(file.read())
            unknown = perfetto_packets.unknown_fields(trace)
            assert not unknown, f"{name}: fields that Perfetto's descriptors do not have: {unknown[:5]}"
            cls.packets[name] = perfetto_packets.Packets(trace.packet)

    def each(self, check):
        """Calls check(path, packets) for every trace."""
        for name, path in self.traces.items():
            with self.subTest(name):
                check(path, self.packets[name])

    def contains(self, got, wanted):
        missing = wanted - got
        self.assertEqual(sum(missing.values()), 0, missing.most_common(3))

    def test_each_sequence_begins_with_cleared_state(self):
        def check(_, packets):
            for sequence, flags in packets.first_flags.items():
                self.assertEqual(flags & 1, 1, sequence)

        self.each(check)

    def test_runs_are_those_of_query(self):
        def check(path, packets):
            wanted = wanted_runs(path)
            got = collections.Counter(run for run in packets.runs() if 0 < run[3] < TID_LIMIT)
            self.contains(got, wanted)
            # A thread that came where a gap begins ran for an unknown time: its run has no length.
            more = {run: count for run, count in (got - wanted).items() if run[1] > run[0]}
            self.assertEqual(more, {})

        self.each(check)

    def test_wakers_are_those_of_query(self):
        self.each(lambda path, packets: self.contains(
            collections.Counter((w.time, w.pid, w.waker) for w in packets.wakings()), wanted_wakers(path)))

    def test_states_and_latencies_are_those_of_query(self):
        def check(path, packets):
            wanted, got = wanted_states(path), collections.Counter(packets.states())
            self.contains(got, wanted)
            known = set(wanted)
            self.assertEqual(latencies(state for state in got.elements() if state in known),
                             latencies(wanted.elements()))

        self.each(check)

    def test_stacks_of_each_thread_are_those_of_flame(self):
        def check(path, packets):
            for kind, source in (("off", "off-CPU"), ("on", "on-CPU")):
                # flame takes worker-1 and worker-2 together, and keeps the digits of a name that is one alone.
                wanted, got = collections.Counter(), collections.Counter()
                for (name, frames), weight in wanted_stacks(path, kind).items():
                    wanted[(re.sub(r"\d+", "#", name), frames)] += weight
                for sample in packets.samples:
                    if sample.source == source:
                        # flame takes the last name of a thread.
                        name = packets.threads[sample.tid].name if sample.tid else ""
                        got[(re.sub(r"\d+", "#", name), sample.frames)] += sample.weight
                if kind == "off":
                    got = collections.Counter({key: round(weight / 1000) for key, weight in got.items()})
                self.assertEqual(set(wanted), set(got))
                for key, weight in wanted.items():
                    # flame rounds the microseconds of each sum.
                    self.assertAlmostEqual(got[key], weight, delta=max(2, weight / 1000), msg=key)

        self.each(check)

    def test_logs_command_lines_and_users(self):
        def check(path, packets):
            logs = collections.Counter((int(row["ts"]), row["message"]) for row in rows(path, "SELECT * FROM logs"))
            got = collections.Counter((time, as_shown(event.message)) for time, event in packets.logs)
            self.assertEqual(logs, got)
            for row in rows(path, f"SELECT * FROM processes WHERE koid > 0 AND koid < {TID_LIMIT}"):
                process = packets.processes.get(int(row["koid"]))
                if process is None:
                    continue
                if row["cmdline"]:
                    self.assertEqual([as_shown(part) for part in process.cmdline], [row["cmdline"]])
                    self.assertFalse(process.cmdline_is_comm)
                if row["uid"]:
                    self.assertEqual(process.uid, int(row["uid"]))
                if row["ppid"]:
                    self.assertEqual(process.ppid, int(row["ppid"]))

        self.each(check)

    def test_reasons_of_sleeps(self):
        self.each(lambda path, packets: self.contains(collections.Counter(
            (pid, time, reason) for time, pid, reason, _ in packets.reasons), wanted_reasons(path)))

    def test_spans_instants_and_counters_are_all_there(self):
        def check(path, packets):
            counted = collections.Counter(event.type for _, event, _, _ in packets.events)
            instants = int(rows(path, "SELECT count(*) AS n FROM instants WHERE name NOT IN ('linux_state', 'symbol') "
                                      "AND category != 'stack'")[0]["n"])
            self.assertEqual(counted[3], instants)
            for _, event, _, _ in packets.events:
                self.assertIn(event.track_uuid, packets.tracks)

        self.each(check)

    def test_async_tracks_have_their_process(self):
        packets = self.packets["imported"]
        jobs = [track for track in packets.tracks.values() if track.name == "job"]
        self.assertEqual(len(jobs), 2)  # they overlap
        for track in jobs:
            self.assertEqual(packets.tracks[track.parent_uuid].process.pid, 5)

    def test_losses_are_marked(self):
        path, packets = self.traces["losses"], self.packets["losses"]
        lossy = {int(row["cpu"]) for row in rows(path, "SELECT DISTINCT cpu FROM losses WHERE kind = 'lost' "
                                                       "AND cpu >= 0")}
        if not lossy:
            self.skipTest("nothing was lost")
        self.assertLessEqual(lossy, packets.lost_cpus)


# Columns of integers, NULLs, or texts as hex().
SLICES = ("SELECT slice.ts, slice.dur, hex(slice.category), hex(slice.name), tid FROM slice "
          "LEFT JOIN thread_track ON thread_track.id = slice.track_id LEFT JOIN thread USING (utid)")
QUESTIONS = {
    "errors": "SELECT hex(name), value FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0 "
              "AND name != 'ftrace_cpu_has_data_loss'",
    "runs": "SELECT ts, ts + dur, cpu, tid, hex(end_state) FROM sched JOIN thread USING (utid) "
            f"WHERE dur >= 0 AND tid > 0 AND tid < {TID_LIMIT}",
    "unknown": "SELECT cpu, hex(thread.name), sum(dur) FROM sched JOIN thread USING (utid) "
               "WHERE thread.name IN ('(lost events)', '(not known)') AND dur >= 0 GROUP BY 1, 2",
    "wakers": "SELECT state.ts, woken.tid, iif(irq_context, NULL, waker.tid) FROM thread_state AS state "
              "JOIN thread AS woken USING (utid) LEFT JOIN thread AS waker ON waker.utid = state.waker_utid "
              "WHERE state = 'R'",
    "states": "SELECT tid, ts, ts + dur, hex(state) FROM thread_state JOIN thread USING (utid) "
              "WHERE state != 'Running' AND dur >= 0 AND tid > 0",
    # After a run that was not seen to begin, the table has the wait before it once more.
    "latencies": "INCLUDE PERFETTO MODULE sched.latency; SELECT DISTINCT tid, state.ts, state.ts + latency_dur, "
                 "hex(state.state) FROM sched_latency_for_running_interval AS latency "
                 "JOIN thread_state AS state ON state.id = runnable_latency_id "
                 "JOIN thread ON thread.utid = latency.utid",
    "blocked": "SELECT tid, ts + dur, hex(blocked_function) FROM thread_state JOIN thread USING (utid) "
               "WHERE blocked_function IS NOT NULL",
    "stacks": "SELECT hex(source), tid, hex(frame.name), CAST(sum(value) AS INT) FROM stack_sample AS sample "
              "JOIN stack_sample_counter AS counter ON counter.stack_sample_id = sample.id "
              "JOIN stack_sample_task_context AS task ON task.id = sample.task_context_id "
              "JOIN thread USING (utid) JOIN stack_profile_callsite AS site ON site.id = sample.callsite_id "
              "JOIN stack_profile_frame AS frame ON frame.id = site.frame_id WHERE tid > 0 GROUP BY 1, 2, 3",
    "samples of perf": "SELECT count(*), coalesce(sum(callsite_id IS NULL), 0) FROM perf_sample",
    "logs": "SELECT ts, hex(msg) FROM logs",
    "command lines": "SELECT pid, hex(cmdline) FROM process WHERE cmdline IS NOT NULL",
    "slices": SLICES,
    "counters": "SELECT ts, CAST(value AS INT) FROM counter WHERE track_id NOT IN "
                "(SELECT track_id FROM stack_sample_counter)",
    "arguments": "SELECT hex(slice.name), tid, slice.ts, hex(key), hex(display_value) FROM slice "
                 "JOIN thread_track ON thread_track.id = slice.track_id JOIN thread USING (utid) "
                 "JOIN args USING (arg_set_id) WHERE slice.name IN ('waited', 'throttled')",
}


def ask(shell, path, *questions):
    """The answers of trace_processor_shell to QUESTIONS about a file: lists of rows."""
    nothing = '"[NULL]"'

    def value_of(text):
        if text == nothing:
            return None
        return int(text) if not text.startswith('"') else bytes.fromhex(text.strip('"')).decode("utf-8", "replace")

    statements = ";".join(QUESTIONS[question] for question in questions)
    out = harness.run(shell, "-Q", statements, path, ok=(0,)).stdout
    answers = [[tuple(map(value_of, line.split(","))) for line in answer.splitlines()[1:]]
               for answer in out.strip("\n").split("\n\n")]
    if len(answers) != len(questions):
        raise AssertionError(f"{len(answers)} answers to {len(questions)} questions")
    return dict(zip(questions, answers))


@unittest.skipIf(why_not(), why_not())
@unittest.skipUnless(os.environ.get("TRACE_PROCESSOR"), "TRACE_PROCESSOR does not name a trace_processor_shell")
class PerfettoItself(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shell = os.environ["TRACE_PROCESSOR"]
        cls.library = perfetto_packets.load_library()
        cls.traces = traces(harness.class_folder(cls))
        cls.answers = {name: ask(cls.shell, exported(path), *QUESTIONS) for name, path in cls.traces.items()}

    def each(self, check):
        """Calls check(path, answers) for every trace."""
        for name, path in self.traces.items():
            with self.subTest(name):
                check(path, self.answers[name])

    def contains(self, got, wanted):
        missing = wanted - got
        self.assertEqual(sum(missing.values()), 0, missing.most_common(3))

    def test_imports_without_errors(self):
        self.each(lambda _, answers: self.assertEqual(answers["errors"], []))

    def test_opens_fxt_and_json(self):
        """The runs, and the spans and counters that the file has as well as the export."""
        def check(path, exported_answers):
            made = path.replace(".fxt", ".json")
            fxt("json", path, "-o", made)
            # The thread that runs at the begin has no record of its switch-in.
            first = {(int(row["ts"]), int(row["koid"])) for row in rows(path, "SELECT ts, koid FROM slices "
                                                                              "WHERE began = 'edge'")}
            wanted = collections.Counter(run[:4] for run in wanted_runs(path).elements()
                                         if run[1] > run[0] and (run[0], run[3]) not in first)
            for file in (path, made):
                answers = ask(self.shell, file, "errors", "runs", "slices", "counters")
                self.assertEqual(answers["errors"], [], file)
                got = collections.Counter(run[:4] for run in answers["runs"])
                if file == made:
                    # Perfetto takes seconds of ftrace text for a double and cuts its nanoseconds, 1 too few at times.
                    got = collections.Counter({run: max(got[(run[0] - begin, run[1] - end, *run[2:])]
                                                        for begin in (0, 1) for end in (0, 1)) for run in wanted})
                self.contains(got, wanted)
                self.assertEqual(self.shown(answers["slices"]), self.shown(exported_answers["slices"]), file)
                self.assertEqual(collections.Counter(answers["counters"]),
                                 collections.Counter(exported_answers["counters"]), file)

        self.each(check)

    @staticmethod
    def shown(slices):
        """Slices without what the export has in other tables, and what fxt import notes of itself."""
        return collections.Counter((ts, length, category, name) for ts, length, category, name, _ in slices
                                   if category != "stack" and name not in ("linux_state", "symbol")
                                   and (category, name) != ("fxt-record", "import"))

    def test_opens_paths(self):
        path = self.traces["waits"]
        [thread] = rows(path, "SELECT koid FROM slices WHERE ended = 'seen' AND thread LIKE 'python%' "
                              "GROUP BY 1 ORDER BY sum(length) DESC LIMIT 1")
        paths = path.replace(".fxt", ".path.fxt")
        fxt("path", "--thread", thread["koid"], path, "-o", paths)
        before, after = self.answers["waits"], ask(self.shell, paths, "errors", "slices")
        self.assertEqual(after["errors"], [])
        self.assertGreater(len(after["slices"]), len(before["slices"]))
        answers = ask(self.shell, exported(paths), "errors", "runs", "slices")
        self.assertEqual(answers["errors"], [])
        self.assertEqual(answers["runs"], before["runs"])
        self.assertEqual(self.shown(answers["slices"]), self.shown(after["slices"]))

    def test_runs_are_those_of_query(self):
        def check(path, answers):
            got, wanted = collections.Counter(answers["runs"]), wanted_runs(path)
            self.contains(got, wanted)
            self.assertEqual({run: count for run, count in (got - wanted).items() if run[1] > run[0]}, {})

        self.each(check)

    def test_unknown_times_are_those_of_query(self):
        def check(path, answers):
            unknown = collections.Counter()
            for cpu, _, length in answers["unknown"]:
                unknown[cpu] += length
            wanted = {int(row["cpu"]): int(row["unknown_ns"]) for row in rows(path, "SELECT * FROM cpus")}
            self.assertEqual({cpu: unknown[cpu] for cpu in wanted}, wanted)
            lossy = rows(path, "SELECT 1 FROM losses WHERE kind = 'lost' AND category = 'sched'")
            self.assertEqual("(lost events)" in {name for _, name, _ in answers["unknown"]}, bool(lossy))

        self.each(check)

    def test_wakers_are_those_of_query(self):
        self.each(lambda path, answers: self.contains(collections.Counter(answers["wakers"]), wanted_wakers(path)))

    def test_states_and_latencies_are_those_of_query(self):
        def check(path, answers):
            wanted = wanted_states(path)
            self.contains(collections.Counter(answers["states"]), wanted)
            # The table has no row for a run that is open at the end.
            running = {(int(row["koid"]), int(row["ts"]))
                       for row in rows(path, "SELECT koid, ts FROM slices WHERE ended = 'edge'")}
            waited = collections.Counter({state: count for state, count in wanted.items()
                                          if state[3] in ("R", "R+") and (state[0], state[2]) not in running})
            got = [state for state in answers["latencies"] if state in waited]
            self.assertEqual(latencies(got), latencies(waited.elements()))

        self.each(check)

    def test_reasons_of_sleeps(self):
        self.each(lambda path, answers: self.contains(collections.Counter(answers["blocked"]), wanted_reasons(path)))

    def test_what_threads_wait_for_is_on_their_tracks(self):
        arguments = collections.defaultdict(dict)
        for name, tid, ts, key, value in self.answers["waits"]["arguments"]:
            arguments[(name, tid, ts)][key.removeprefix("debug.")] = value
        path = self.traces["waits"]
        wanted = rows(path, "SELECT ts, koid, name, args FROM instants WHERE name IN ('waited', 'throttled')")
        self.assertIn("tcp", {json.loads(row["args"]).get("object_kind") for row in wanted})
        if not cgroup.why_no_quota():
            self.assertIn("throttled", {row["name"] for row in wanted})
        for row in wanted:
            got = arguments[(row["name"], int(row["koid"]), int(row["ts"]))]
            self.assertEqual(got, {key: str(value) for key, value in json.loads(row["args"]).items()})

    def test_stacks_of_each_thread_are_those_of_the_packets(self):
        """The packets' stacks are those of fxt flame; see Perfetto."""
        def check(path, answers):
            trace = self.library.Trace()
            with open(path.replace(".fxt", ".pftrace"), "rb") as file:
                trace.ParseFromString(file.read())
            wanted = collections.Counter()
            for sample in perfetto_packets.Packets(trace.packet).samples:
                if sample.tid:
                    wanted[(sample.source, sample.tid, sample.frames[-1])] += sample.weight
            got = collections.Counter()
            for source, tid, leaf, weight in answers["stacks"]:
                got[(source, tid, leaf)] += weight
            self.assertEqual({key: weight for key, weight in wanted.items() if weight}, {
                key: weight for key, weight in got.items() if weight})

        self.each(check)

    def test_older_versions_have_stacks_as_samples_of_perf(self):
        path = self.traces["symbols"]
        out = path.replace(".fxt", ".perf-sample.pftrace")
        fxt("export", "--format", "perfetto", "--stacks", "perf-sample", path, "-o", out)
        answers = ask(self.shell, out, "errors", "samples of perf")
        self.assertEqual(answers["errors"], [])
        stacks = rows(path, "SELECT 1 FROM instants WHERE category = 'stack' AND name IN ('off', 'wake', 'on')")
        self.assertEqual(answers["samples of perf"], [(len(stacks), 0)])

    def test_logs_and_command_lines(self):
        def check(path, answers):
            logs = collections.Counter((int(row["ts"]), row["message"]) for row in rows(path, "SELECT * FROM logs"))
            self.assertEqual(logs, collections.Counter((ts, as_shown(message)) for ts, message in answers["logs"]))
            lines = {pid: as_shown(line) for pid, line in answers["command lines"]}
            for row in rows(path, f"SELECT * FROM processes WHERE koid > 0 AND koid < {TID_LIMIT} "
                                  "AND cmdline IS NOT NULL"):
                self.assertEqual(lines.get(int(row["koid"])), row["cmdline"])

        self.each(check)


if __name__ == "__main__":
    harness.main()
