# SPDX-License-Identifier: BSD-2-Clause
"""Trace points for Python programs: records of libfxt-provider, on the same time line as the kernel's.

    import fxt_provider as trace

    with trace.duration("server", "request", path="/index"):
        trace.counter("server", "queue", length=3)

    @trace.traced("server")
    def parse(text): ...

One file over the C library (libfxt-provider.so.0, or the path in FXT_PROVIDER_LIBRARY). Without the library,
a recorder or permission to connect, all functions do nothing. Arguments are keywords; their values are bool,
int, float, str, bytes or None; other values become str().
"""

import ctypes
import functools
import os
import sys

__all__ = ["alert", "async_begin", "async_end", "async_instant", "blob", "counter", "duration", "duration_begin",
           "duration_end", "enabled", "flow_begin", "flow_end", "flow_step", "instant", "nonce", "traced", "wait"]

MAX_ARGUMENTS = 15
MAX_SITES = 4096

_INSTANT, _COUNTER, _BEGIN, _END = 0, 1, 2, 3
_ASYNC_BEGIN, _ASYNC_INSTANT, _ASYNC_END = 5, 6, 7
_FLOW_BEGIN, _FLOW_STEP, _FLOW_END = 8, 9, 10
_BLOB, _ALERT = 14, 15


class _Of(ctypes.Union):
    _fields_ = [("i", ctypes.c_int64), ("u", ctypes.c_uint64), ("d", ctypes.c_double), ("p", ctypes.c_char_p)]


class _Value(ctypes.Structure):
    _fields_ = [("type", ctypes.c_uint32), ("size", ctypes.c_uint32), ("of", _Of)]


def _load():
    # The library registers under this name as soon as it is loaded.
    if not os.environ.get("FXT_PROVIDER_NAME"):
        name = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else ""
        os.environ["FXT_PROVIDER_NAME"] = name if name not in ("", "-c", "-m") else "python"
        added = True
    else:
        added = False
    library = None
    for path in (os.environ.get("FXT_PROVIDER_LIBRARY"), "libfxt-provider.so.0", "libfxt-provider.so"):
        if not path:
            continue
        try:
            library = ctypes.CDLL(path)
            break
        except OSError:
            continue
    if added:
        # Child processes must not inherit the name.
        del os.environ["FXT_PROVIDER_NAME"]
    if library is None:
        # Only where a recorder asks for it: programs run without one, too.
        if os.environ.get("FXT_RECORD_SOCKET") or os.path.exists("/run/fxt-record/control"):
            sys.stderr.write("fxt_provider: libfxt-provider.so.0 was not found, so this program writes no records; install it "
                             "or set FXT_PROVIDER_LIBRARY to its path\n")
        return None
    library.fxt_site_make.restype = ctypes.c_void_p
    library.fxt_site_make.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p),
                                      ctypes.c_uint32]
    library.fxt_site_write.restype = None
    library.fxt_site_write.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.POINTER(_Value)]
    library.fxt_site_is_enabled.argtypes = [ctypes.c_void_p]
    library.fxt_provider_nonce.restype = ctypes.c_uint64
    library.fxt_provider_wait.argtypes = [ctypes.c_uint32]
    return library


_library = _load()
_sites = {}


def _bytes(text):
    return text.encode("utf-8", "replace").replace(b"\0", b" ")


def _site(category, name, keys):
    site = _sites.get((category, name, keys))
    if site is None:
        # Limits memory if a program generates names.
        if len(_sites) >= MAX_SITES:
            return None
        array = (ctypes.c_char_p * max(len(keys), 1))(*map(_bytes, keys))
        site = _library.fxt_site_make(_bytes(category), _bytes(name), array, len(keys))
        _sites[category, name, keys] = site
    return site


