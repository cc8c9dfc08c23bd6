// SPDX-License-Identifier: BSD-2-Clause
#pragma once

#include "facts/task_names.h"
#include "tables/rows/text_pool.h"

namespace tables {

using facts::TaskNames;

}  // namespace tables
