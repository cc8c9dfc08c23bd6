# SPDX-License-Identifier: BSD-2-Clause
"""What is tried in guests. Each mode is a function mode_NAME of tests/vm/guest/modes.sh."""

from .guest import Boot

# In the order of the table.
MODES = {
    "probe": "what bpf(2) itself allows",
}
SHORT_MODES = ("probe",)

# Modes that want a machine of their own; all others share one boot.
SPECIAL = {}

# Seconds that a mode may take in a guest on a busy host, for the watchdogs.
BASE_LIMIT_S = 60
MODE_LIMIT_S = 60


def boots(wanted):
    shared = [mode for mode in wanted if mode not in SPECIAL]
    result = []
    if shared:
        result.append(Boot(shared, limit_s=BASE_LIMIT_S + MODE_LIMIT_S * len(shared)))
    for mode in wanted:
        if mode in SPECIAL:
            result.append(Boot([mode], limit_s=BASE_LIMIT_S + MODE_LIMIT_S, **SPECIAL[mode]))
    return result
