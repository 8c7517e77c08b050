// The rows of wgsl_cases.json: what WebGPU's conformance suite computes (gpuweb/cts).
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "interp/evaluate.h"
#include "ir/bind.h"
#include "semantics/accept/answers.h"
#include "semantics/accept/suite.h"
#include "semantics/accept/vector_primitives.h"
#include "semantics/standard.h"
#include "tests/interp/wgsl_circuits.h"
#include "tests/interp/wgsl_profile.h"

namespace reckon::interp::testing {

using accept::Answers;
using nlohmann::json;

inline double hexadecimal(const json& text) { return std::strtod(text.get<std::string>().c_str(), nullptr); }

inline std::vector<json> wgsl_cases() {
  std::ifstream file(std::string(RECKON_TEST_DATA) + "/wgsl_cases.json");
  return json::parse(file)["cases"].get<std::vector<json>>();
}

inline Scalar scalar_of(const json& row) {
  const auto trait = row["trait"].get<std::string>();
  return trait == "f32" ? Scalar::f32 : (trait == "f16" ? Scalar::f16 : Scalar::f64);
}

/// Evaluates rows under a profile.
class Cases {
 public:
  explicit Cases(bool ends) : Cases(wgsl_profile(ends)) {}
  explicit Cases(std::shared_ptr<const ir::Profile> profile)
      : profile_(std::move(profile)),
        semantics_(std::move(*make_semantics("accept", {{profile_->name, profile_}}, {}))),
        rules_(profile_) {
    for (const Scalar scalar : {Scalar::f32, Scalar::f16, Scalar::f64})
      libraries_.emplace(scalar, std::make_unique<Library>(scalar));
  }

  /// A function and its module, from elsewhere; null: the one of wgsl_circuits.h counts.
  using Found = std::pair<ir::Module*, const ir::Function*>;
  std::function<Found(const std::string& name, Scalar, const std::vector<Library::Shape>& shapes)> functions;

  Semantics& semantics() { return *semantics_; }
  const accept::Rules& rules() const { return rules_; }

  /// Nested lists of numbers, flattened, with their shape; a matrix is a list of columns.
  static std::vector<double> flattened(const json& value, std::vector<std::int64_t>& shape) {
    shape.clear();
    if (!value.is_array()) return {hexadecimal(value)};
    std::vector<double> out;
    std::vector<std::int64_t> inner;
    for (const json& part : value) {
      const std::vector<double> more = flattened(part, inner);
      out.insert(out.end(), more.begin(), more.end());
    }
    shape = inner;
    shape.insert(shape.begin(), static_cast<std::int64_t>(value.size()));
    return out;
  }

