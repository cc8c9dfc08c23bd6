// SPDX-License-Identifier: BSD-2-Clause
// SQLite's functions: those that a program is linked with or, in the extension, those of the
// program that has loaded it.
#pragma once

#ifndef FXT_SQLITE_EXTENSION
#define SQLITE_CORE
#endif
#include <sqlite3ext.h>

#ifdef FXT_SQLITE_EXTENSION
extern "C" {
SQLITE_EXTENSION_INIT3
}
#endif
