# SPDX-License-Identifier: BSD-2-Clause
"""Selects kernels by series from the package lists, fetches and unpacks them, and caches them."""

import hashlib
import json
import lzma
import os
import re
import subprocess
import tarfile

from .private_apt import AptError, PrivateApt

# "6" is the newest of 6.x, "6.12" the newest of that series. Release candidates are only in their own series.
HOST = "amd64"
ALL_SERIES = ("5.10", "6.1", "6.12", "6", "7")
SHORT_SERIES = ("5.10", "6.12", "7")

# Since about 6.17 linux-image-* is empty and depends on linux-binary-*, which has the kernel.
NAME = re.compile(r"linux-(?P<kind>image|binary)-(?P<release>\d+\.\d+\S*-cloud-(?:amd64|arm64))(?P<unsigned>-unsigned)?")
SMALLEST_KERNEL_KIB = 5000
# Modules that the modes need, and their dependencies.
MODULES = ("ext4", "veth", "fuse")
MODULE = re.compile(r".*/kernel/(?:fs|drivers/net)/(?:.*/)?(?P<name>[^/]+)\.ko(?P<packed>\.xz)?")
DOWNLOADS_TRIED = 24


class Kernel:
    """A kernel in the cache. `release` is that of uname -r."""

    def __init__(self, series, folder, facts):
        self.series = series
        self.folder = folder
        self.release = facts["release"]
        self.version = facts["version"]
        self.package = facts["package"]
        self.sha256 = facts["sha256"]
        self.modules = facts["modules"]  # names, each after those that it depends on

    @property
    def image(self):
        return os.path.join(self.folder, "vmlinuz")

    def module_files(self):
        return [os.path.join(self.folder, name + ".ko") for name in self.modules]

    @property
    def name(self):
        """A short, unique name: 6.12.117."""
        return re.match(r"[0-9.]+", self.version)[0]


def upstream_key(version):
    """Returns the sort key of a package version: '6.19.14-1~bpo13+1' -> ((6, 19, 14), final, ...)."""
    upstream, _, revision = version.partition("-")
    numbers, _, candidate = upstream.partition("~rc")
    return ([int(part) for part in re.findall(r"\d+", numbers)], 0 if candidate else 1,
            int(candidate) if candidate.isdigit() else 0, [int(part) for part in re.findall(r"\d+", revision)])


def belongs_to(series, version):
    upstream = version.partition("-")[0]
    if "~rc" in upstream and "." not in series:
        return False
    return upstream == series or re.match(re.escape(series) + r"[.~]", upstream) is not None


def candidates(apt, series):
    """Returns the package records of a series, best first."""
    names = apt.packages(NAME.pattern)
    records = []
    for record in apt.versions(names):
        match = NAME.fullmatch(record["package"])
        if not match or not belongs_to(series, record.get("version", "")):
            continue
        if int(record.get("installed-size", "0")) < SMALLEST_KERNEL_KIB:
            continue
        signed = 0 if match["unsigned"] else 1
        records.append((upstream_key(record["version"]), signed, match["release"], record))
    records.sort(key=lambda entry: entry[:3], reverse=True)
    return [(release, record) for _, _, release, record in records]


