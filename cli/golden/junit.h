// The report of tests that CI servers read: JUnit's XML.
#pragma once

#include <string>
#include <vector>

#include "cli/golden/outcome.h"

namespace reckon::golden {

/// A document with one suite and a case for each outcome, whose class name is the folder of the program. There is no
/// schema that all servers share; the elements and attributes are those that all of them know.
std::string junit_report(const std::vector<Outcome>& outcomes, double seconds);

}  // namespace reckon::golden
