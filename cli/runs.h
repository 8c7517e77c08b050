// `check attains(f, x, runs)`: which results of several runs some order gives, as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "api/reckon/reckon.h"

namespace reckon::cli {

/// `3 of 5 runs attained by some order of 4 leaves`.
std::string runs_evidence(const Checked& check);
/// A row for each value of an element, with the runs that gave it; those that no order gives first. Long tables are
/// cut.
std::string runs_text(const Checked& check);
/// One object for each run and element, all of them.
nlohmann::ordered_json runs_json(const Checked& check);

}  // namespace reckon::cli
