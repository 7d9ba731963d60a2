#pragma once
// Curves and points over two axes, as SVG whose colours are classes of page.css.

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace gpulab::html {

/// An axis: what it shows, with its unit in the name.
struct Axis {
  std::string name;
  double low = 0, high = 1;
  bool logarithmic = false;
  std::vector<double> ticks{};
  std::function<std::string(double)> text{};  ///< of a tick; plain numbers where empty

  /// Holds all `values`: linear from 0; or logarithmic, by decades, where `spread` or more lies between them.
  [[nodiscard]] static Axis over(std::string name, const std::vector<double>& values,
                                 std::function<std::string(double)> text, double spread = 50);
  /// Ends at the smallest and the largest of `values`, which are its ticks.
  [[nodiscard]] static Axis of_values(std::string name, const std::vector<double>& values,
                                      std::function<std::string(double)> text);
};

using Points = std::vector<std::pair<double, double>>;

class Chart {
 public:
  /// `description`: what a reader who cannot see it should know. Both are text.
  Chart(Axis x, Axis y, std::string title, std::string description);
  /// Through all points, each with the series' own mark: 0 to 6 differ in colour and mark, beyond in dashes, too.
  void curve(const Points& points, std::size_t series);
  /// A mark alone, with words beside it.
  void point(double x, double y, std::size_t series, const std::string& label);
  /// A plain line, with words above its end: a limit.
  void ceiling(const Points& points, const std::string& label);
  [[nodiscard]] std::string svg() const;

  /// A list of names, each with its series' mark.
  [[nodiscard]] static std::string legend(const std::vector<std::string>& names);

 private:
  [[nodiscard]] double across(double value) const;
  [[nodiscard]] double down(double value) const;
  void draw_axes();
  Axis x_, y_;
  std::string title_, description_, grid_, body_;
  std::vector<std::pair<double, double>> labelled_{};  ///< where words stand already, px
};

}  // namespace gpulab::html
