# SPDX-License-Identifier: BSD-2-Clause
"""Compares recorded waits with what build/tests/waiting prints of its own waits.

    sudo tests/support/wait_truth.py run COUNT FOLDER    COUNT waits of each kind on this machine; FOLDER/waits.json has the figures
    tests/support/wait_truth.py table NAME=FILE,...      the figures of several machines as a table for docs/waits.md; of a machine
                                                         that several runs were made on, the last file with a subject counts

scripts/vm_matrix --modes waits writes the same file for each of its kernels.
"""

import bisect
import collections
import json
import os
import re
import subprocess
import sys

# Programs of build/tests/waiting, with a recording each.
SUBJECTS = ("descriptors", "multiplexers", "locks", "sleeps", "processes", "file_locks", "disks", "memory")
# ns; sleeps of less than 100 us are not described, and the recorder measures them from one of its programs to another, which
# take long on an emulated CPU.
KEPT = 200_000
# Waits inside of a call for another thing than the call is about.
INNER = ("page fault", "swap", "reclaim", "compaction", "memory.high", "dirty pages", "mmap_lock")
# Examples that are kept for each kind.
EXAMPLES = 3

Expected = collections.namedtuple("Expected", "kind tid begin end syscall object_kind object peer asked reason")


class Tally:
    """The waits of one kind."""

    def __init__(self):
        self.waits = self.kept = self.right = self.absent = self.wrong = 0
        self.examples = []

    def as_dict(self):
        return vars(self)


def read_output(text):
    """Returns the waits by kind, and the reasons of the kinds that were not made."""
    kinds, skipped = collections.defaultdict(list), {}
    for line in text.splitlines():
        fields = line.split("\t")
        if fields[0] == "SKIPPED":
            skipped[fields[1]] = fields[2]
        elif len(fields) == len(Expected._fields):
            wait = Expected(*fields)
            kinds[wait.kind].append(wait._replace(tid=int(wait.tid), begin=int(wait.begin), end=int(wait.end)))
    return kinds, skipped


def compare(expected, value):
    """Returns "right", "absent" or "wrong" for one column."""
    if expected == "?":
        return "right"
    text = "" if value is None else str(value)
    if text == "":
        return "right" if expected == "" else "absent"
    if expected == "":
        return "wrong"
    if ".." in expected:
        begin, end = (int(number, 0) for number in expected.split(".."))
        try:
            return "right" if begin <= int(text, 0) <= end else "wrong"
        except ValueError:
            return "wrong"
    return "right" if text in expected.split("|") else "wrong"


def judge(expected, row, offset):
    """Returns the verdict about a row, and the columns that are not right."""
    found = {column: compare(getattr(expected, column), row[column])
             for column in ("syscall", "object_kind", "object", "peer", "asked")}
    # The value in a recording if the ready descriptor is unknown (docs/waits.md).
    if row["object_kind"] in ("poll", "epoll") and found["object_kind"] == "wrong":
        found["object_kind"] = "absent"
    reason, _, place = expected.reason.rpartition("@") if "@" in expected.reason else (expected.reason, "", "?")
    if reason != "?":
        text = row["reason"] or ""
        found["reason"] = "absent" if not text else "right" if re.search(reason, text) else "wrong"
    found["offset"] = compare(place, offset)
    columns = {column: verdict for column, verdict in found.items() if verdict != "right"}
    verdict = "wrong" if "wrong" in columns.values() else "absent" if columns else "right"
    return verdict, columns


