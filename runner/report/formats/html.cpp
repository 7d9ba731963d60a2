// One page that holds all that it shows: for reading, for handing on, for print.

#include "runner/report/pages/check_page.h"
#include "runner/report/pages/explain_page.h"
#include "runner/report/pages/program_page.h"
#include "runner/report/pages/run_page.h"
#include "runner/report/report.h"

namespace gpulab::report {

extern const Format html{
    .name = "html",
    .summary = "one page for a browser, with drawings; loads nothing",
    .run = run_page,
    .explanation = explain_page,
    .check = check_page,
    .program = program_page,
};

}  // namespace gpulab::report
