// Shapes and strides taken apart and put together: the second half of tuples.h.
#include <algorithm>

#include "layout/tuples.h"

namespace reckon::layout {
namespace {

using Kind = Problem::Kind;

std::vector<IntTuple> modes(const IntTuple& tuple) {
  return tuple.is_int() ? std::vector<IntTuple>{tuple} : tuple.elements();
}

/// "there is no mode `5` in `(2,3)`, only `0` to `1`".
Problem no_mode(const char* operation, const IntTuple& tuple, std::int64_t mode) {
  return {Kind::rank, std::string(operation) + ": there is no mode `" + std::to_string(mode) + "` in `" + tuple.text() +
                          "`, only `0` to `" + std::to_string(tuple.rank() - 1) + "`"};
}

std::optional<Problem> bad_range(const char* operation, const IntTuple& tuple, std::int64_t first, std::int64_t last) {
  if (first >= 0 && first < last && last <= static_cast<std::int64_t>(tuple.rank())) return std::nullopt;
  return Problem{Kind::rank, std::string(operation) + ": from mode `" + std::to_string(first) + "` to before mode `" +
                                 std::to_string(last) + "` are no modes of `" + tuple.text() + "`, which has `0` to `" +
                                 std::to_string(tuple.rank() - 1) + "`"};
}

std::optional<IntTuple> refill(const IntTuple& profile, const std::vector<std::int64_t>& leaves) {
  if (profile.leaves().size() != leaves.size()) return std::nullopt;
  return with_leaves(profile, leaves);
}

Result<IntTuple> padded(const char* operation, const IntTuple& tuple, std::int64_t rank, const IntTuple& element,
                        bool in_front) {
  const auto before = static_cast<std::int64_t>(tuple.rank());
  if (rank < before) {
    return Problem{Kind::rank, std::string(operation) + ": `" + tuple.text() + "` has `" + std::to_string(before) +
                                   "` modes already, more than `" + std::to_string(rank) + "`"};
  }
  if (rank == before) return tuple;
  std::vector<IntTuple> out = modes(tuple);
  out.insert(in_front ? out.begin() : out.end(), static_cast<std::size_t>(rank - before), element);
  return IntTuple(std::move(out));
}

}  // namespace

Result<IntTuple> get(const IntTuple& tuple, std::span<const std::int64_t> path) {
  IntTuple at = tuple;
  for (const std::int64_t mode : path) {
    if (mode < 0 || mode >= static_cast<std::int64_t>(at.rank())) return no_mode("get", at, mode);
    if (!at.is_int()) at = IntTuple(at.elements()[static_cast<std::size_t>(mode)]);
  }
  return at;
}

Result<IntTuple> select(const IntTuple& tuple, std::span<const std::int64_t> chosen) {
  const auto all = modes(tuple);
  if (chosen.empty()) return Problem{Kind::empty, "select: at least one mode of `" + tuple.text() + "` is needed"};
  std::vector<IntTuple> out;
  for (const std::int64_t mode : chosen) {
    if (mode < 0 || mode >= static_cast<std::int64_t>(all.size())) return no_mode("select", tuple, mode);
    out.push_back(all[static_cast<std::size_t>(mode)]);
  }
  return IntTuple(std::move(out));
}

Result<IntTuple> take(const IntTuple& tuple, std::int64_t first, std::int64_t last) {
  if (auto problem = bad_range("take", tuple, first, last)) return *problem;
  const auto all = modes(tuple);
  return IntTuple(std::vector<IntTuple>(all.begin() + first, all.begin() + last));
}

Result<IntTuple> group(const IntTuple& tuple, std::int64_t first, std::int64_t last) {
  if (auto problem = bad_range("group", tuple, first, last)) return *problem;
  const auto all = modes(tuple);
  std::vector<IntTuple> out(all.begin(), all.begin() + first);
  out.emplace_back(std::vector<IntTuple>(all.begin() + first, all.begin() + last));
  out.insert(out.end(), all.begin() + last, all.end());
  return IntTuple(std::move(out));
}

IntTuple flatten(const IntTuple& tuple) {
  if (tuple.is_int()) return tuple;
  std::vector<IntTuple> out;
  for (const std::int64_t leaf : tuple.leaves()) out.emplace_back(leaf);
  return out;
}

Result<IntTuple> unflatten(const IntTuple& tuple, const IntTuple& profile) {
  const auto out = refill(profile, tuple.leaves());
  if (out) return *out;
  return Problem{Kind::not_congruent, "unflatten: `" + tuple.text() + "` has `" +
                                          std::to_string(tuple.leaves().size()) + "` leaves, and the profile `" +
                                          profile.text() + "` has `" + std::to_string(profile.leaves().size()) + "`"};
}

IntTuple append(const IntTuple& tuple, const IntTuple& element) {
  auto out = modes(tuple);
  out.push_back(element);
  return out;
}

IntTuple prepend(const IntTuple& tuple, const IntTuple& element) {
  auto out = modes(tuple);
  out.insert(out.begin(), element);
  return out;
}

Result<IntTuple> append_to_rank(const IntTuple& tuple, std::int64_t rank, const IntTuple& element) {
  return padded("append", tuple, rank, element, false);
}
Result<IntTuple> prepend_to_rank(const IntTuple& tuple, std::int64_t rank, const IntTuple& element) {
  return padded("prepend", tuple, rank, element, true);
}

Result<IntTuple> replace(const IntTuple& tuple, std::int64_t mode, const IntTuple& element) {
  if (mode < 0 || mode >= static_cast<std::int64_t>(tuple.rank())) return no_mode("replace", tuple, mode);
  if (tuple.is_int()) return element;
  auto out = tuple.elements();
  out[static_cast<std::size_t>(mode)] = element;
  return IntTuple(std::move(out));
}

Result<IntTuple> zip(const IntTuple& tuple) {
  std::vector<std::vector<IntTuple>> columns;
  for (const IntTuple& row : modes(tuple)) {
    if (row.is_int() || row.rank() != modes(tuple)[0].rank()) {
      return Problem{Kind::rank, "zip: the modes of `" + tuple.text() + "` are not tuples of one rank"};
    }
    columns.resize(row.rank());
    for (std::size_t k = 0; k < row.rank(); ++k) columns[k].push_back(row.elements()[k]);
  }
  std::vector<IntTuple> out;
  for (auto& column : columns) out.emplace_back(std::move(column));
  return IntTuple(std::move(out));
}

Result<IntTuple> product_each(const IntTuple& shape) {
  std::vector<IntTuple> out;
  for (const IntTuple& mode : modes(shape)) {
    const auto size = product(mode);
    if (!size) return Problem{Kind::too_large, "the size of `" + mode.text() + "` does not fit in 64 bits"};
    out.emplace_back(*size);
  }
  if (shape.is_int()) return out[0];
  return IntTuple(std::move(out));
}

}  // namespace reckon::layout
