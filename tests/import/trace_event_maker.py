# SPDX-License-Identifier: BSD-2-Clause
"""Random Trace Event JSON, made from the format's document alone, and what has to come back of it."""

import json
import random
import string

TEXTS = ["", "a", "x y", "ünïcödé ✓", "quote \" and \\ back", "line\nbreak\ttab", "\u0001\u001f", "nul\u0000in", "emoji 🚀", "0x12",
         "</script>", "null", "12", "a,b,c", ".dot", "..", "(more)", ".id", ".ph", "#{}[]"]
IDS = ["0x10", "0x0", "0xFF", "0x00a", "12", 7, 0, "abc", "", 2**63, "0xffffffffffffffff", "0x1ffffffffffffffff", -3, 1.5]
SCOPES = ["", "", "", "frames", "0x10"]


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.events = []
        self.frames = {}
        self.samples = []
        self.open = {}  # stacks of spans by thread
        self.used = set()
        self.now = 1000

    def chance(self, share):
        return self.random.random() < share

    def text(self):
        if self.chance(0.7):
            return self.random.choice(TEXTS)
        return "".join(self.random.choice(string.printable) for _ in range(self.random.randrange(60)))

    def scalar(self):
        kind = self.random.randrange(8)
        return [lambda: self.random.randrange(-100, 100), lambda: self.random.randrange(-2**63, 2**63),
                lambda: self.random.randrange(2**63, 2**64), lambda: self.random.uniform(-1e6, 1e6),
                lambda: self.random.uniform(-1, 1) * 10.0 ** self.random.randrange(-300, 300), self.text,
                lambda: self.random.choice([True, False]), lambda: None][kind]()

    def value(self, depth=0):
        kind = self.random.randrange(10)
        if kind < 7 or depth > 4:
            return self.scalar()
        if kind == 7:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        return {self.text(): self.value(depth + 1) for _ in range(self.random.randrange(4))}

    def arguments(self):
        if self.chance(0.3):
            return None
        if self.chance(0.05):
            return self.random.choice(["__stripped__", 7, [1, {"a": 2}], False])
        return {self.text() + str(i): self.value() for i in range(self.random.choice([0, 1, 2, 3, 5, 14, 15, 16, 25]))} | (
            {self.random.choice(TEXTS): self.value()} if self.chance(0.3) else {})

    def thread(self):
        pid = self.random.choice([1, 1, 2, 77, 2**22, 2**31 + 5, -4, 0, "main process"])
        tid = self.random.choice([1, 2, 77, 1000, 2**40, -1, 0, "render"])
        return {"pid": pid, "tid": tid}

    def stamp(self):
        """Microseconds as a number or a text, with up to three decimals."""
        self.now += self.random.randrange(1, 5000)
        text = f"{self.now // 1000}.{self.now % 1000:03}"
        return json.loads(text) if self.chance(0.9) else text

    def extras(self, event):
        if self.chance(0.2):
            event["tts"] = self.random.randrange(10**6)
        if self.chance(0.1):
            event["cname"] = "good"
        if self.chance(0.05):
            event["ticount"] = self.random.randrange(10**6)

    def stack(self, event, prefix=""):
        kind = self.random.randrange(6)
        if kind == 0 and self.frames:
            event[prefix + "sf"] = self.random.choice(list(self.frames))
            if event[prefix + "sf"].isdigit() and self.chance(0.5):
                event[prefix + "sf"] = int(event[prefix + "sf"])
        elif kind == 1:
            event[prefix + "stack"] = [self.random.choice(["0x1", "main", "f(int) (x)", "é"]) for _ in range(
                self.random.randrange(1, 5))]

    def make_frames(self):
        for i in range(self.random.randrange(8)):
            frame = {"name": self.random.choice(["main", "f(int)", "operator() (x)", "a b", "ü"])}
            if self.chance(0.5):
                frame["category"] = self.random.choice(["libc.so", "my app"])
            if self.frames and self.chance(0.7):
                frame["parent"] = self.random.choice(list(self.frames))
                if frame["parent"].isdigit() and self.chance(0.5):
                    frame["parent"] = int(frame["parent"])
            self.frames[str(i) if self.chance(0.5) else f"f{i}"] = frame

    def add(self, phase, **fields):
        event = {"ph": phase, "ts": self.stamp()}
        event.update(self.thread())
        if self.chance(0.95):
            event["name"] = self.text()
        if self.chance(0.9):
            event["cat"] = self.text()
        arguments = self.arguments()
        if arguments is not None:
            event["args"] = arguments
        self.extras(event)
        event.update(fields)
        items = list(event.items())
        self.random.shuffle(items)
        event = dict(items)
        self.events.append(event)
        return event

    def identity(self):
        """Returns a new id, which no other event uses."""
        while True:
            fields = {}
            if self.chance(0.3):
                which = self.random.choice(["local", "global"])
                fields["id2"] = {which: self.random.choice(["0x1", "0xAB", "x", 5]) if self.chance(0.3)
                                 else f"0x{self.random.randrange(2**40):x}"}
            elif self.chance(0.3):
                fields["id"] = self.random.choice(IDS)
            else:
                fields["id"] = f"0x{self.random.randrange(2**64):x}"
            scope = self.random.choice(SCOPES)
            if scope:
                fields["scope"] = scope
            key = json.dumps(fields)
            if key not in self.used:
                self.used.add(key)
                if "local" in fields.get("id2", {}):  # to a process
                    fields["pid"] = self.thread()["pid"]
                return fields

    def spans(self):
        thread = self.thread()
        begin = self.add("B", **thread)
        self.stack(begin)
        inner = [self.add("B", **thread)] if self.chance(0.5) else []
        for opened in inner + [begin]:
            end = self.add("E", **thread)
            self.stack(end)
            for name in ("name", "cat"):
                end.pop(name, None)
                if self.chance(0.3) and opened.get(name):
                    end[name] = opened[name]

    def complete(self):
        duration = self.random.choice([0, 0.001, 5.25, 1000, "3.5"])
        event = self.add("X", dur=duration)
        self.stack(event)
        self.stack(event, "e")
        if self.chance(0.2):
            event["tdur"] = 3
        if self.chance(0.1):
            event["id"] = self.random.choice(IDS)
        if self.chance(0.2):
            event["bind_id"] = self.random.choice(["0x9", 12, "y"])
            if self.chance(0.8):
                event[self.random.choice(["flow_in", "flow_out"])] = True

    def instant(self):
        event = self.add(self.random.choice("iI"))
        if self.chance(0.7):
            event["s"] = self.random.choice("gpt")
        self.stack(event)

    def counter(self):
        event = self.add("C", args={f"{self.text()}{i}": self.random.choice([i, i + 0.5])
                                    for i in range(self.random.choice([1, 2, 14, 15, 16, 40]))})
        if self.chance(0.4):
            event["id"] = self.random.choice(IDS[:-4])

    def asynchronous(self):
        identity = self.identity()
        category = self.text()
        kind = self.random.choice(["bne", "STF", "SpF"])
        for phase in kind[0] + kind[1] * self.random.randrange(3) + kind[2]:
            self.add(phase, cat=category, **identity)

    def lone_step(self):
        self.add(self.random.choice("nTp"), cat=self.text(), **self.identity())

    def flow(self):
        identity = {"id": f"0x{self.random.randrange(2**50):x}"}
        category = self.text()
        self.add("s", cat=category, **identity)
        for _ in range(self.random.randrange(3)):
            self.add("t", cat=category, **identity)
        end = self.add("f", cat=category, **identity)
        if self.chance(0.6):
            end["bp"] = "e"
        elif self.chance(0.5):
            self.add("X", pid=end["pid"], tid=end["tid"], dur=1)

    def thing(self):
        identity = {**self.thread(), **self.identity(), "cat": self.text()}
        name, thread = self.text(), {}
        self.add("N", name=name, **identity, **thread)
        for _ in range(self.random.randrange(3)):
            self.add("O", name=name, args={"snapshot": self.value()}, **identity, **thread)
        self.add("D", name=name, **identity, **thread)

    def other(self):
        phase = self.random.choice("RPcVv()=")
        event = self.add(phase)
        if phase in "Vv()=":
            event["id"] = self.random.choice(["0x10", "dump", 5])
        if phase == "c":
            event["args"] = {"sync_id": "guid", "issue_ts": 1.5}
        if phase == "P":
            self.stack(event)

    def sample(self):
        sample = {"tid": 500 + self.random.randrange(3), "ts": self.stamp(), "name": self.text() or "cycles",
                  "weight": self.random.randrange(10)}
        if self.frames:
            sample["sf"] = self.random.choice(list(self.frames))
        if self.chance(0.5):
            sample["cpu"] = self.random.randrange(8)
        self.samples.append(sample)

    def names(self):
        for pid in (1, 77, 300):
            for name, arguments in (("process_name", {"name": f"program {pid} é"}), ("process_labels", {"labels": "a,b"}),
                                    ("process_sort_index", {"sort_index": -pid})):
                if self.chance(0.7):
                    self.events.append({"ph": "M", "pid": pid, "name": name, "args": arguments})
            for name, arguments in (("thread_name", {"name": f"thread {pid}"}), ("thread_sort_index", {"sort_index": pid})):
                if self.chance(0.7):
                    self.events.append({"ph": "M", "pid": pid, "tid": pid + 1, "name": name, "args": arguments})

    def make(self):
        """The file as an object."""
        self.make_frames()
        makers = [self.spans, self.complete, self.instant, self.counter, self.asynchronous, self.lone_step, self.flow,
                  self.thing, self.other, self.sample, self.complete, self.spans]
        for _ in range(self.random.randrange(1, 60)):
            self.random.choice(makers)()
        self.names()
        properties = {"displayTimeUnit": self.random.choice(["ms", "ns"]), "otherData": {"version": self.text()},
                      "number": 1.5, "text": self.text(), "as text": "17"}
        document = [("traceEvents", self.events)]
        if self.frames:
            document.append(("stackFrames", self.frames))
        if self.samples:
            document.append(("samples", self.samples))
        document += [item for item in properties.items() if self.chance(0.5)]
        self.random.shuffle(document)
        return dict(document)


