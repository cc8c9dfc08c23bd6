# SPDX-License-Identifier: BSD-2-Clause
"""Runs apt with separate sources, lists and caches.

Mirror addresses, keyrings and proxies are the machine's; nothing outside `root` is written. Suites that
cannot be verified with the machine's keyring are left out by apt itself, which refuses unsigned lists.
"""

import glob
import os
import re
import shutil
import subprocess

# Suites with cloud kernels of these series, oldest first.
RELEASES = ("bullseye", "bookworm", "trixie", "forky", "sid")
SUITE = re.compile(
    r"^(?:oldoldstable|oldstable|stable|testing|unstable|buster|bullseye|bookworm|trixie|forky|sid)"
    r"(?P<pocket>-updates|-backports|-security|/updates)?$")


class AptError(Exception):
    pass


def _parse_deb822(text):
    for block in re.split(r"\n\s*\n", text):
        fields = {}
        key = None
        for line in block.splitlines():
            if line.startswith("#"):
                continue
            if line[:1] in " \t" and key:
                fields[key] += " " + line.strip()
            elif ":" in line:
                key, value = line.split(":", 1)
                key = key.strip().lower()
                fields[key] = value.strip()
        if fields.get("enabled", "yes").lower() == "no" or "deb" not in fields.get("types", "").split():
            continue
        signed_by = fields.get("signed-by", "")
        if not signed_by.startswith("/"):  # an embedded key: leave it to the system's keyring
            signed_by = ""
        for uri in fields.get("uris", "").split():
            for suite in fields.get("suites", "").split():
                yield uri, suite, fields.get("components", "").split(), signed_by


def _parse_one_line(text):
    for line in text.splitlines():
        match = re.match(r"^\s*deb\s+(?:\[(?P<options>[^\]]*)\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)\s+(?P<components>.+)$",
                         line.split("#")[0])
        if not match:
            continue
        signed = re.search(r"signed-by=(\S+)", match["options"] or "")
        yield match["uri"], match["suite"], match["components"].split(), signed[1] if signed else ""


def machine_mirrors(etc="/etc/apt"):
    """Returns (uri, signed_by, is_security) of the mirrors of this machine."""
    mirrors = []
    paths = [os.path.join(etc, "sources.list")] + sorted(glob.glob(os.path.join(etc, "sources.list.d", "*")))
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
            continue
        parse = _parse_deb822 if path.endswith(".sources") else _parse_one_line
        for uri, suite, components, signed_by in parse(text):
            match = SUITE.match(suite)
            if not match or "main" not in components:
                continue
            mirror = (uri, signed_by, match["pocket"] in ("-security", "/updates"))
            if mirror not in mirrors:
                mirrors.append(mirror)
    return mirrors


