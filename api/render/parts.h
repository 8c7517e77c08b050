// Parts of outcomes, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "api/reckon/render.h"

namespace reckon::render {

/// A fact that a verdict rests on, as its type in JSON.
nlohmann::ordered_json fact_json(const Checked::Fact& fact);

// Results that were held against an accuracy profile, counted.

/// `3 results: 1 inside, 2 outside`.
std::string judged_text(const Checked::Judged& judged);
nlohmann::ordered_json judged_json(const Checked::Judged& judged);
nlohmann::ordered_json accepted_json(const Accepted::Row& row);

// `check attains(f, x, runs)`: which results of several runs some order gives, as a table.

/// `3 of 5 runs attained by some order of 4 leaves`.
std::string runs_evidence(const Checked& check);
/// A row for each value of an element, with the runs that gave it; those that no order gives first. Long tables are
/// cut.
std::string runs_text(const Checked& check);
/// One object for each run and element, all of them.
nlohmann::ordered_json runs_json(const Checked& check);

}  // namespace reckon::render
