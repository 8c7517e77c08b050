// The rows of tests/data/layout_cases.json, and what we answer to them. One file for each family of operations.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "layout/composed.h"
#include "layout/problem.h"

namespace reckon::layout_tests {

struct Row {
  std::string op, expected;
  std::vector<std::string> args;
  std::optional<std::vector<std::int64_t>> values;
  std::optional<std::string> exact;
  std::optional<std::int64_t> offset;
};

/// A layout (perhaps composed), any other value as text, or a refusal. With an offset where the row has one.
struct Answer {
  std::variant<layout::AnyLayout, std::string, layout::Problem> value;
  std::optional<std::int64_t> offset{};

  Answer(layout::Layout layout, std::optional<std::int64_t> at = {})
      : value(layout::AnyLayout(std::move(layout))), offset(at) {}
  Answer(layout::AnyLayout layout, std::optional<std::int64_t> at = {}) : value(std::move(layout)), offset(at) {}
  Answer(std::string text) : value(std::move(text)) {}
  Answer(layout::Problem problem) : value(std::move(problem)) {}
  template <class T>
  Answer(const layout::Result<T>& result) : Answer(result ? Answer(*result) : Answer(result.problem())) {}
};

/// Nothing if the operation is not of the family.
std::optional<Answer> algebra_answer(const Row& row);
std::optional<Answer> structure_answer(const Row& row);
std::optional<Answer> hardware_answer(const Row& row);

}  // namespace reckon::layout_tests
