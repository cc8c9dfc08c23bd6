// SPDX-License-Identifier: BSD-2-Clause
// Labels of pictures.
#pragma once

#include <string>
#include <string_view>

namespace analyze {

// The greatest width of a text in units of its font size, in the widest of the usual fonts (DejaVu
// Sans). The font of the viewer is not known.
double LabelWidth(std::string_view text);

// The start of `text` that fits into `room` pixels at a font size of `size` pixels, with "…" for
// the rest. Empty if fewer than three letters fit.
std::string FittedLabel(std::string_view text, double room, double size);

// Escapes text for XML. Characters that XML does not allow become "?".
std::string XmlText(std::string_view text);

}  // namespace analyze
