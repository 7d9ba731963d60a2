// SARIF 2.1.0: alerts that code scanning shows at their lines in a pull request.

#include "runner/report/sarif/sarif_report.h"

namespace gpulab::report {

extern const Format sarif{
    .name = "sarif",
    .summary = "alerts at their lines, for code scanning and pull requests (SARIF 2.1.0)",
    .run = run_sarif,
    .check = check_sarif,
    .program = program_sarif,
    .error = error_sarif,
};

}  // namespace gpulab::report
