# SPDX-License-Identifier: BSD-2-Clause
"""Boots a guest: qemu, its consoles, and the files that it writes."""

import os
import re
import shutil
import subprocess
import tarfile
import time

DISK_BYTES = 256 << 20
# For a virtual machine with a file system: the disks of the file system and of the swap space.
EXTRA_DISK_BYTES = 128 << 20
# For a virtual machine with a file system: a request takes milliseconds, so that threads wait for it.
SLOW_DISKS = {"files": ",throttling.iops-read=50", "ext4": ",throttling.iops-read=50,throttling.bps-write=5000000",
              "swap": ",throttling.iops-read=50,throttling.bps-write=3000000"}
RESULT = re.compile(r"^@@ (?P<mode>\S+) (?P<check>\S+) (?P<status>pass|fail|skip)(?: (?P<detail>.*))?$")
# The first words of kernel messages about its own errors, after the time stamp.
KERNEL_TROUBLE = re.compile(
    r"(BUG: |WARNING: |Oops|Kernel panic|general protection fault|rcu: INFO: .*stall|INFO: task .* blocked|"
    r"Unable to handle|possible recursive locking|watchdog: BUG)")


class Result:
    def __init__(self, mode, check, status, detail=""):
        self.mode, self.check, self.status, self.detail = mode, check, status, detail or ""

    def as_dict(self):
        return dict(mode=self.mode, check=self.check, status=self.status, detail=self.detail)


class Boot:
    """A guest: its kernel, its machine, and its modes in order."""

    def __init__(self, modes, cpus=2, memory_mib=512, limit_s=120, possible_cpus=None, kernel_words="",
                 qemu_words=(), file_system=False):
        self.modes, self.cpus, self.memory_mib, self.limit_s = list(modes), cpus, memory_mib, limit_s
        self.possible_cpus = possible_cpus or cpus  # with those that could be plugged in; a multiple of `cpus`
        self.kernel_words = kernel_words  # for its command line
        self.qemu_words = qemu_words
        self.file_system = file_system    # with modules, a second disk with ext4, and a third one
        self.time_factor = 1  # multiplies the time limits inside the guest


def run(machine, kernel, initramfs, boot, folder):
    """Boots a guest, waits for its end and unpacks its files into `folder`/files. Returns the results."""
    os.makedirs(folder, exist_ok=True)
    console, results, disk = (os.path.join(folder, name) for name in ("console.log", "results.log", "disk.img"))
    for path in (console, results):
        open(path, "wb").close()
    disks = [("files", disk)]
    _make_disk(disk, DISK_BYTES)
    if boot.file_system:
        for name in ("ext4", "swap"):
            disks.append((name, os.path.join(folder, name + ".img")))
            _make_disk(disks[-1][1], EXTRA_DISK_BYTES)
        # The kernels of these features need no module of a checksum.
        if not shutil.which("mkfs.ext4"):
            return [Result(mode, "disk", "skip", "no mkfs.ext4 on this machine (apt-get install e2fsprogs)") for mode in boot.modes]
        subprocess.run(["mkfs.ext4", "-q", "-O", "^metadata_csum", disks[1][1]], check=True, timeout=300)
    command = [
        # One host thread for a few CPUs is faster than several threads that wait for each other, and while the kernel patches
        # its code another thread may translate it half done. But a CPU that computes keeps the others waiting for 100 ms.
        machine.qemu, *machine.options, "-accel", f"tcg,thread={'single' if boot.cpus <= 2 else 'multi'}",
        "-smp", machine.smp(boot), "-m", str(boot.memory_mib), *boot.qemu_words,
        "-display", "none", "-monitor", "none", "-no-reboot", "-nic", "none",
        "-kernel", kernel.image, "-initrd", initramfs,
        # A panic ends the guest before the time limit. The log level is the default of the kernel. Without no_timer_check
        # the kernel may take a delayed timer of the emulation for a broken one, and on a busy host a CPU that waits for the host
        # for one that hangs: the time limit ends such a guest.
        "-append", f"console={machine.console} no_timer_check nowatchdog rcupdate.rcu_cpu_stall_timeout=300 panic=-1 oops=panic loglevel=7 vm.limit={boot.limit_s} "
                   f"vm.time_factor={boot.time_factor} vm.results={machine.results} vm.modes={','.join(boot.modes)} {machine.kernel_words} {boot.kernel_words}",
        *machine.serial_ports(console, results),
    ]
    for name, path in disks:
        throttling = SLOW_DISKS[name] if boot.file_system else ""
        # All of these kernels have this disk driver built in.
        command += ["-drive", f"file={path},if=none,format=raw,id={name},cache=unsafe{throttling}",
                    "-device", f"nvme,serial={name},drive={name}"]
    begin = time.monotonic()
    trouble = []
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as qemu:
        try:
            # The watchdog of the guest comes first. This limit is for a guest without a working one.
            said, _ = qemu.communicate(timeout=boot.limit_s + 30)
            if qemu.returncode != 0:
                trouble.append(Result("guest", "qemu", "fail", said.decode(errors="replace").strip().replace("\n", "; ")))
        except subprocess.TimeoutExpired:
            qemu.kill()
            qemu.communicate()
            trouble.append(Result("guest", "host-watchdog", "fail", f"killed after {boot.limit_s + 30} s"))
    found = _parse(results)
    found += trouble
    if not any(result.mode == "guest" and result.check == "end" for result in found):
        found.append(Result("guest", "end", "fail", "the guest went away: " + _last_line(console)))
    found.append(Result("guest", "host-seconds", "pass", f"{time.monotonic() - begin:.1f}"))
    found += _unpack(disk, os.path.join(folder, "files"))
    found.append(_kernel_trouble(os.path.join(folder, "files", "dmesg.txt"), console))
    for _, path in disks:
        os.unlink(path)
    return found


def _make_disk(path, size):
    with open(path, "wb") as file:
        file.truncate(size)


def reached_userspace(results):
    """Returns whether the first program of the guest ran. Earlier failures are not caused by the recorder: under load
    the emulation of many CPUs may fail while the kernel patches its own code."""
    return any(result.mode == "guest" and result.check == "boot" for result in results)


def _parse(path):
    found = []
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            match = RESULT.match(line.strip())
            if match:
                found.append(Result(match["mode"], match["check"], match["status"], match["detail"]))
    return found


def _unpack(disk, folder):
    os.makedirs(folder, exist_ok=True)
    try:
        with tarfile.open(disk, mode="r:") as archive:
            for member in archive:
                target = os.path.normpath(os.path.join(folder, member.name))
                if not target.startswith(os.path.abspath(folder)) and not target.startswith(folder):
                    continue
                if member.isdir():
                    os.makedirs(target, exist_ok=True)
                elif member.isfile():
                    os.makedirs(os.path.dirname(target), exist_ok=True)
                    with archive.extractfile(member) as source, open(target, "wb") as out:
                        out.write(source.read())
        return []
    except tarfile.TarError as error:
        return [Result("guest", "files", "fail", f"no archive on the guest's disk: {error}")]


def _kernel_trouble(*paths):
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                for line in file:
                    if KERNEL_TROUBLE.search(line):
                        return Result("guest", "kernel-log", "fail", line.strip())
        except OSError:
            continue
    return Result("guest", "kernel-log", "pass")


def _last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1] if lines else "not a word on its console"
