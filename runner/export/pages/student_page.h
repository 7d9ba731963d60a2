#pragma once
// One submission's grade as a page for the student.

#include <string>

#include "runner/export/export.h"

namespace gpulab {

/// `person`: of the roster; null: nobody knows.
[[nodiscard]] std::string student_page(const Grade& grade, const RosterRow* person = nullptr);

/// The same without the document around it and without its heading, as a part of another page.
[[nodiscard]] std::string student_section(const Grade& grade);

/// "70 of 100 points", or why there are none.
[[nodiscard]] std::string outcome_text(const Grade& grade);

}  // namespace gpulab
