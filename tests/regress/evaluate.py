#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Runs `fxt diff` on recordings of record.py and compares its findings with the planted changes.

    tests/regress/evaluate.py RECORDING... [--aa SERIES]... [--subsets]

A RECORDING is a folder of SCENARIO/{base,new}/NN.fxt. expectations.json has the expected findings of each scenario.
--subsets also compares any three captures of each side. A SERIES is a folder of WORKLOAD/NN.fxt without a change. It is
compared with itself: five against five and three against three, interleaved as recorded, and with random labels
(--relabellings, --seed). A series should have no finding.

Prints a line for each scenario, and totals. Exit status 0: in each recording at most one scenario in twenty lacks its
cause at rank 1 (at least one may), no scenario without a change has a finding, at most one of 40 comparisons of a series
and four of 200 relabellings have one. Otherwise 1.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import random
import sys

from judging import BAD, DiffFailed, Judgement, describe, diff, judge

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import harness  # noqa: E402

MISSES_ALLOWED = 1 / 20          # of the scenarios of a recording
ALARMS_ALLOWED = 1 / 40          # of the interleaved comparisons of a series
RELABELLED_ALARMS_ALLOWED = 4 / 200
SIZES = (5, 3)                   # captures a side


def captures(folder):
    names = (name for name in os.listdir(folder) if name.endswith((".fxt", ".fxt.gz", ".fxs")))
    return sorted(os.path.join(folder, name) for name in names)


def pairs_of(recording):
    """Yields (scenario, base captures, new captures) of a recording."""
    for name in sorted(os.listdir(recording)):
        folder = os.path.join(recording, name)
        if not name.endswith(".part") and all(os.path.isdir(os.path.join(folder, side)) for side in ("base", "new")):
            yield name, captures(os.path.join(folder, "base")), captures(os.path.join(folder, "new"))


def interleaved(files, size):
    """Splits runs of 2*size captures into two sides, in the order of scripts/capture-ab: base new, new base, base new."""
    for begin in range(0, len(files) - 2 * size + 1, 2 * size):
        sides = ([], [])
        for i in range(size):
            pair = files[begin + 2 * i:begin + 2 * i + 2]
            for side, file in zip((0, 1) if i % 2 == 0 else (1, 0), pair):
                sides[side].append(file)
        yield sides


def relabelled(series, count, seed):
    """Yields random halves of the captures of one workload."""
    dice = random.Random(seed)
    for i in range(count):
        files = series[dice.choice(sorted(series))]
        size = SIZES[i % len(SIZES)]
        if len(files) >= 2 * size:
            chosen = dice.sample(files, 2 * size)
            yield sorted(chosen[:size]), sorted(chosen[size:])


class Evaluation:
    def __init__(self, options):
        self.options = options
        self.pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
        groups = json.loads(harness.read("tests/regress/expectations.json"))
        self.expected = {name: entry for group in groups.values() for name, entry in group.items()}
        self.good = True

    def judged(self, name, base, new):
        try:
            return judge(diff(self.options.fxt, base, new), self.expected[name])
        except DiffFailed as failure:
            return Judgement(False, None, "-", str(failure))

    def judge_many(self, jobs):
        """Returns the judgements of (name, base, new) in order."""
        return list(self.pool.map(lambda job: self.judged(*job), jobs))

    def recording(self, folder):
        jobs = [job for job in pairs_of(folder) if job[0] in self.expected]
        print(f"{folder}")
        missed = 0
        for (name, base, new), judgement in zip(jobs, self.judge_many(jobs)):
            rank = "-" if judgement.rank is None else judgement.rank
            mark = "ok  " if judgement.good else "FAIL"
            print(f"  {mark} {name:20} {len(base)}v{len(new)} rank {rank:>2}  {judgement.first}"
                  f"{'  # ' + judgement.why if judgement.why else ''}", flush=True)
            missed += not judgement.good
            for other in judgement.others if self.options.verbose and not judgement.good else ():
                print(f"{'':40}{other}")
            if self.expected[name].get("nothing") and not judgement.good:
                self.good = False
        print(f"  {len(jobs) - missed} of {len(jobs)} as planted", flush=True)
        self.good &= bool(jobs) and missed <= max(1, int(MISSES_ALLOWED * len(jobs)))
        if self.options.subsets:
            self.subsets(folder, jobs)

    def subsets(self, folder, jobs):
        """Judges any three pairs of captures of each scenario."""
        smaller = [(name, [base[i] for i in chosen], [new[i] for i in chosen]) for name, base, new in jobs
                   for chosen in itertools.combinations(range(min(len(base), len(new))), 3) if len(base) > 3]
        judgements = self.judge_many(smaller)
        missed = [(job, judgement) for job, judgement in zip(smaller, judgements) if not judgement.good]
        for (name, base, _), judgement in missed:
            chosen = ",".join(os.path.basename(path).split(".")[0] for path in base)
            print(f"  3v3 {name} ({chosen}): {judgement.first}  # {judgement.why}")
        print(f"  {len(smaller) - len(missed)} of {len(smaller)} with three captures a side, {folder}", flush=True)

    def alarms(self, what, jobs, allowed):
        """Counts the comparisons without a change that have a finding."""
        def findings(job):
            try:
                return [describe(finding) for finding in diff(self.options.fxt, *job)["findings"]]
            except DiffFailed as failure:
                return [str(failure)]
        alarmed = worse = 0
        for (base, new), found in zip(jobs, self.pool.map(findings, jobs)):
            alarmed += bool(found)
            worse += any(words.startswith(BAD) for words in found)
            if found:
                sides = " against ".join(",".join(os.path.basename(path).split(".")[0] for path in side)
                                         for side in (base, new))
                print(f"  {os.path.dirname(base[0])}: {sides}: {'; '.join(found[:3])}")
        # One finding is always allowed.
        limit = max(1, round(allowed * len(jobs)))
        print(f"  {alarmed} of {len(jobs)} {what} with a finding ({worse} that something got worse), {limit} allowed",
              flush=True)
        self.good &= bool(jobs) and alarmed <= limit

    def series(self, folders):
        workloads = {}
        for folder in folders:
            for name in sorted(os.listdir(folder)):
                if os.path.isdir(os.path.join(folder, name)):
                    workloads[f"{folder}/{name}"] = captures(os.path.join(folder, name))
        print("comparisons without a change")
        jobs = [sides for size in SIZES for files in workloads.values() for sides in interleaved(files, size)]
        self.alarms("interleaved comparisons", jobs, ALARMS_ALLOWED)
        jobs = list(relabelled(workloads, self.options.relabellings, self.options.seed))
        self.alarms("random relabellings", jobs, RELABELLED_ALARMS_ALLOWED)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", metavar="RECORDING", nargs="*")
    parser.add_argument("--aa", metavar="SERIES", action="append", default=[])
    parser.add_argument("--fxt", help="another fxt")
    parser.add_argument("--subsets", action="store_true", help="also any three captures of each side")
    parser.add_argument("--relabellings", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-v", "--verbose", action="store_true", help="the first findings where one is wrong")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    options.fxt = options.fxt or harness.FXT
    if not options.recordings and not options.aa:
        parser.error("nothing to evaluate: name recordings, or series with --aa")
    for folder in (*options.recordings, *options.aa):
        if not os.path.isdir(folder):
            parser.error(f"{folder} is not a folder")
    evaluation = Evaluation(options)
    for folder in options.recordings:
        evaluation.recording(folder)
    if options.aa:
        evaluation.series(options.aa)
    return 0 if evaluation.good else 1


if __name__ == "__main__":
    sys.exit(main())
