# SPDX-License-Identifier: BSD-2-Clause
"""Reads a Perfetto trace with Google's protobuf library, as Perfetto's importer reads scheduling."""

import collections
import dataclasses
import heapq
import importlib
import os
import subprocess
import sys
import tempfile

PROTO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "perfetto.proto")
CLEARED = 1  # SEQ_INCREMENTAL_STATE_CLEARED
STATES = {0: "R", 0x100: "R+", 1: "S", 2: "D", 4: "T", 8: "t", 0x10: "X", 0x20: "Z", 0x40: "P", 0x80: "I"}


def load_library():
    """The module that protoc makes of perfetto.proto."""
    if "perfetto_pb2" in sys.modules:
        return sys.modules["perfetto_pb2"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["protoc", f"--proto_path={os.path.dirname(PROTO)}", f"--python_out={folder}", PROTO], check=True)
        sys.path.insert(0, folder)
        try:
            return importlib.import_module("perfetto_pb2")
        finally:
            sys.path.remove(folder)


def unknown_fields(message, path="Trace"):
    """Paths of fields that perfetto.proto does not have."""
    found = [f"{path}.{field.field_number}" for field in message.UnknownFields()]
    for descriptor, value in message.ListFields():
        if descriptor.message_type is None:
            continue
        repeated = descriptor.label == descriptor.LABEL_REPEATED
        for each in value if repeated else [value]:
            found += unknown_fields(each, f"{path}.{descriptor.name}")
    return found


@dataclasses.dataclass
class Switch:
    time: int
    cpu: int
    prev_pid: int
    prev_state: str
    next_pid: int


@dataclasses.dataclass
class Waking:
    time: int
    cpu: int
    pid: int
    target: int
    waker: object  # pid; None: taken from what runs on the CPU
    by_interrupt: bool


@dataclasses.dataclass
class Sample:
    source: str     # off-CPU, on-CPU, wakeups or perf
    tid: int        # 0: none
    weight: int
    frames: tuple   # outermost first


