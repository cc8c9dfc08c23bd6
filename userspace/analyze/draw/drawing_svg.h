// SPDX-License-Identifier: BSD-2-Clause
// Draws a Drawing: as shapes, which pages show, and as an SVG file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/draw/drawing.h"

namespace analyze {

// A shape in pixels. Colours are names of the style sheet of the pages, such as "running".
struct Shape {
  enum class Kind : uint8_t { kRect, kLine, kText, kArrowHead };
  enum class Style : uint8_t { kPlain, kStrong, kCentred, kThin, kDashed };

  Kind kind = Kind::kRect;
  double x = 0;
  double y = 0;
  double width = 0;   // of a line: to its other end
  double height = 0;  // of an arrow head: from its tip, negative is up
  double size = 0;    // of text
  const char* colour = "";
  Style style = Style::kPlain;
  std::string text = {};
  std::string tip = {};  // shown beside the pointer
};

// Width of a picture without its slots.
inline constexpr size_t kDrawingMargins = 200;

struct Picture {
  double width = 0;
  double height = 0;
  std::vector<Shape> shapes = {};
};

// The value of a colour: "#2f8f83" for "running".
using Palette = std::function<std::string(std::string_view name)>;

// `title` stands above the picture, with the interval that it shows.
Picture PictureOf(const Drawing& drawing, std::string_view title);

std::string DrawingSvg(const Drawing& drawing, std::string_view title, const Palette& palette);

}  // namespace analyze
