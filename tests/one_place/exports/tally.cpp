// An export that one_place_test.py adds: nothing but this file knows of it.

#include "runner/export/export.h"

namespace gpulab::exports {
namespace {

std::string write(const GradedClass& graded, ExportContext&) {
  return std::to_string(graded.grades.size()) + " submissions\n";
}

}  // namespace

extern const ExportFormat tally{
    .name = "tally", .summary = "how many submissions there are", .follows = "nobody's format", .whole = write};

}  // namespace gpulab::exports
