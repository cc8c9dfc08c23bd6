# SPDX-License-Identifier: BSD-2-Clause
"""Groups of the cpu controller with a quota."""

import os

import harness


def cpu_mount():
    """The mount of the cpu controller and its version, 0 if there is none."""
    with open("/proc/self/mountinfo", encoding="utf-8") as file:
        for line in file:
            fields, tail = line.split(" - ", 1)
            mount, (kind, _, options) = fields.split()[4], tail.split(None, 2)
            if kind == "cgroup" and "cpu" in options.strip().split(","):
                return mount, 1
            if kind == "cgroup2":
                with open(os.path.join(mount, "cgroup.controllers"), encoding="ascii") as controllers:
                    if "cpu" in controllers.read().split():
                        return mount, 2
    return "", 0


MOUNT, VERSION = cpu_mount()


class Group:
    """A cgroup, removed at the end."""

    def __init__(self, name):
        self.path = "/" + name
        self.folder = os.path.join(MOUNT, name)
        if VERSION == 2:
            self.enable(os.path.dirname(self.folder))
        os.mkdir(self.folder)

    @staticmethod
    def enable(folder):
        with open(os.path.join(folder, "cgroup.subtree_control"), "w", encoding="ascii") as file:
            file.write("+cpu")

    def write(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="ascii") as file:
            file.write(value)

    def limit(self, quota, period):
        if VERSION == 2:
            self.write("cpu.max", f"{quota} {period}")
        else:
            self.write("cpu.cfs_period_us", str(period))
            self.write("cpu.cfs_quota_us", str(quota))

    def weigh_most(self):
        """The group gets its quota whatever else runs on the machine."""
        self.write(*(("cpu.weight", "10000") if VERSION == 2 else ("cpu.shares", "262144")))

    def throttled_ns(self):
        with open(os.path.join(self.folder, "cpu.stat"), encoding="ascii") as file:
            stat = dict(line.split() for line in file)
        return int(stat["throttled_usec"]) * 1000 if VERSION == 2 else int(stat["throttled_time"])

    def remove(self):
        harness.eventually(self.try_to_remove)

    def try_to_remove(self):
        try:
            os.rmdir(self.folder)
        except OSError:
            return False
        return True


def why_no_quota():
    """The reason why no group with a quota can be made here, or an empty text."""
    if VERSION == 0:
        return "no mounted cpu controller"
    try:
        group = Group(f"fxr-try-{os.getpid()}")
    except OSError as error:
        return f"cannot make a cgroup: {error}"
    try:
        group.limit(30_000, 100_000)
    except OSError as error:
        return f"cannot set a quota: {error}"
    finally:
        group.remove()
    return ""
