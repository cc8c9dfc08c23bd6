#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints docs/accuracy.md: the change of each recorded scenario, the first sentence of `fxt diff`, and whether it is right.

    tests/regress/accuracy.py [--aa SERIES]... RECORDING... >docs/accuracy.md

A RECORDING is a folder of SCENARIO/{base,new}/NN.fxt, a SERIES one of WORKLOAD/NN.fxt without a change (record.py). Five
captures a side are all of a recording, three are the first three. A finding is right if the first one names the cause or
its direct victim as expectations.json has it, partly right if a later one does.
"""

import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

from evaluate import Evaluation, SIZES, captures, pairs_of, relabelled
from judging import BAD, DiffFailed, describe, diff, judge

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import harness  # noqa: E402

MANY = 5  # captures a side
FEW = 3
WORDS = {MANY: "five", FEW: "three"}
HERE = os.path.dirname(os.path.abspath(__file__))
HEAD = """<!-- SPDX-License-Identifier: BSD-2-Clause -->
# How often fxt diff is right

    sudo make regress-record && make accuracy     # hours; writes this page

Each scenario was recorded in its base form and its slow form, in turns, five captures a side (or three, where there is
no column `5`); `3` are the first three of each. What it has to name is written down in `tests/regress/expectations.json` before the first comparison; the history of
that file shows what was corrected after a look (`pinning`, `one_cpu`, `quota`, `python_thread`, `redis_command`, `node_child`; `java_heap` and `memory_limit` had no effect in their
first form, and the slow form of `real_time_hog` ran a program that the base did not). **right**: the first finding names the cause or its direct victim; **partly**: a
later one does. The first line is that of `fxt diff` for the larger number of captures; the right sentence, where there is one, was written down for the scenario. `tests/regress/README.md` says how the scenarios are made.
"""


def planted_changes():
    """The change by scenario, as build/tests/planted describes it."""
    text = subprocess.run([os.path.join(harness.BUILD, "tests/planted"), "--help"], capture_output=True, text=True,
                          check=True).stdout
    return dict(re.findall(r"^  (\w+) {2,}(.+)$", text.split("Subcommands:")[1], re.MULTILINE))


def change_of(name, planted):
    """The change in the slow form of a scenario."""
    if name in planted:
        return planted[name]
    for folder, _, files in os.walk(HERE):
        for file in files:
            if os.path.splitext(file)[0] == name and file.endswith((".sh", ".py")):
                text = harness.read(os.path.join(folder, file))
                comments = re.findall(r'^(?:# (?!SPDX|shellcheck)|""")(.+)$', text, re.MULTILINE)
                if comments:
                    return " ".join(comments).split(". ")[0].rstrip('."')
    return ""


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


class Row:
    def __init__(self, fxt, sizes, expected, base, new):
        self.sentence = "-"
        self.marks = []
        for size in sizes:
            try:
                result = diff(fxt, base[:size], new[:size])
            except DiffFailed as failure:
                self.marks.append("wrong")
                self.sentence = str(failure)
                continue
            if not self.marks:
                self.sentence = result["conclusion"]
            found = judge(result, expected)
            self.marks.append("right" if found.good else "partly" if found.rank else "wrong")


def write_recording(fxt, folder, expected, planted, pool):
    jobs = [job for job in pairs_of(folder) if job[0] in expected]
    sizes = (MANY, FEW) if all(len(base) >= MANY for _, base, _ in jobs) else (FEW,)
    rows = list(pool.map(lambda job: Row(fxt, sizes, expected[job[0]], *job[1:]), jobs))
    print(f"\n## {os.path.basename(os.path.normpath(folder)).capitalize()}\n")
    for at, size in enumerate(sizes):
        marks = [row.marks[at] for row in rows]
        print(f"With {WORDS[size]} captures a side {marks.count('right')} of {len(marks)} are right, "
              f"{marks.count('partly')} partly.")
    print(f"\n| scenario | what is changed | the right sentence | {' | '.join(map(str, sizes))} | the first line |")
    print("|---" * (4 + len(sizes)) + "|")
    for (name, *_), row in zip(jobs, rows):
        right = expected[name].get("sentence", "")
        print(f"| `{name}` | {cell(change_of(name, planted))} | {cell(right)} | {' | '.join(row.marks)} | {cell(row.sentence)} |")


def write_series(fxt, folders, count, seed, pool):
    workloads = {}
    for folder in folders:
        for name in sorted(os.listdir(folder)):
            if os.path.isdir(os.path.join(folder, name)):
                workloads[name] = captures(os.path.join(folder, name))
    jobs = list(relabelled(workloads, count, seed))

    def findings(job):
        try:
            return [describe(finding) for finding in diff(fxt, *job)["findings"]]
        except DiffFailed as failure:
            return [str(failure)]
    found = list(pool.map(findings, jobs))
    print("\n## Without a change\n")
    print(f"Captures of {', '.join(f'`{name}`' for name in workloads)} in their base form, put on two sides at random:\n")
    print("| captures a side | comparisons | with a finding | that something got worse |\n|---|---|---|---|")
    for size in SIZES:
        alarms = [words for job, words in zip(jobs, found) if len(job[0]) == size]
        worse = sum(any(text.startswith(BAD) for text in words) for words in alarms)
        print(f"| {size} | {len(alarms)} | {sum(map(bool, alarms))} | {worse} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="+")
    parser.add_argument("--aa", metavar="SERIES", action="append", default=[])
    parser.add_argument("--note", help="a sentence about the machine, for the page")
    parser.add_argument("--relabellings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    options.fxt = harness.FXT
    expected = Evaluation(options).expected
    planted = planted_changes()
    print(HEAD, end="")
    if options.note:
        print(f"\n{options.note}")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder in options.recordings:
            write_recording(options.fxt, folder, expected, planted, pool)
        if options.aa:
            write_series(options.fxt, options.aa, options.relabellings, options.seed, pool)


if __name__ == "__main__":
    main()
