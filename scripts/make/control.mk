# SPDX-License-Identifier: BSD-2-Clause
# The interface descriptions of the controller, as C++ string literals, and the service.

VARLINK_FOLDER := userspace/control/protocol
VARLINK_FILES := $(wildcard $(VARLINK_FOLDER)/*.varlink)
VARLINK_LITERALS := $(patsubst $(VARLINK_FOLDER)/%,$(BUILD)/control/protocol/%.inc,$(VARLINK_FILES))

$(BUILD)/control/protocol/%.inc: $(VARLINK_FOLDER)/%
	@mkdir -p $(@D)
	$(call brief,LITERAL)(printf 'R"varlink(' && cat $< && printf ')varlink"\n') >$@

$(BUILD)/userspace/control/protocol/interface_text.o $(call together,$(BUILD)/userspace/control/protocol/interface_text.o): $(VARLINK_LITERALS)

## session-test  sessions, their controller and its clients (root)
.PHONY: session-test
session-test: $(BINARIES) $(BUILD)/tests/probed
	@scripts/setup --try varlink
	tests/session/session_test.py --build $(BUILD)

# The service, with the places that this installation has.
SYSCONFDIR  ?= /etc
UNIT_DIR    := $(DESTDIR)$(PREFIX)/lib/systemd/system
CONF_FILE   := $(DESTDIR)$(SYSCONFDIR)/fxt-record.conf
UNITS       := fxt-record.service fxt-record.socket

.PHONY: install-service uninstall-service
install-service:
	install -d $(UNIT_DIR) $(dir $(CONF_FILE))
	for unit in $(UNITS); do \
	  sed -e 's|@PREFIX@|$(PREFIX)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' service/$$unit >$(UNIT_DIR)/$$unit && \
	  chmod 644 $(UNIT_DIR)/$$unit || exit 1; \
	done
	test -e $(CONF_FILE) || install -m 644 service/fxt-record.conf $(CONF_FILE)

# A configuration that somebody has changed stays.
uninstall-service:
	rm -f $(UNITS:%=$(UNIT_DIR)/%)
	! cmp -s service/fxt-record.conf $(CONF_FILE) || rm -f $(CONF_FILE)
