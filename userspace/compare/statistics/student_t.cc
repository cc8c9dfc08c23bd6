// SPDX-License-Identifier: BSD-2-Clause
#include "compare/statistics/student_t.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace comparison {

double StudentTail(double t, double degrees) {
  if (std::isinf(t)) return t > 0 ? 0.0 : 1.0;
  return boost::math::cdf(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), t));
}

double StudentQuantile(double tail, double degrees) {
  return boost::math::quantile(
      boost::math::complement(boost::math::students_t_distribution<double>(degrees), tail));
}

}  // namespace comparison