class KernelCache:
    def __init__(self, root, architecture=HOST):
        self.root = os.path.abspath(root)
        self.architecture = architecture
        self.apt = PrivateApt(os.path.join(self.root, f"apt{self._suffix}"), architecture)
        self._ready = False

    @property
    def _suffix(self):
        return "" if self.architecture == HOST else f"-{self.architecture}"

    def cached(self, series):
        """Returns the cached kernel of a series, or None if it is missing or damaged."""
        folder = os.path.join(self.root, "kernels", series + self._suffix)
        try:
            with open(os.path.join(folder, "kernel.json"), encoding="utf-8") as file:
                kernel = Kernel(series, folder, json.load(file))
            return kernel if _sha256(kernel.image) == kernel.sha256 else None
        except (OSError, ValueError, KeyError):
            return None

    def get(self, series, update=False, note=print):
        """Returns the kernel of a series. Fetches it if it is missing or with `update`."""
        kernel = self.cached(series)
        if kernel and not update:
            return kernel
        self._prepare(note)
        found = candidates(self.apt, series)
        if not found:
            raise AptError(f"no suite has a cloud kernel of series {series}")
        problems = []
        for release, record in found[:DOWNLOADS_TRIED]:
            if kernel and kernel.package == record["package"] and kernel.version == record["version"]:
                return kernel
            try:
                note(f"fetching {record['package']} {record['version']}")
                package = self.apt.download(record["package"], record["version"])
                return self._unpack(series, release, record, package)
            except AptError as error:  # lists can be ahead of, or behind, what a mirror still holds
                problems.append(str(error))
        raise AptError(f"series {series}: {problems[0]}")

    def busybox(self, note=print):
        """Fetches a static busybox for another architecture."""
        folder = os.path.join(self.root, f"busybox{self._suffix}")
        program = os.path.join(folder, "bin/busybox")
        if not os.path.exists(program):
            self._prepare(note)
            note("fetching busybox-static")
            package = self.apt.download("busybox-static")
            os.makedirs(folder, exist_ok=True)
            subprocess.run(["dpkg-deb", "--extract", package, folder], check=True, timeout=300)
            os.unlink(package)
            if not os.path.exists(program):  # where /bin is /usr/bin
                os.makedirs(os.path.dirname(program), exist_ok=True)
                os.link(os.path.join(folder, "usr/bin/busybox"), program)
        return program

    def close(self):
        """Removes files that only fetching needs."""
        self.apt.remove()
        self._ready = False

    def _prepare(self, note):
        if self._ready:
            return
        self.apt.prepare()
        note("reading package lists")
        for line in self.apt.update():
            note("apt: " + line)
        self._ready = True

    def _unpack(self, series, release, record, package):
        folder = os.path.join(self.root, "kernels", series + self._suffix)
        os.makedirs(folder, exist_ok=True)
        image = os.path.join(folder, "vmlinuz")
        modules = {}
        found = _read_package(package, image, modules)
        os.unlink(package)
        if not found:
            raise AptError(f"{record['package']} holds no kernel")
        os.replace(image + ".new", image)
        if not modules and record["package"].startswith("linux-binary-"):
            package = self.apt.download(f"linux-modules-{release}", record["version"])
            _read_package(package, image + ".unused", modules)
            os.unlink(package)
        wanted = _with_dependencies(modules)
        for name in wanted:
            with open(os.path.join(folder, name + ".ko"), "wb") as file:
                file.write(modules[name])
        facts = {"release": release, "version": record["version"], "package": record["package"],
                 "sha256": _sha256(image), "modules": wanted}
        with open(os.path.join(folder, "kernel.json"), "w", encoding="utf-8") as file:
            json.dump(facts, file, indent=1)
        return Kernel(series, folder, facts)


def _read_package(package, image, modules):
    """Writes the kernel of a package to `image`.new and adds its modules. Returns whether it has a kernel."""
    found = False
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as unpack:
        with tarfile.open(fileobj=unpack.stdout, mode="r|") as archive:
            for member in archive:
                base = os.path.basename(member.name)
                if not found and member.isfile() and (base == "vmlinuz" or base.startswith("vmlinuz-")):
                    with open(image + ".new", "wb") as out:
                        _copy(archive.extractfile(member), out)
                    found = True
                match = MODULE.fullmatch(member.name)
                if match and member.isfile():
                    data = archive.extractfile(member).read()
                    modules[match["name"].replace("-", "_")] = lzma.decompress(data) if match["packed"] else data
    return found


def _with_dependencies(modules):
    """Returns the names of MODULES and of what they depend on, in the order of loading. `modules`: contents by name."""
    order = []

    def add(name):
        if name in order or name not in modules:
            return
        depends = re.search(rb"\0depends=([^\0]*)\0", modules[name])
        for needed in depends[1].decode().split(",") if depends else ():
            add(needed.replace("-", "_"))
        order.append(name)
    for name in MODULES:
        add(name)
    return order


def _copy(source, target):
    while block := source.read(1 << 20):
        target.write(block)


def _sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
