# SPDX-License-Identifier: BSD-2-Clause
# Packages for Debian, of the files that git knows; scripts/debian/ says what is in which.

DEB_FOLDER := $(BUILD)/deb

## deb           Debian packages in build/deb: fxt-record, libfxt-dev, fxt-sqlite (make deps DEPS=package)
## deb-test      install, use and remove them in a fresh Debian; lintian (root, needs a mirror)
## deb-reproducible  build them again elsewhere: the bytes are the same (compiles everything twice)
.PHONY: deb deb-test deb-reproducible
deb:
	@scripts/build_deb $(DEB_FOLDER) $(BUILD)

deb-test: deb
	tests/package/deb_test.py --packages $(DEB_FOLDER)

deb-reproducible: deb
	tests/package/reproducible_test.py --packages $(DEB_FOLDER)
