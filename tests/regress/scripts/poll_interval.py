#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""A spooler polls a folder every 8 ms instead of every 5 ms; the client waits for each job."""

import os
import tempfile
import time

from roles import arguments, run


def spool(folder, pause, answers):
    while True:
        for name in sorted(os.listdir(folder)):
            if name.endswith(".job"):
                path = os.path.join(folder, name)
                with open(path, encoding="ascii") as job:
                    pages = sum(map(ord, job.read()))
                os.unlink(path)
                os.write(answers, b"%d\n" % pages)
        time.sleep(pause)


def submit(folder, answers):
    number = 0
    while True:
        number += 1
        path = os.path.join(folder, str(number))
        with open(path, "w", encoding="ascii") as job:
            job.write("print these pages\n" * 40)
        os.rename(path, f"{path}.job")
        os.read(answers, 100)


def main():
    slow, seconds = arguments()
    answered, answers = os.pipe()
    with tempfile.TemporaryDirectory(dir="/dev/shm", ignore_cleanup_errors=True) as folder:
        run(seconds, [("spool", lambda: spool(folder, 0.008 if slow else 0.005, answers)),
                      ("submit", lambda: submit(folder, answered))])


if __name__ == "__main__":
    main()