def query(fxt, trace, statement):
    done = subprocess.run([fxt, "query", "--json", trace, statement], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def tally(fxt, trace, output):
    """Returns a Tally by kind, and the reasons of the kinds that were not made.

    Of each of the program's waits the longest sleep is judged, if it is long enough to be described.
    """
    kinds, skipped = read_output(output)
    sleeps = collections.defaultdict(list)
    for row in query(fxt, trace, "SELECT tid, ts, ts + length AS until, length, kind, syscall, object_kind, object, peer, asked, "
                     "reason FROM waits WHERE kind IN ('sleep', 'blocked', 'stopped') AND began = 'seen' AND ended = 'seen' "
                     f"AND length >= {KEPT} AND certain ORDER BY until"):
        sleeps[row["tid"]].append(row)
    offsets = {}
    for row in query(fxt, trace, "SELECT tid, ts, args FROM instants WHERE category = 'wait' AND name = 'waited'"):
        place = json.loads(row["args"]).get("offset") if row["args"] else None
        if place is not None:
            offsets[row["tid"], row["ts"]] = place
    places = collections.defaultdict(list)
    for tid, ts in sorted(offsets):
        places[tid].append(ts)

    def offset_of(row):
        """The instant precedes the wakeup by less than the sleep takes."""
        times = places[row["tid"]]
        at = bisect.bisect_right(times, row["until"]) - 1
        return offsets[row["tid"], times[at]] if at >= 0 and times[at] > row["ts"] else None

    result = {}
    for kind, waits in kinds.items():
        count = result[kind] = Tally()
        for wait in waits:
            count.waits += 1
            # All sleeps of a page fault have the object of the fault.
            inner = () if wait.reason.startswith("page fault") else set(INNER) - set(wait.object_kind.split("|"))
            rows = sleeps[wait.tid]
            at = bisect.bisect_left(rows, wait.begin, key=lambda row: row["until"])
            inside = []
            while at < len(rows) and rows[at]["until"] <= wait.end:
                if rows[at]["object_kind"] not in inner:
                    inside.append(rows[at])
                at += 1
            if not inside:
                continue
            count.kept += 1
            row = max(inside, key=lambda each: each["length"])
            verdict, columns = judge(wait, row, offset_of(row))
            setattr(count, verdict, getattr(count, verdict) + 1)
            if verdict != "right" and sum(each[0] == verdict for each in count.examples) < EXAMPLES:
                count.examples.append((verdict, columns, wait._asdict(), row))
    return result, skipped


def tally_wakers(fxt, trace, output):
    """The same of `waiting exchanges`: the waker of each thread that slept until another one sent it something."""
    woken = collections.defaultdict(list)
    for row in query(fxt, trace, "SELECT ts, tid, waker_tid, via FROM wakeups ORDER BY ts"):
        woken[row["tid"]].append(row)
    result, skipped = {}, read_output(output)[1]
    for line in output.splitlines():
        if not line.startswith("wakeup\t"):
            continue
        kind, receiver, sender, sent, received = line.split("\t")[1:]
        count = result.setdefault(kind, Tally())
        count.waits += 1
        rows = woken[int(receiver)]
        at = bisect.bisect_left(rows, int(sent), key=lambda row: row["ts"])
        # A receiver that was still awake is not woken.
        if at == len(rows) or rows[at]["ts"] > int(received):
            continue
        count.kept += 1
        waker, via = rows[at]["waker_tid"], rows[at]["via"]
        is_right = waker == int(sender) and via == (None if kind == "unix" else "net_rx")
        verdict = "absent" if waker is None else "right" if is_right else "wrong"
        setattr(count, verdict, getattr(count, verdict) + 1)
        if verdict != "right" and len(count.examples) < EXAMPLES:
            count.examples.append((verdict, line, rows[at]))
    return result, skipped


# The column of the table of waits by what `waiting limits` prints.
LIMITS = {"throttled": "", "throttled up the tree": "", "affinity": "affinity", "weight": "weight", "weight by nice": "weight",
          "real-time throttling": "rt_throttled"}


def compare_limits(fxt, trace, output):
    """The same of `waiting limits`: by reason the time that the program knows and the recorded one, ns; and whether all recorded
    waits name its cgroup."""
    result, skipped = {}, read_output(output)[1]
    for line in output.splitlines():
        if not line.startswith("limit\t"):
            continue
        reason, tid, known, group = line.split("\t")[1:]
        column = LIMITS[reason] or "CASE WHEN kind = 'throttled' THEN length ELSE 0 END"
        [row] = query(fxt, trace, f"SELECT coalesce(sum({column}), 0) AS ns, group_concat(DISTINCT throttled_by) AS groups FROM waits "
                      f"WHERE tid = {tid} AND ended = 'seen'")
        result[reason] = (int(known), row["ns"], LIMITS[reason] != "" or row["groups"] == group)
    return result, skipped


def problem(count, share=0.99):
    """Returns what is wrong with a kind, or an empty text: at least `share` of the described waits are right, and none is wrong."""
    if count.wrong:
        return f"{count.wrong} of {count.kept} wrong: {count.examples}"
    if count.right < share * count.kept:
        return f"{count.absent} of {count.kept} without a description: {count.examples}"
    return ""


def show(result, skipped, file=None):
    print(f"{'kind':36} {'waits':>6} {'kept':>6} {'right':>6} {'absent':>6} {'wrong':>6}", file=file)
    for kind, count in result.items():
        print(f"{kind:36} {count.waits:6} {count.kept:6} {count.right:6} {count.absent:6} {count.wrong:6}", file=file)
        for example in count.examples:
            print("   ", *example, file=file)
    for kind, why in skipped.items():
        print(f"SKIPPED: {kind}: {why}", file=file)


def figures_of(found):
    """The results of a recording for waits.json."""
    return {kind: getattr(count, "__dict__", count) for kind, count in found.items()}


def run(count, folder, build, recorder, fxt):
    """Records and compares all subjects and the exchanges on this machine. Yields (name, results, skipped)."""
    program = os.path.join(build, "tests", "waiting")
    for name in (*SUBJECTS, "exchanges"):
        trace = os.path.join(folder, name + ".fxt")
        words = [name, str(count), folder] if name in SUBJECTS else [name, str(10 * count)]
        categories = "sched,task,wait,block,fault" if name in SUBJECTS else "sched,task"
        done = subprocess.run([recorder, "-q", "-c", categories, "-o", trace, "--", program, *words], capture_output=True, text=True,
                              check=True, stdin=subprocess.DEVNULL)
        yield (name, *(tally if name in SUBJECTS else tally_wakers)(fxt, trace, done.stdout))


def table(machines):
    """Returns a table in Markdown: kinds by machines. `machines`: the contents of waits.json by name."""
    def cell(count):
        if count is None:
            return "—"
        return f"{count['kept']} / {count['right']} / {count['absent']} / {count['wrong']}"
    lines = []
    for names, title in ((SUBJECTS, "kind of wait"), (("exchanges",), "waker over")):
        kinds = {}
        for figures in machines.values():
            for name in names:
                for kind in figures.get(name, {}):
                    kinds.setdefault(kind, name)
        lines += ["| " + " | ".join((title, *machines)) + " |", "|---" + "|--:" * len(machines) + "|"]
        lines += ["| " + " | ".join((kind, *(cell(figures.get(name, {}).get(kind)) for figures in machines.values()))) + " |"
                  for kind, name in kinds.items()]
        lines.append("")
    limits = [figures for figures in machines.values() if "limits" in figures]
    if limits:
        lines += ["| not run because of | " + " | ".join(machines) + " |", "|---" + "|--:" * len(machines) + "|"]
        for reason in LIMITS:
            cells = [figures.get("limits", {}).get(reason) for figures in machines.values()]
            lines.append("| " + " | ".join((reason, *("—" if each is None else f"{each[0] / 1e6:.0f} ms / {each[1] / 1e6:.0f} ms"
                                                      for each in cells))) + " |")
        lines.append("")
    return "\n".join(lines)


def main():
    import harness
    if sys.argv[1:2] == ["table"]:
        machines = {}
        for word in sys.argv[2:]:
            name, paths = word.split("=", 1)
            machines[name] = {}
            for path in paths.split(","):
                with open(path, encoding="utf-8") as file:
                    machines[name].update(json.load(file))
        print(table(machines))
        return
    count, folder = int(sys.argv[2]), os.path.abspath(sys.argv[3])
    figures = {}
    for name, found, skipped in run(count, folder, harness.BUILD, harness.RECORDER, harness.FXT):
        show(found, skipped)
        figures[name], figures[name + " skipped"] = figures_of(found), skipped
    with open(os.path.join(folder, "waits.json"), "w", encoding="utf-8") as file:
        json.dump(figures, file, indent=1)


if __name__ == "__main__":
    main()