  /// The results' elements one after the other; nothing if this cannot be evaluated.
  std::optional<std::vector<Answers>> evaluate_row(const json& row) {
    const Scalar scalar = scalar_of(row);
    const auto name = row["op"].get<std::string>();
    const json& input = row["input"];
    const accept::Setting setting = rules_.setting(scalar, 0);
    if (name == "correctlyRounded" || name == "absoluteError" || name == "ulp") {
      const double x = hexadecimal(input[0]);
      if (!setting.kind.is_finite(x)) return {{Answers::anything(accept::Cause::infinite, 0)}};
      Answers out;
      const accept::suite::Inputs inputs = accept::suite::inputs(setting.kind, setting.flush_inputs, x);
      for (int k = 0; k < inputs.count; ++k) {
        const accept::Interval n{inputs.values[k], inputs.values[k]};
        const double amount = name == "correctlyRounded" ? 0 : std::fabs(hexadecimal(input[1]));
        accept::span(out, name == "correctlyRounded" ? accept::suite::correctly_rounded(setting, n)
                          : name == "ulp"            ? accept::suite::ulps(setting, n, amount)
                                                     : accept::suite::absolute(setting, n, amount));
      }
      return {{out}};
    }
    if (name.starts_with("unpack") && rules_.rule(name, scalar) != nullptr) {  // a builtin of the library
      Values word(*semantics_, Scalar::u32, {});
      *reinterpret_cast<Answers*>(word.data()) = Answers::of({hexadecimal(input[0]), hexadecimal(input[0])});
      std::vector<Values> lanes;
      const std::vector<const Values*> words{&word};
      const std::int64_t count = name.starts_with("unpack2") ? 2 : 4;
      const auto done = semantics_->call({name, {}, words, {{scalar, {count}}}, {}}, lanes);
      if (!done || !*done || lanes.size() != 1) return std::nullopt;
      const auto* from = reinterpret_cast<const Answers*>(lanes[0].data());
      return std::vector<Answers>(from, from + lanes[0].count());
    }
    if (name.starts_with("unpack")) {
      using enum accept::Packing;
      const std::map<std::string, accept::Packing> all{{"unpack2x16float", half2},
                                                       {"unpack2x16snorm", snorm2},
                                                       {"unpack2x16unorm", unorm2},
                                                       {"unpack4x8snorm", snorm4},
                                                       {"unpack4x8unorm", unorm4}};
      return accept::unpack(setting, all.at(name), static_cast<std::uint32_t>(hexadecimal(input[0])));
    }
    std::vector<Values> arguments;
    std::vector<std::vector<std::int64_t>> shapes;
    for (const json& argument : input) {
      std::vector<std::int64_t> shape;
      const std::vector<double> numbers = flattened(argument, shape);
      Values values(*semantics_, scalar, shape);
      for (std::size_t i = 0; i < numbers.size(); ++i)
        reinterpret_cast<Answers*>(values.data())[i] = Answers::of({numbers[i] + 0.0, numbers[i] + 0.0});
      arguments.push_back(std::move(values));
      shapes.push_back(shape);
    }
    const std::string operation = name == "inverseSqrt" ? "rsqrt" : name;
    std::vector<const Values*> pointers;
    for (const Values& values : arguments) pointers.push_back(&values);
    const auto op = ir::op_named(operation);
    if (op && ir::is_scalar_operation(*op)) {
      Rows rows[3];
      for (std::size_t k = 0; k < pointers.size(); ++k) rows[k] = {pointers[k]->data(), 0};
      Answers out;
      if (semantics_->apply(*op, scalar, scalar, rows, reinterpret_cast<std::byte*>(&out), 0, 1, 1))
        return std::nullopt;
      return {{out}};
    }
    Library& library = *libraries_.at(scalar);
    Found found{&library.module, library.find(operation, shapes)};
    if (functions) {
      if (const Found other = functions(operation, scalar, shapes); other.second != nullptr) found = other;
    }
    const ir::Function* function = found.second;
    const Semantics::Call::Body body = [&](Semantics&, const std::vector<const Values*>& of,
                                           std::vector<Values>& out) -> std::optional<Fault> {
      std::vector<Argument> made;
      for (const Values* values : of) {
        auto copy = std::make_shared<Values>(*semantics_, values->scalar(), values->shape());
        std::copy_n(reinterpret_cast<const Answers*>(values->data()), values->count(),
                    reinterpret_cast<Answers*>(copy->data()));
        made.emplace_back(MadeTensor{values->scalar(), values->shape(), copy});
      }
      auto results = evaluate(*found.first, *function, *semantics_, made);
      if (!results) return Fault{results.error().code, results.error().message, ""};
      out = std::move(*results);
      return std::nullopt;
    };
    std::vector<Values> results;
    // Matrix operations are no functions: the suite runs them element by element.
    const bool plain = name.starts_with("mat") || name == "vecMatMul";
    const Semantics::Call call{operation, {}, pointers, results_of(found, scalar, shapes), body};
    auto done = plain ? Expected<bool>(false) : semantics_->call(call, results);
    if (!done) {
      UNSCOPED_INFO(done.error().message);
      return std::nullopt;
    }
    if (!*done) {
      if (function == nullptr) return std::nullopt;
      if (auto fault = body(*semantics_, pointers, results)) {
        UNSCOPED_INFO(fault->message);
        return std::nullopt;
      }
    }
    std::vector<Answers> out;
    for (const Values& values : results) {
      const auto* from = reinterpret_cast<const Answers*>(values.data());
      out.insert(out.end(), from, from + values.count());
    }
    if (name == "matMul") collapse(out);
    return out;
  }

  /// The expected intervals in the order of `evaluate_row`; an unbounded one is [-inf, inf].
  static void expected(const json& value, std::vector<accept::Interval>& out) {
    if (value.is_string()) {
      out.push_back({-accept::infinity, accept::infinity});
    } else if (value.is_object()) {
      expected(value["fract"], out);
      expected(value["whole"], out);
    } else if (value.size() == 2 && value[0].is_string() && value[0] != "unbounded" && value[0] != "undefined") {
      out.push_back({hexadecimal(value[0]) + 0.0, hexadecimal(value[1]) + 0.0});
    } else {
      for (const json& part : value) expected(part, out);
    }
  }

