# SPDX-License-Identifier: BSD-2-Clause
# The interface descriptions of the controller, as C++ string literals, and varlink clients that are
# not ours.

VARLINK_FOLDER := userspace/control/protocol
VARLINK_FILES := $(wildcard $(VARLINK_FOLDER)/*.varlink)
VARLINK_LITERALS := $(patsubst $(VARLINK_FOLDER)/%,$(BUILD)/control/protocol/%.inc,$(VARLINK_FILES))

$(BUILD)/control/protocol/%.inc: $(VARLINK_FOLDER)/%
	@mkdir -p $(@D)
	$(call brief,LITERAL)(printf 'R"varlink(' && cat $< && printf ')varlink"\n') >$@

$(BUILD)/userspace/control/protocol/interface_text.o: $(VARLINK_LITERALS)
