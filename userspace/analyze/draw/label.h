// SPDX-License-Identifier: BSD-2-Clause
// Room that names take in a picture.
#pragma once

#include <string>
#include <string_view>

namespace analyze {

// How wide a text is at most, in units of the size of its letters. Of the widest of the usual
// fonts (DejaVu Sans): which one there will be, nobody knows before it is shown.
double LabelWidth(std::string_view text);

// As much of `text` as fits into `room` pixels at a size of `size` pixels, with "…" for what does
// not; empty where not even three letters do.
std::string FittedLabel(std::string_view text, double room, double size);

// Text within XML; what XML cannot have is "?".
std::string XmlText(std::string_view text);

}  // namespace analyze
