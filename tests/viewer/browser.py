# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium, driven over a pipe with the DevTools protocol."""

import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

# Bounds a hang, on a busy machine, too.
LIMIT_S = 600
# Messages about a page that a navigation is just replacing.
REPLACED = ("context with specified id", "context was destroyed", "navigated or closed", "default execution context",
            "No target with given id", "Session with given id not found")


class Replaced(RuntimeError):
    """A navigation replaced the page of the call, or its frame is gone."""


def find():
    """Returns the path of a Chromium, or None."""
    return next((path for path in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if path), None)


class Browser:
    """One page. `errors` collects its exceptions, console errors and alerts."""

    def __init__(self, program):
        self.errors = []
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        # Chromium reads and writes the pipes as descriptors 3 and 4.
        command = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader",
                   "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-sync",
                   "--disable-dev-shm-usage", "--allow-file-access-from-files", "--remote-debugging-pipe",
                   f"--user-data-dir={self._profile.name}", "about:blank"]
        self._process = subprocess.Popen(["sh", "-c", f'exec 3<&{to_read} 4>&{to_write}; exec "$@"', "sh", *command],
                                         pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._last_id = 0
        self._session = None
        self._session = self.call("Target.attachToTarget", targetId=self._first_page(), flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def _first_page(self):
        """Waits for the first page: the browser answers before there is one."""
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            targets = self.call("Target.getTargets", limit=LIMIT_S)["targetInfos"]
            for target in targets:
                if target["type"] == "page":
                    return target["targetId"]
            time.sleep(0.05)
        raise TimeoutError("the browser has no page")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        self._profile.cleanup()

    def _receive(self, deadline):
        while b"\0" not in self._buffer:
            if not select.select([self._from], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self._from, 1 << 16)
            if not part:
                raise RuntimeError(f"the browser ended with status {self._process.wait()}")
            self._buffer += part
        text, _, self._buffer = self._buffer.partition(b"\0")
        message = json.loads(text)
        self._note(message.get("method"), message.get("params"))
        return message

    def _note(self, method, details):
        if method == "Runtime.exceptionThrown":
            thrown = details["exceptionDetails"]
            self.errors.append(thrown.get("exception", {}).get("description") or thrown["text"])
        elif method == "Runtime.consoleAPICalled" and details["type"] == "error":
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in details["args"]))
        elif method == "Log.entryAdded" and details["entry"]["level"] == "error":
            self.errors.append(details["entry"]["text"])
        elif method == "Page.javascriptDialogOpening":
            # The page stops until the dialog is closed.
            self.errors.append(details["message"])
            self._send("Page.handleJavaScriptDialog", accept=True)

    def _send(self, method, **parameters):
        self._last_id += 1
        request = {"id": self._last_id, "method": method, "params": parameters}
        if self._session:
            request["sessionId"] = self._session
        os.write(self._to, json.dumps(request).encode() + b"\0")
        return self._last_id

    def call(self, method, limit=LIMIT_S, **parameters):
        call = self._send(method, **parameters)
        deadline = time.monotonic() + limit
        while True:
            answer = self._receive(deadline)
            # The browser does not answer the calls of a frame that goes.
            if answer.get("method") == "Target.detachedFromTarget" and answer["params"]["sessionId"] == self._session:
                raise Replaced(f"{method}: the frame is gone")
            if answer.get("id") == call:
                if "error" in answer:
                    said = answer["error"]["message"]
                    kind = Replaced if any(words in said for words in REPLACED) else RuntimeError
                    raise kind(f"{method}: {said}")
                return answer["result"]

    def _frames(self, address):
        return [target["targetId"] for target in self.call("Target.getTargets")["targetInfos"] if
                target["type"] == "iframe" and address in target["url"]]

    def has_frame(self, address):
        """Whether a frame in a sandbox has this part in its address."""
        return bool(self._frames(address))

    @contextlib.contextmanager
    def within_frame(self, address):
        """Calls are those of the frame with this part in its address, which is in a sandbox."""
        frames, page = self._frames(address), self._session
        if not frames:
            raise Replaced(f"no frame shows {address}")
        self._session = self.call("Target.attachToTarget", targetId=frames[0], flatten=True)["sessionId"]
        try:
            self.call("Runtime.enable")
            yield
        finally:
            self._session = page

    def open(self, url):
        """Shows another page. Returns when the one before is gone: it would still answer for a moment."""
        self.evaluate("window.isBeforeOpen = true")
        failure = self.call("Page.navigate", url=url).get("errorText")
        if failure:
            raise RuntimeError(f"{url}: {failure}")
        self.wait_for(lambda page: page.evaluate("!window.isBeforeOpen"))

    def evaluate(self, expression, limit=LIMIT_S):
        """Returns the value of a JavaScript expression. Waits for promises."""
        answer = self.call("Runtime.evaluate", limit=limit, expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            thrown = answer["exceptionDetails"]
            raise RuntimeError(thrown.get("exception", {}).get("description") or thrown["text"])
        return answer["result"].get("value")

    def wait_for(self, condition, limit=LIMIT_S):
        """Waits until `condition(self)` is true."""
        deadline = time.monotonic() + limit
        while True:
            try:
                if condition(self):
                    return
            except Replaced:
                pass
            if time.monotonic() > deadline:
                raise TimeoutError(f"never came; errors: {self.errors}")
            time.sleep(0.2)
