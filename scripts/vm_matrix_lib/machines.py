# SPDX-License-Identifier: BSD-2-Clause
"""The emulated machine of each architecture."""

from .kernels import ALL_SERIES


class Machine:
    def __init__(self, architecture, qemu, qemu_package, options, console, results, strip, series, impossible_modes=(), kernel_words=""):
        self.architecture = architecture  # as Debian names it
        self.qemu, self.qemu_package = qemu, qemu_package
        self.options = options            # of qemu: the machine itself
        self.console, self.results = console, results  # the guest's devices behind the two serial ports
        self.strip = strip                # the program that knows its files
        self.series = series              # kernels that it boots
        self.impossible_modes = impossible_modes
        self.kernel_words = kernel_words  # for every kernel's command line

    def smp(self, boot):
        if boot.possible_cpus == boot.cpus:
            return str(boot.cpus)
        # qemu plugs whole packages in.
        return (f"{boot.cpus},maxcpus={boot.possible_cpus},sockets={boot.possible_cpus // boot.cpus},"
                f"cores={boot.cpus}")

    def serial_ports(self, console, results):
        """Returns the options of qemu for two serial ports that write to files."""
        if self.architecture == "amd64":
            return ["-serial", f"file:{console}", "-serial", f"file:{results}"]
        # The board has one port; the second one is on the bus.
        return ["-serial", f"file:{console}", "-chardev", f"file,id=results,path={results}",
                "-device", "pci-serial,chardev=results"]


MACHINES = {
    "amd64": Machine("amd64", "qemu-system-x86_64", "qemu-system-x86", [], "ttyS0", "ttyS1", "strip", ALL_SERIES),
    # qemu 7.2 cannot unpack the kernels of later series and cannot plug CPUs into this board. On a busy host a boot takes
    # minutes, and the kernel may take a delayed CPU for a stuck one. The CPU signs return addresses, in a way that is quickly
    # emulated; old kernels do not start with larger physical addresses (LPA2).
    "arm64": Machine("arm64", "qemu-system-aarch64", "qemu-system-arm", ["-machine", "virt", "-cpu", "max,pauth-impdef=on,lpa2=off"],
                     "ttyAMA0", "ttyS0", "aarch64-linux-gnu-strip", ("5.10", "6.1", "6.12"), ("possible_cpus",),
                     "nowatchdog"),
}
