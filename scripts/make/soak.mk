# SPDX-License-Identifier: BSD-2-Clause
# What half an hour of recording does to the recorder.

## soak          record for 30 minutes under load and at rest, with figures over time (root;
##               SOAK="--duration 10m --rate 100000")
.PHONY: soak
SOAK ?=
soak: $(BUILD)/fxt-record $(BUILD)/fxt $(BUILD)/tests/workload
	scripts/soak --build $(BUILD) $(SOAK)