def nanoseconds(value):
    text = value if isinstance(value, str) else json.dumps(value)
    whole, _, part = text.partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def stack_of(frames, number):
    stack = []
    while number is not None and str(number) in frames:
        frame = frames[str(number)]
        stack.append((frame["name"], frame.get("category", "")))
        number = frame.get("parent")
    return stack


def same_numbers(value):
    """JSON has one kind of numbers: 5.0 is 5."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [same_numbers(each) for each in value]
    if isinstance(value, dict):
        return {key: same_numbers(each) for key, each in value.items()}
    return value


def plain(event, frames):
    """The content of an event, independent of its notation."""
    said = {key: value for key, value in event.items() if key not in ("ts", "dur", "sf", "esf")}
    for key in ("ts", "dur"):
        if key in event:
            said[key] = nanoseconds(event[key])
    for key in ("sf", "esf"):
        if key in event:
            said[key] = stack_of(frames, event[key])
    for key in ("name", "cat"):
        said.setdefault(key, "")
    said.setdefault("args", {})
    if said.get("ph") in ("i", "I"):
        said.setdefault("s", "t")
    return same_numbers(said)


def contents(document):
    """The content of a file, as texts that can be compared, in any order."""
    if isinstance(document, list):
        document = {"traceEvents": document}
    frames = document.get("stackFrames", {})
    events, counters, names, spans = [], {}, {}, {}
    timed = sorted((e for e in document["traceEvents"] if "ts" in e), key=lambda e: nanoseconds(e["ts"]))
    for event in timed:
        said = plain(event, frames)
        thread = (said["pid"], said["tid"])
        if said["ph"] == "B":
            spans.setdefault(thread, []).append(said)
        elif said["ph"] == "E":
            begin = spans[thread].pop()
            for key in ("name", "cat"):  # an end may do without them
                said[key] = said[key] or begin[key]
        if said["ph"] == "C":  # of many series
            key = json.dumps([said["ts"], said["name"], thread])
            if key in counters:
                counters[key]["args"].update(said["args"])
                continue
            counters[key] = said
        events.append(said)
    for event in document["traceEvents"]:
        if event["ph"] == "M":
            names[json.dumps([event["name"], event["pid"], event.get("tid")])] = event["args"]
    samples = [plain(sample, frames) for sample in document.get("samples", [])]
    others = {key: value for key, value in document.items()
              if key not in ("traceEvents", "stackFrames", "samples", "systemTraceEvents")}
    return (sorted(json.dumps(event, sort_keys=True) for event in events), names,
            sorted(json.dumps(sample, sort_keys=True) for sample in samples), others)


def difference(before, after):
    """Empty if `after` has the whole content of `before`, and no further event."""
    events, names, samples, others = contents(before)
    events_after, names_after, samples_after, others_after = contents(after)
    for what, wanted, found in (("event", events, events_after), ("sample", samples, samples_after)):
        missing, more = list(wanted), []
        for text in found:
            if text in missing:
                missing.remove(text)
            else:
                more.append(text)
        if missing or more:
            return f"{what}s missing: {missing[:2]}\nmore: {more[:2]}"
    for key, value in names.items():
        if names_after.get(key) != value:
            return f"name {key}: {value} is {names_after.get(key)}"
    for key, value in others.items():
        if others_after.get(key) != value:
            return f"property {key}: {value} is {others_after.get(key)}"
    return ""