 private:
  /// What a function of such arguments gives; that of the arguments' numbers, if it is none of the library's.
  static std::vector<Semantics::Call::Result> results_of(const Found& found, Scalar scalar,
                                                         const std::vector<std::vector<std::int64_t>>& shapes) {
    if (found.second == nullptr) return {{scalar, shapes[0]}};
    ir::Module& module = *found.first;
    const auto dimensions = ir::bind_dimensions(module, *found.second, shapes, {});
    REQUIRE(dimensions);
    const ir::Function concrete = ir::instantiate(module, *found.second, *dimensions);
    std::vector<Semantics::Call::Result> out;
    const auto add = [&](auto&& self, ir::TypeId id) -> void {
      const ir::Type type = module.types()[id];
      for (ir::TypeId part : type.parts) self(self, part);
      if (type.kind == ir::TypeKind::tuple) return;
      std::vector<std::int64_t> shape;
      for (ir::IndexId extent : type.extents) shape.push_back(*module.indices().evaluate(extent, {}));
      out.push_back({type.scalar, shape});
    };
    add(add, concrete.result);
    return out;
  }

  static void collapse(std::vector<Answers>& all) {
    const auto found = std::find_if(all.begin(), all.end(), [](const Answers& x) { return x.unbounded; });
    if (found != all.end()) std::fill(all.begin(), all.end(), Answers(*found));
  }

  std::shared_ptr<const ir::Profile> profile_;
  std::unique_ptr<Semantics> semantics_;
  accept::Rules rules_;
  std::map<Scalar, std::unique_ptr<Library>> libraries_;
};

inline accept::Interval ends(const Answers& answers) {
  if (answers.unbounded || answers.count == 0) return {-accept::infinity, accept::infinity};
  return answers.hull();
}

/// faceForward: alternatives, each a vector or "undefined"; ours are of each element.
inline bool same_alternatives(const json& expected, const std::vector<Answers>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Answers& mine = results[i];
    Answers theirs;
    for (const json& alternative : expected) {
      std::vector<accept::Interval> wanted;
      Cases::expected(alternative, wanted);
      const bool undefined = wanted.size() == 1;
      accept::unite(theirs, undefined ? Answers::anything(accept::Cause::stated, 0) : Answers::of(wanted[i]), false);
    }
    if (mine.unbounded != theirs.unbounded) return false;
    if (mine.unbounded) continue;
    if (mine.count != theirs.count || !std::equal(mine.parts.begin(), mine.parts.begin() + mine.count, theirs.parts.begin()))
      return false;
  }
  return true;
}

/// Whether a row's results have the suite's ends, to the last bit; what differs is said.
inline bool row_agrees(const json& row, const std::vector<Answers>& results) {
  if (row["op"] == "faceForward") return same_alternatives(row["expected"], results);
  std::vector<accept::Interval> wanted;
  Cases::expected(row["expected"], wanted);
  if (wanted.size() == 1 && results.size() > 1) wanted.assign(results.size(), wanted[0]);
  bool same = wanted.size() == results.size();
  for (std::size_t i = 0; same && i < wanted.size(); ++i) {
    const accept::Interval mine = ends(results[i]);
    if (mine == wanted[i]) continue;
    UNSCOPED_INFO("element " << i << fmt::format(": [{:a}, {:a}] instead of [{:a}, {:a}]", mine.low, mine.high,
                                                 wanted[i].low, wanted[i].high));
    same = false;
  }
  return same;
}

struct Agreement {
  int rows = 0, agreeing = 0;
  int passed_over = 0;  ///< those that `skips` names
};
/// All rows of the file.
template <class Skips>
Agreement compare_rows(Cases& cases, Skips&& skips) {
  Agreement out;
  for (const json& row : wgsl_cases()) {
    ++out.rows;
    if (skips(row["op"].get<std::string>())) {
      ++out.passed_over;
      continue;
    }
    INFO(row.dump());
    const auto results = cases.evaluate_row(row);
    const bool same = results && row_agrees(row, *results);
    CHECK(same);
    out.agreeing += same;
  }
  return out;
}

}  // namespace reckon::interp::testing
