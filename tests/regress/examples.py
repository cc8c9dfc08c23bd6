#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Records five examples again and again, and prints whether the first sentence of `fxt diff` names the cause.

    sudo tests/regress/examples.py OUT               # five rounds
    sudo tests/regress/examples.py OUT --beside-make # the same while this tree is compiled (make -j2, another folder)

OUT/ROUND/SCENARIO/{base,new}/NN.fxt are kept, so an interrupted run can continue.
"""

import argparse
import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))

import harness  # noqa: E402
from evaluate import captures  # noqa: E402
from judging import DiffFailed, diff  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# The scenario, its group in expectations.json, and what the sentence has to say, written down before the first recording.
EXAMPLES = (
    ("redis_tcp", "programs", r"redis-server.*fdatasync.*appendonly"),
    ("quota", "scheduling", r"invoice.*throttled.*cgroup"),
    ("python_pool", "programs", r"perl waits .*python3"),
    ("pipe_reader", "programs", r"awk waits .*python3 in write \(pipe"),
    ("sync_neighbour", "programs", r"python3 .*fdatasync \(.*log"),
)


@contextlib.contextmanager
def compiling(folder):
    """Compiles the tree again and again."""
    script = 'while :; do rm -rf "$0"; make -j2 BUILD="$0" CCACHE_DISABLE=1 "$0"/fxt; done'
    with subprocess.Popen(["sh", "-c", script, folder], cwd=harness.ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, start_new_session=True, env={**os.environ, "CCACHE_DISABLE": "1"}) as process:
        try:
            yield
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT")
    parser.add_argument("only", metavar="NAME", nargs="*")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--beside-make", action="store_true")
    options = parser.parse_intermixed_args()
    out = os.path.abspath(options.out)
    beside = compiling(os.path.join(out, "make")) if options.beside_make else contextlib.nullcontext()
    right, ran = {}, {}
    with beside:
        for number in range(1, options.rounds + 1):
            folder = os.path.join(out, str(number))
            os.makedirs(folder, exist_ok=True)
            for name, group, sentence in EXAMPLES:
                if options.only and name not in options.only:
                    continue
                load = os.getloadavg()[0]
                subprocess.run([os.path.join(HERE, "record.py"), group, folder, name], check=False, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
                pair = [os.path.join(folder, name, side) for side in ("base", "new")]
                if not os.path.isdir(pair[1]):
                    print(f"SKIPPED: {name}: not recorded", flush=True)
                    continue
                try:
                    said = diff(harness.FXT, *map(captures, pair))["conclusion"]
                except DiffFailed as failure:
                    said = str(failure)
                good = re.search(sentence, said) is not None
                right[name] = right.get(name, 0) + good
                ran[name] = ran.get(name, 0) + 1
                print(f"{number} {name} ({'right' if good else 'WRONG'}, load {load:.1f}): {said}", flush=True)
    for name, count in ran.items():
        print(f"{name}: {right[name]} of {count}")
    return 0 if right == ran else 1


if __name__ == "__main__":
    sys.exit(main())
