# SPDX-License-Identifier: BSD-2-Clause
"""Counts the samples and the losses of a perf.data file (perf.data-file-format.txt of the kernel)."""

import mmap
import os
import struct

PERF_RECORD_LOST = 2
PERF_RECORD_SAMPLE = 9
PERF_RECORD_LOST_SAMPLES = 13
HEADER = struct.Struct("<IHH")
MAGIC = b"PERFILE2"


def count(path):
    """(samples, lost, bytes of the records). Records in the stream count losses and, since perf 6.1, records at the end count them per event;
    the larger of the two sums counts, since the second holds the first."""
    samples = lost = lost_by_event = 0
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data[:8] != MAGIC:
            raise ValueError(f"{path} is not a perf.data file of this machine's byte order")
        # magic, size, attr_size, attrs {offset, size}, data {offset, size}
        offset, size = struct.unpack_from("<QQ", data, 40)
        if size == 0:
            size = os.path.getsize(path) - offset
        end = min(offset + size, len(data))
        unpack = HEADER.unpack_from
        while offset + HEADER.size <= end:
            kind, _, length = unpack(data, offset)
            if length < HEADER.size:
                raise ValueError(f"{path}: a record of {length} bytes at {offset}")
            if kind == PERF_RECORD_SAMPLE:
                samples += 1
            elif kind == PERF_RECORD_LOST:
                lost += struct.unpack_from("<Q", data, offset + 16)[0]
            elif kind == PERF_RECORD_LOST_SAMPLES:
                lost_by_event += struct.unpack_from("<Q", data, offset + 8)[0]
            offset += length
    return samples, max(lost, lost_by_event), size
