# SPDX-License-Identifier: BSD-2-Clause
"""ClickHouse servers of the distribution as shards of one cluster on the loopback interface."""

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import harness

SERVER = shutil.which("clickhouse-server", path=os.environ.get("PATH", "") + ":/usr/sbin") or ""
CLUSTER = "fleet"
ASK = os.path.join(harness.ROOT, "scripts/fleet/ask")

CONFIG = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/log</log><errorlog>{folder}/errors</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port>
  <tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{interserver}</interserver_http_port>
  <path>{folder}/data/</path>
  <tmp_path>{folder}/tmp/</tmp_path>
  <users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>67108864</mark_cache_size>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <remote_servers><{cluster}>{shards}</{cluster}></remote_servers>
</yandex>
"""
SHARD = "<shard><internal_replication>true</internal_replication>" \
        "<replica><host>127.0.0.1</host><port>{tcp}</port></replica></shard>"
USERS = """<?xml version="1.0"?>
<yandex>
  <profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
  <users><default><password></password><networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></default></users>
  <quotas><default></default></quotas>
</yandex>
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def fxt(*arguments):
    return harness.run(harness.FXT, *arguments)


def ask(server, *arguments):
    """Runs scripts/fleet/ask."""
    return harness.run(ASK, server.url, *arguments)


class QueryError(Exception):
    pass


class Server:
    def __init__(self, folder):
        self.folder = folder
        self.http, self.tcp, self.interserver = free_port(), free_port(), free_port()
        self.process = None

    def write_config(self, shards):
        os.makedirs(self.folder, exist_ok=True)
        with open(f"{self.folder}/config.xml", "w", encoding="utf-8") as file:
            file.write(CONFIG.format(folder=self.folder, http=self.http, tcp=self.tcp, interserver=self.interserver,
                                     cluster=CLUSTER, shards="".join(SHARD.format(tcp=s.tcp) for s in shards)))
        with open(f"{self.folder}/users.xml", "w", encoding="utf-8") as file:
            file.write(USERS)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http}"

    def start(self):
        with open(f"{self.folder}/output", "ab") as output:
            self.process = subprocess.Popen([SERVER, f"--config-file={self.folder}/config.xml"], stdout=output,
                                            stderr=output, cwd=self.folder, start_new_session=True)
        end = time.monotonic() + 120
        while True:
            try:
                if self.query("SELECT 1") == "1\n":
                    return
            except (OSError, QueryError):
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                with open(f"{self.folder}/output", encoding="utf-8", errors="replace") as file:
                    raise RuntimeError(f"the server does not start: {file.read()[-2000:]}")
            time.sleep(0.1)

    def create_schema(self, *options):
        for statement in fxt("export", "--print-schema", *options).stdout.split(";\n"):
            if statement.strip():
                self.query(statement)

    def kill(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def query(self, statement, timeout=120, **settings):
        parameters = "&".join(f"{name}={value}" for name, value in settings.items())
        request = urllib.request.Request(f"{self.url}/?{parameters}", data=statement.encode())
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.read().decode()
        except urllib.error.HTTPError as error:
            raise QueryError(error.read().decode(errors="replace")) from error


def start_cluster(folder, count=2):
    servers = [Server(f"{folder}/{number}") for number in range(count)]
    for server in servers:
        server.write_config(servers)
    for server in servers:
        server.start()
    return servers
