// SPDX-License-Identifier: BSD-2-Clause
// SQLite can load extensions and libtraceevent plugins, which the programs never do. A static
// program has no shared libraries; the linker replaces dlopen by this (--wrap).

extern "C" void* __wrap_dlopen(const char* /*file*/, int /*mode*/) { return nullptr; }
