# SPDX-License-Identifier: BSD-2-Clause
"""Compares the recorded waits of a guest with those that its programs know."""

import json
import os
import subprocess

import wait_truth

from .guest import Result

# Times of a reason may differ by this much: the kernel's counts begin and end near the switches, not at them.
LIMIT_TOLERANCE = {"throttled": 0.03, "throttled up the tree": 0.03}
OTHER_TOLERANCE = 0.1


def judge_waits(fxt, folder):
    """Returns a result for each kind of wait and waker. The figures of all go into `folder`/waits.json."""
    results, figures = [], {}

    def read(name, compare):
        return _compare(fxt, folder, "waits", name, compare, results, figures)

    for name, compare, share in (*((subject, wait_truth.tally, 0.99) for subject in wait_truth.SUBJECTS),
                                 ("exchanges", wait_truth.tally_wakers, 0.99)):
        for kind, count in read(name, compare).items():
            if not count.kept:
                results.append(Result("waits", _check(name, kind), "skip", "none of the waits was long enough"))
                continue
            problem = wait_truth.problem(count, share)
            results.append(Result("waits", _check(name, kind), "fail" if problem else "pass",
                                  problem or f"{count.right} of {count.kept} right"))
    _write(figures, folder)
    return results


def judge_limits(fxt, folder):
    """Returns a result for each reason why a thread did not run. The figures go into `folder`/waits.json."""
    results, figures = [], {}
    found = _compare(fxt, folder, "limits", "limits", wait_truth.compare_limits, results, figures)
    for reason, (known, recorded, names_group) in found.items():
        tolerance = LIMIT_TOLERANCE.get(reason, OTHER_TOLERANCE)
        good = names_group and abs(recorded - known) <= tolerance * known
        results.append(Result("limits", reason.replace(" ", "_"), "pass" if good else "fail",
                              f"{recorded / 1e6:.1f} ms of {known / 1e6:.1f} ms{'' if names_group else ', of another group'}"))
    _write(figures, folder)
    return results


def _compare(fxt, folder, mode, name, compare, results, figures):
    trace, output = (os.path.join(folder, f"{name}.{kind}") for kind in ("fxt", "out"))
    if not os.path.exists(trace) or not os.path.exists(output):
        return {}
    # Here, since it takes minutes on an emulated CPU.
    checked = subprocess.run([fxt, "check", trace], capture_output=True, text=True, check=False)
    if checked.returncode != 0:
        results.append(Result(mode, f"sound:{name}", "fail", (checked.stdout + checked.stderr).strip()[-300:]))
    with open(output, encoding="utf-8") as file:
        found, skipped = compare(fxt, trace, file.read())
    figures[name] = wait_truth.figures_of(found)
    figures[name + " skipped"] = skipped
    results.extend(Result(mode, _check(name, kind), "skip", why) for kind, why in skipped.items())
    return found


def _write(figures, folder):
    if figures:
        with open(os.path.join(folder, "waits.json"), "w", encoding="utf-8") as file:
            json.dump(figures, file, indent=1)


def _check(name, kind):
    return f"{name}:{kind.replace(' ', '_')}"