def _fill(value, given):
    """Sets `value`. Returns the bytes that it points to, or None."""
    if given is None:
        value.type = 0
    elif isinstance(given, bool):
        value.type, value.of.u = 9, given
    elif isinstance(given, int) and -2**63 <= given < 2**64:
        if given < 2**63:
            value.type, value.of.i = 3, given
        else:
            value.type, value.of.u = 4, given
    elif isinstance(given, float):
        value.type, value.of.d = 5, given
    else:
        data = given if isinstance(given, bytes) else _bytes(str(given))
        value.type, value.size, value.of.p = (10 if isinstance(given, bytes) else 6), len(data), data
        return data
    return None


def _write(kind, category, name, payload, arguments):
    if _library is None:
        return
    keys = tuple(arguments)[:MAX_ARGUMENTS]
    site = _site(category, name, keys)
    if not site or not _library.fxt_site_is_enabled(site):
        return
    if not keys:
        _library.fxt_site_write(site, kind, payload, None)
        return
    values = (_Value * len(keys))()
    # Keeps the bytes that the values point to alive during the call.
    held = [_fill(value, arguments[key]) for value, key in zip(values, keys)]
    _library.fxt_site_write(site, kind, payload, values)
    del held


def enabled(category):
    """Returns True while this category is recorded."""
    if _library is None:
        return False
    site = _site(category, "", ())
    return bool(site) and bool(_library.fxt_site_is_enabled(site))


def wait(milliseconds=1000):
    """Waits for the recorder's answer. Returns True if this program is registered."""
    return _library is not None and bool(_library.fxt_provider_wait(milliseconds))


def nonce():
    """A number unique in this process, for ids."""
    return 0 if _library is None else _library.fxt_provider_nonce()


def instant(category, name, /, **arguments):
    """Writes an instant event."""
    _write(_INSTANT, category, name, 0, arguments)


def counter(category, name, /, counter_id=0, **values):
    """Writes a sample of a counter."""
    _write(_COUNTER, category, name, counter_id, values)


def duration_begin(category, name, /, **arguments):
    """Begins a span of this thread; spans of a thread nest."""
    _write(_BEGIN, category, name, 0, arguments)


def duration_end(category, name, /, **arguments):
    """Ends the innermost span of this thread."""
    _write(_END, category, name, 0, arguments)


class duration:  # pylint: disable=invalid-name
    """A span of this thread: `with duration("category", "name", key=value): ...`"""

    def __init__(self, category, name, /, **arguments):
        self._names = category, name
        self._arguments = arguments
        self._begun = False

    def __enter__(self):
        self._begun = enabled(self._names[0])
        if self._begun:
            _write(_BEGIN, *self._names, 0, self._arguments)
        return self

    def __exit__(self, *_):
        if self._begun:
            _write(_END, *self._names, 0, {})


def traced(category, name=None):
    """Makes each call of a function a span."""
    def decorate(function):
        called = name or function.__qualname__

        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            with duration(category, called):
                return function(*args, **kwargs)
        return wrapper
    return decorate


def async_begin(category, name, async_id, /, **arguments):
    """Begins an async span, which may end on another thread."""
    _write(_ASYNC_BEGIN, category, name, async_id, arguments)


def async_instant(category, name, async_id, /, **arguments):
    """Writes an instant of an async span."""
    _write(_ASYNC_INSTANT, category, name, async_id, arguments)


def async_end(category, name, async_id, /, **arguments):
    """Ends an async span."""
    _write(_ASYNC_END, category, name, async_id, arguments)


def flow_begin(category, name, flow_id, /, **arguments):
    """Begins a flow, which may cross threads and processes."""
    _write(_FLOW_BEGIN, category, name, flow_id, arguments)


def flow_step(category, name, flow_id, /, **arguments):
    """Writes a step of a flow: the enclosing span is part of it."""
    _write(_FLOW_STEP, category, name, flow_id, arguments)


def flow_end(category, name, flow_id, /, **arguments):
    """Ends a flow in the enclosing span."""
    _write(_FLOW_END, category, name, flow_id, arguments)


def alert(category, name):
    """Writes an instant that is also an alert of the session; the name has at most 14 bytes."""
    _write(_ALERT, category, name, 0, {})


def blob(name, data):
    """Writes bytes as blob records."""
    _write(_BLOB, "", name, 1, {"": bytes(data)})
