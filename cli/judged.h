// Results that were held against an accuracy profile, counted for people and programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/reckon/reckon.h"

namespace reckon::cli {

/// The checks of a program in `accept(P)`, by what they are about.
class Accepted {
 public:
  /// The checks of one operation (their left side) against one profile.
  struct Row {
    std::string semantics;
    std::int64_t checks = 0;
    Checked::Judged counts;
  };

  /// Of a check that has counts.
  void add(const Checked& check);
  const std::vector<Row>& rows() const { return rows_; }
  std::int64_t checks() const;

 private:
  std::vector<Row> rows_;
};

/// `3 results: 1 inside, 2 outside`.
std::string judged_text(const Checked::Judged& judged);
nlohmann::ordered_json judged_json(const Checked::Judged& judged);
/// A row for each operation.
std::string accepted_text(const Accepted& accepted);
nlohmann::ordered_json accepted_json(const Accepted::Row& row);

}  // namespace reckon::cli
