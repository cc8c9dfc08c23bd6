// SPDX-License-Identifier: BSD-2-Clause
// SQLite can load extensions and libtraceevent plugins, which nothing may ask for. A static program
// has no shared libraries to load: the linker puts this in the place of dlopen (--wrap).

extern "C" void* __wrap_dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