class PrivateApt:
    def __init__(self, root, architecture="amd64", releases=RELEASES):
        self.root = os.path.abspath(root)
        self.architecture = architecture
        self.releases = releases
        self.config = os.path.join(self.root, "apt.conf")

    def prepare(self):
        """Writes the configuration. Raises AptError if the machine has no mirror."""
        mirrors = machine_mirrors()
        if not mirrors:
            raise AptError("no mirror of the distribution in this machine's apt sources")
        for folder in ("state/lists/partial", "cache/archives/partial", "empty"):
            os.makedirs(os.path.join(self.root, folder), exist_ok=True)
        open(os.path.join(self.root, "state/status"), "a", encoding="utf-8").close()
        lines = []
        for uri, signed_by, is_security in mirrors:
            option = f"[arch={self.architecture}{f' signed-by={signed_by}' if signed_by else ''}]"
            for release in self.releases:
                if is_security:
                    suites = [f"{release}-security"] if release != "sid" else []
                else:
                    suites = [release] + ([f"{release}-backports"] if release != "sid" else [])
                lines += [f"deb {option} {uri} {suite} main" for suite in suites]
        with open(os.path.join(self.root, "sources.list"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        # The configuration of the machine may have hooks, so only its network settings and the maximum age of lists
        # apply.
        network = [line for line in self._run(["apt-config", "dump"], private=False).splitlines()
                   if line.startswith(("Acquire::http", "Acquire::https", "Acquire::Retries",
                                    "Acquire::Check-", "Acquire::Max-ValidTime"))]
        with open(self.config, "w", encoding="utf-8") as file:
            file.write("\n".join([
                f'Dir::State "{self.root}/state";',
                f'Dir::State::status "{self.root}/state/status";',
                f'Dir::Cache "{self.root}/cache";',
                f'Dir::Etc::sourcelist "{self.root}/sources.list";',
                f'Dir::Etc::sourceparts "{self.root}/empty";',
                f'Dir::Etc::main "{self.root}/empty/apt.conf";',
                f'Dir::Etc::parts "{self.root}/empty";',
                f'Dir::Etc::preferences "{self.root}/empty/preferences";',
                f'Dir::Etc::preferencesparts "{self.root}/empty";',
                f'APT::Architecture "{self.architecture}";',
                f'APT::Architectures "{self.architecture}";',
                'APT::Sandbox::User "root";',
                'Acquire::Languages "none";',
                *network,
            ]) + "\n")

    def update(self):
        """Fetches the package lists. Returns the messages of apt about missing suites."""
        # apt-get fails if one suite is missing, but fetches the other lists.
        output = self._run(["apt-get", "update"], check=False, timeout=600, merge=True)
        if not glob.glob(os.path.join(self.root, "state/lists/*_Packages*")):
            said = output.strip().splitlines() or ["apt-get said nothing"]
            raise AptError("no package lists could be fetched: " + said[-1])
        return [line for line in output.splitlines() if line.startswith(("E:", "W:"))]

    def remove(self):
        """Removes about 300 MB of lists and indexes."""
        shutil.rmtree(self.root, ignore_errors=True)

    def packages(self, pattern):
        """Returns the package names that match a regular expression."""
        output = self._run(["apt-cache", "pkgnames"])
        return [name for name in output.split() if re.fullmatch(pattern, name)]

    def versions(self, names):
        """Returns the records of all versions of packages as dictionaries with lower-case keys."""
        records = []
        if not names:
            return records
        output = self._run(["apt-cache", "show", *names], check=False)
        for block in output.split("\n\n"):
            record = {}
            for line in block.splitlines():
                match = re.match(r"^([A-Za-z0-9-]+): (.*)$", line)
                if match:
                    record[match[1].lower()] = match[2]
            if "package" in record:
                records.append(record)
        return records

    def download(self, package, version=None):
        """Downloads and verifies a package and returns its path. Without a version apt chooses, without backports."""
        folder = os.path.join(self.root, "download")
        os.makedirs(folder, exist_ok=True)
        for old in glob.glob(os.path.join(folder, "*.deb")):
            os.unlink(old)
        self._run(["apt-get", "download", f"{package}={version}" if version else package], cwd=folder, timeout=600)
        found = glob.glob(os.path.join(folder, "*.deb"))
        if not found:
            raise AptError(f"apt-get download left no file for {package}")
        return found[0]

    def _run(self, command, private=True, check=True, cwd=None, timeout=120, merge=False):
        environment = dict(os.environ, LC_ALL="C")
        if private:
            environment["APT_CONFIG"] = self.config
        try:
            done = subprocess.run(command, env=environment, cwd=cwd, timeout=timeout, text=True, check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT if merge else subprocess.PIPE)
        except FileNotFoundError as error:
            raise AptError(f"{command[0]} is not installed") from error
        except subprocess.TimeoutExpired as error:
            raise AptError(f"{' '.join(command)}: no end after {timeout} s") from error
        if check and done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise AptError(f"{' '.join(command)}: {said[0] if said else 'exit ' + str(done.returncode)}")
        return done.stdout