class Packets:
    """The content of the packets of a trace. `packets` is a parsed Trace."""

    def __init__(self, packets):
        self.processes = {}
        self.threads = {}
        self.logs = []
        self.samples = []
        self.reasons = []  # time, pid, text, io
        self.tracks = {}
        self.events = []   # time, track event, its names
        self.release = None
        self.lost_cpus = set()
        self._interned = collections.defaultdict(lambda: collections.defaultdict(dict))
        self._sources = {}
        self._switches = collections.defaultdict(list)  # by CPU
        self._wakings = []
        self.first_flags = {}
        for packet in packets:
            self._add(packet)

    def _add(self, packet):
        sequence = packet.trusted_packet_sequence_id
        self.first_flags.setdefault(sequence, packet.sequence_flags)
        if packet.sequence_flags & CLEARED:
            self._interned[sequence].clear()
        interned = self._interned[sequence]
        for descriptor, entries in packet.interned_data.ListFields():
            for entry in entries:
                interned[descriptor.name][entry.iid] = entry
        if packet.HasField("trace_packet_defaults"):
            self._sources[sequence] = packet.trace_packet_defaults.stack_sample_defaults.source
        if packet.HasField("system_info"):
            self.release = packet.system_info.utsname.release
        for process in packet.process_tree.processes:
            self.processes[process.pid] = process
        for thread in packet.process_tree.threads:
            self.threads[thread.tid] = thread
        if packet.HasField("journald_event"):
            self.logs.append((packet.timestamp, packet.journald_event))
        if packet.HasField("track_descriptor"):
            self.tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if packet.HasField("track_event"):
            self._add_event(packet, interned)
        if packet.HasField("ftrace_events"):
            self._add_bundle(packet.ftrace_events, interned)
        if packet.HasField("stack_sample"):
            sample = packet.stack_sample
            self.samples.append(Sample(self._sources[sequence], sample.task_context.tid, sample.primary_weight,
                                       self._frames(interned, sample.callstack_iid)))
        if packet.HasField("perf_sample"):
            sample = packet.perf_sample
            self.samples.append(Sample("perf", sample.tid, sample.timebase_count,
                                       self._frames(interned, sample.callstack_iid)))

    def _add_event(self, packet, interned):
        event = packet.track_event
        name = interned["event_names"][event.name_iid].str.decode("utf-8", "replace") if event.name_iid else ""
        category = (interned["event_categories"][event.category_iids[0]].str.decode("utf-8", "replace")
                    if event.category_iids else "")
        for annotation in event.debug_annotations:
            interned["debug_annotation_names"][annotation.name_iid]  # a KeyError is a failure
            if annotation.string_value_iid:
                interned["debug_annotation_string_values"][annotation.string_value_iid]
        self.events.append((packet.timestamp, event, category, name))

    @staticmethod
    def _frames(interned, callstack):
        frames = []
        for iid in interned["callstacks"][callstack].frame_ids:
            frame = interned["frames"][iid]
            mapping = interned["mappings"][frame.mapping_id]
            for path in mapping.path_string_ids:
                interned["mapping_paths"][path]
            if mapping.build_id:
                interned["build_ids"][mapping.build_id]
            frames.append(interned["function_names"][frame.function_name_id].str.decode("utf-8", "replace"))
        return tuple(frames)

    def _add_bundle(self, bundle, interned):
        cpu = bundle.cpu
        if bundle.lost_events:
            self.lost_cpus.add(cpu)
        compact = bundle.compact_sched
        lengths = {len(compact.switch_timestamp), len(compact.switch_prev_state), len(compact.switch_next_pid),
                   len(compact.switch_next_prio), len(compact.switch_next_comm_index)}
        wakings = {len(compact.waking_timestamp), len(compact.waking_pid), len(compact.waking_target_cpu),
                   len(compact.waking_prio), len(compact.waking_comm_index), len(compact.waking_common_flags)}
        if len(lengths) != 1 or len(wakings) != 1:
            raise ValueError("arrays of a compact bundle differ in length")
        for index in list(compact.switch_next_comm_index) + list(compact.waking_comm_index):
            compact.intern_table[index]
        time = 0
        for delta, state, pid in zip(compact.switch_timestamp, compact.switch_prev_state, compact.switch_next_pid):
            time = (time + delta) % 2**64
            self._switches[cpu].append((time, None, STATES[state], pid))
        time = 0
        for delta, pid, target, flags in zip(compact.waking_timestamp, compact.waking_pid, compact.waking_target_cpu,
                                             compact.waking_common_flags):
            time = (time + delta) % 2**64
            self._wakings.append(Waking(time, cpu, pid, target, None, bool(flags & 0x18)))
        for event in bundle.event:
            if event.HasField("sched_switch"):
                each = event.sched_switch
                self._switches[cpu].append((event.timestamp, each.prev_pid, STATES[each.prev_state], each.next_pid))
            elif event.HasField("sched_waking"):
                each = event.sched_waking
                self._wakings.append(Waking(event.timestamp, cpu, each.pid, each.target_cpu, event.pid, False))
            else:
                each = event.sched_blocked_reason
                symbol = interned["kernel_symbols"][each.caller].str.decode("utf-8", "replace")
                self.reasons.append((event.timestamp, each.pid, symbol, bool(each.io_wait)))

    def switches(self):
        """Each CPU's switches in order, with the outgoing thread that Perfetto takes from the one before."""
        for cpu, switches in self._switches.items():
            on_cpu = None
            for time, prev, state, pid in sorted(switches, key=lambda each: each[0]):
                yield Switch(time, cpu, on_cpu if prev is None else prev, state, pid)
                on_cpu = pid

    def runs(self):
        """(begin, end, cpu, pid, state at the end) of each run that ends; idle time is pid 0."""
        begun = {}
        for switch in self.switches():
            if switch.cpu in begun:
                yield begun[switch.cpu], switch.time, switch.cpu, switch.prev_pid, switch.prev_state
            begun[switch.cpu] = switch.time

    def wakings(self):
        """The wakings in order of time, each with its waker: what ran on its CPU then."""
        switches = collections.defaultdict(list)
        for switch in self.switches():
            switches[switch.cpu].append(switch)
        position = collections.Counter()
        for waking in sorted(self._wakings, key=lambda each: each.time):
            if waking.waker is None and not waking.by_interrupt:
                of_cpu = switches[waking.cpu]
                at = position[waking.cpu]
                while at < len(of_cpu) and of_cpu[at].time <= waking.time:
                    at += 1
                position[waking.cpu] = at
                waking = dataclasses.replace(waking, waker=of_cpu[at - 1].next_pid if at else None)
            yield waking

    def states(self):
        """(pid, begin, end, state) of each time on no CPU, as Perfetto's thread states have them: a waking begins R."""
        timeline = heapq.merge(
            sorted(((s.time, 1, s) for s in self.switches()), key=lambda each: each[:2]),
            sorted(((w.time, 0, w) for w in self._wakings), key=lambda each: each[:2]), key=lambda each: each[:2])
        waiting, running = {}, set()
        for time, is_switch, event in timeline:
            if not is_switch:
                if event.pid in running or waiting.get(event.pid, ("", 0))[0] in ("R", "R+"):
                    continue
                if event.pid in waiting:
                    state, begin = waiting[event.pid]
                    yield event.pid, begin, time, state
                waiting[event.pid] = ("R", time)
                continue
            running.discard(event.prev_pid)
            if event.prev_pid:
                waiting[event.prev_pid] = (event.prev_state, time)
            if event.next_pid:
                if event.next_pid in waiting:
                    state, begin = waiting.pop(event.next_pid)
                    yield event.next_pid, begin, time, state
                running.add(event.next_pid)
