# SPDX-License-Identifier: BSD-2-Clause
# What half an hour of recording does to the recorder.

## soak          record for 30 minutes under load and at rest, with figures over time (root;
##               SOAK="--duration 10m --rate 100000")
.PHONY: soak
SOAK ?=
soak: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/soak --build $(BUILD) $(SOAK)

## session-soak  a circular session for 30 minutes with a snapshot a minute, and what it grows by (root;
##               SOAK_SECONDS=600 is shorter)
.PHONY: session-soak
SOAK_SECONDS ?= 1800
session-soak: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/session_soak --build $(BUILD) --duration $(SOAK_SECONDS)
