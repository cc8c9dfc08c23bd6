# SPDX-License-Identifier: BSD-2-Clause
# libfxt-provider: what other programs link to take part in a session. C, and nothing but the C library.

PROVIDER_C_OBJECTS := $(patsubst %.c,$(BUILD)/%.o,$(sort $(wildcard userspace/fxt_provider/*.c)))
# Position-independent, also in the archive: it goes into shared libraries as well.
PROVIDER_CFLAGS := -std=c11 -O2 -g1 -fPIC -fvisibility=hidden -Wall -Wextra -Werror -Wshadow -Wpointer-arith -MMD -MP \
                   $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all)
PROVIDER_SONAME := libfxt-provider.so.0

$(PROVIDER_C_OBJECTS): $(BUILD)/%.o: %.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call brief,CC)$(CC) -Iinclude -Iuserspace -D_GNU_SOURCE $(PROVIDER_CFLAGS) -c $< -o $@

$(BUILD)/libfxt-provider.a: $(PROVIDER_C_OBJECTS)
	@rm -f $@
	$(call brief,AR)$(AR) rcs $@ $^

$(BUILD)/libfxt-provider.so: $(PROVIDER_C_OBJECTS)
	$(call brief,LINK)$(CC) -shared $(if $(SAN),-fsanitize=$(SAN)) -Wl,-soname,$(PROVIDER_SONAME) -Wl,-z,defs -o $@ $^ -pthread

## libfxt-provider  build/libfxt-provider.a and .so alone: what programs link that add their own records
.PHONY: libfxt-provider
libfxt-provider: $(BUILD)/libfxt-provider.a $(BUILD)/libfxt-provider.so
all: libfxt-provider
