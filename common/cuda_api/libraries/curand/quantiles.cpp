#include "common/cuda_api/libraries/curand/quantiles.h"

#include <cmath>
#include <span>

namespace gpulab::curand {
namespace {

// J. M. Blair, C. A. Edwards, J. H. Johnson: Rational Chebyshev approximations for the inverse of the error function,
// Mathematics of Computation 30 (1976), 827-830. Highest powers first; a denominator's highest is 1.
struct Rational {
  std::span<const double> above, below;
  [[nodiscard]] double numerator(double t) const {
    double sum = above[0];
    for (const double one : above.subspan(1)) sum = sum * t + one;
    return sum;
  }
  [[nodiscard]] double denominator(double t) const {
    double sum = t + below[0];
    for (const double one : below.subspan(1)) sum = sum * t + one;
    return sum;
  }
};

constexpr double above_18[] = {-23.886240104308755900, 455.60204272689128170,  -2297.7467176607144887,
                               4663.1433533434331287,  -4379.9652308386926161, 1900.7153590528134753,
                               -307.86872642313695280},
                 below_18[] = {-83.288327901936570000, 927.41319160935318800,  -3508.8976383877264098,
                               5903.9348134843665626,  -4848.1635430048872102, 1899.7769186453057810,
                               -283.86514725366621129};
constexpr double above_39[] = {.21489185007307062000,  -6.4200071507209448655, 29.631331505876308123,
                               -47.644367129787181803, 34.810057749357500873,  -12.954198980646771502,
                               2.5349389220714893917,  -.24758242362823355486, .0094897362808681080020},
                 below_39[] = {-12.831383833953226499, 41.409991778428888716,  -53.715373448862143349,
                               33.880176779595142685,  -11.315360624238054876, 2.0369295047216351160,
                               -.18611650627372178511, .0067544512778850945940};
constexpr double above_59[] = {2.7834010353747001060e-3, 8.6030097526280260580e-1, 2.1371214997265515515,
                               3.1598519601132090206,    3.5780402569085996758,    1.5335297523989890804,
                               3.4839207139657522572e-1, 5.3644861147153648366e-2, 4.3836709877126095665e-3,
                               1.3858518113496718808e-4, 1.1738352509991666680e-6},
                 below_59[] = {2.2859981272422905412,    4.3859045256449554654,    4.6632960348736635331,
                               3.9846608184671757296,    1.6068377709719017609,    3.5609087305900265560e-1,
                               5.3963550303200816744e-2, 4.3873424022706935023e-3, 1.3858762165532246059e-4,
                               1.1738313872397777529e-6};
constexpr Rational table_18{above_18, below_18}, table_39{above_39, below_39}, table_59{above_59, below_59};

/// Of the error function, below 15/16.
double inverse_erf(double x) {
  const double low = .5625, high = .87890625;  // (3/4)^2 and (15/16)^2, where the intervals end
  const bool far = std::fabs(x) >= 0.75;
  const double t = x * x - (far ? high : low);
  const Rational& table = far ? table_39 : table_18;
  return x * (table.numerator(t) / table.denominator(t));
}

}  // namespace

double inverse_erfc(double x) {
  constexpr double tail = 0.0625;
  if (x >= tail) return inverse_erf(1 - x);
  const double t = 1 / std::sqrt(-std::log(x));
  return table_59.numerator(t) / (table_59.denominator(t) * t);
}

}  // namespace gpulab::curand
