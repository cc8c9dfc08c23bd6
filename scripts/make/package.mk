# SPDX-License-Identifier: BSD-2-Clause
# Packages for Debian, of the files that git knows; scripts/debian/ says what is in which.

DEB_FOLDER := $(BUILD)/deb

## deb           Debian packages in build/deb: fxt-record, libfxt-dev, libfxt-provider, fxt-sqlite (make deps DEPS=package)
## deb-test      install, use and remove them in a fresh Debian; lintian (root, needs a mirror)
## deb-reproducible  build them again elsewhere: the bytes are the same (compiles everything twice)
.PHONY: deb deb-test deb-reproducible
deb:
	@scripts/build_deb $(DEB_FOLDER)

deb-test: deb
	tests/package/deb_test.py --packages $(DEB_FOLDER)

deb-reproducible: deb
	tests/package/reproducible_test.py --packages $(DEB_FOLDER)

TARBALL_FOLDER := $(BUILD)/tarball
CROSS_LIBRARIES := $(BUILD)/aarch64-libraries
CROSS_TRIPLET   := aarch64-linux-gnu-

## tarball       static programs for machines of any distribution, in build/tarball: TARBALLS="amd64 arm64"
##               (arm64 by the cross compiler and libraries that it fetches, make deps DEPS=cross)
TARBALLS ?= amd64 arm64
.PHONY: tarball tarball-amd64 tarball-arm64
tarball: $(TARBALLS:%=tarball-%)

tarball-amd64:
	@$(SUBMAKE) all
	@scripts/build_tarball $(BUILD) amd64 $(TARBALL_FOLDER)

tarball-arm64:
	@scripts/cross_libraries $(CROSS_LIBRARIES)
	@$(MAKE) --no-print-directory aarch64 CROSS=$(abspath $(CROSS_LIBRARIES))/bin/$(CROSS_TRIPLET)
	@STRIP=$(CROSS_TRIPLET)strip scripts/build_tarball $(CROSS_BUILD) arm64 $(TARBALL_FOLDER)
	@if [ -z "$(CROSS_EMULATOR)" ]; then echo "SKIPPED: no qemu-aarch64 to run $(CROSS_BUILD)/fxt"; \
	  else tests/package/arm64_test.py --emulator "$(CROSS_EMULATOR)" --build $(BUILD) --cross-build $(CROSS_BUILD); fi
