#include "ir/parser_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace reckon::ir::detail {

std::optional<VariableId> TermParser::bind_variable() {
  if (token().kind != Kind::variable) return fail("a variable");
  const Token variable = take();
  const auto [place, inserted] = variables_.try_emplace(std::string(variable.text), module_.fresh_variable());
  if (!inserted) return mistake(variable, fmt::format("`{}` is bound already", variable.text));
  return place->second;
}

// --------------------------------------------------------------------------------------------- index expressions

std::optional<IndexId> TermParser::index() {
  Nesting nesting(*this);
  if (!nesting) return std::nullopt;
  auto out = conjunction();
  while (out && accept("or")) {
    auto right = conjunction();
    if (!right) return right;
    out = module_.indices().logical_or(*out, *right);
  }
  return out;
}

std::optional<IndexId> TermParser::conjunction() {
  auto out = negation();
  while (out && accept("and")) {
    auto right = negation();
    if (!right) return right;
    out = module_.indices().logical_and(*out, *right);
  }
  return out;
}

std::optional<IndexId> TermParser::negation() {
  if (accept("not")) {
    Nesting nesting(*this);
    if (!nesting) return std::nullopt;
    auto out = negation();
    if (out) out = module_.indices().logical_not(*out);
    return out;
  }
  auto out = index_operand();
  if (!out) return out;
  for (auto [sign, op] : {std::pair{"<", IndexOp::less}, {"<=", IndexOp::less_equal}, {"==", IndexOp::equal}}) {
    if (!accept(sign)) continue;
    auto right = index_operand();
    if (!right) return right;
    return module_.indices().apply(op, *out, *right);
  }
  return out;
}

std::optional<IndexId> TermParser::index_operand() {
  auto out = product(accept("-") ? Sign::leading : Sign::none);
  while (out && (at("+") || at("-"))) {
    auto right = product(take().text == "-" ? Sign::between : Sign::none);
    if (!right) return right;
    out = module_.indices().add(*out, *right);
  }
  return out;
}

/// A leading minus sign belongs to the first factor, as in the language; one between terms to the whole product. If the
/// first factor is a number, it is read with its sign where that means the same: -9223372036854775808 fits.
std::optional<IndexId> TermParser::product(Sign sign) {
  const bool digits = token().kind == Kind::integer;
  bool applied = sign != Sign::none && digits;
  auto out = atom(applied);
  if (out && sign == Sign::leading && !digits) out = module_.indices().negate(*out);
  while (out && (at("*") || at("//") || at("%"))) {
    const std::string_view word = take().text;
    auto right = atom(false);
    if (!right) return right;
    const IndexOp op = word == "*" ? IndexOp::product : word == "//" ? IndexOp::floor_div : IndexOp::floor_mod;
    if (sign == Sign::between && applied && op != IndexOp::product) {
      out = module_.indices().negate(*out);
      applied = false;
    }
    out = module_.indices().apply(op, *out, *right);
  }
  if (out && sign == Sign::between && !applied) out = module_.indices().negate(*out);
  return out;
}

std::optional<IndexId> TermParser::atom(bool negative) {
  switch (token().kind) {
    case Kind::integer: {
      auto value = integer(negative);
      if (!value) return std::nullopt;
      return module_.indices().constant(*value);
    }
    case Kind::variable: {
      const Token variable = take();
      auto found = variables_.find(variable.text);
      if (found == variables_.end()) {
        return mistake(variable, fmt::format("`{}` is not an index variable that is bound here", variable.text));
      }
      return module_.indices().variable(found->second);
    }
    case Kind::name:
      if ((token().text == "min" || token().text == "max") && next_token().text == "(") {
        Nesting nesting(*this);
        if (!nesting) return std::nullopt;
        const IndexOp op = take().text == "min" ? IndexOp::minimum : IndexOp::maximum;
        take();
        auto left = index();
        if (!left || !expect(",")) return std::nullopt;
        auto right = index();
        if (!right || !expect(")")) return std::nullopt;
        return module_.indices().apply(op, *left, *right);
      }
      [[fallthrough]];
    case Kind::string: return module_.indices().dimension(module_.symbol(*name()));
    default: break;
  }
  if (!accept("(")) return fail("an index expression");
  auto out = index();
  if (!out || !expect(")")) return std::nullopt;
  return out;
}

// --------------------------------------------------------------------------------------------------------- types

std::optional<TypeId> TermParser::type() {
  if (accept("(")) {
    Nesting nesting(*this);
    if (!nesting) return std::nullopt;
    std::vector<TypeId> parts;
    do {
      if (!parts.empty() && at(")")) break;
      auto part = type();
      if (!part) return part;
      parts.push_back(*part);
    } while (accept(","));
    if (!expect(")")) return std::nullopt;
    return module_.types().tuple(std::move(parts));
  }
  const auto scalar = token().kind == Kind::name ? scalar_named(token().text) : std::nullopt;
  if (!scalar) return fail("a type");
  take();
  std::vector<IndexId> extents;
  if (accept("[")) {
    do {
      auto extent = index();
      if (!extent) return std::nullopt;
      extents.push_back(*extent);
    } while (accept(","));
    if (!expect("]")) return std::nullopt;
  }
  return module_.types().tensor(*scalar, std::move(extents));
}

// ----------------------------------------------------------------------------------------------------- schedules

std::optional<ScheduleId> TermParser::schedule() {
  Nesting nesting(*this);
  if (!nesting) return std::nullopt;
  std::vector<ScheduleId> parts;
  std::vector<Token> places;
  do {
    places.push_back(token());
    auto part = schedule_part();
    if (!part) return part;
    if (accept("@")) {
      const auto level = machine_level_named(token().text);
      if (!level) return fail("a level of the machine");
      take();
      part = module_.schedules().pinned(*part, *level);
    }
    parts.push_back(*part);
  } while (accept("then"));
  ScheduleStore& store = module_.schedules();
  ScheduleId out = parts.back();
  for (std::size_t k = parts.size() - 1; k-- > 0;) {
    if (!is_stage(store[parts[k]].op))
      return mistake(places[k], "a schedule stands before `then`, which takes a stage");
    out = is_stage(store[out].op) ? store.stage_then(parts[k], out) : store.then(parts[k], out);
  }
  return out;
}

std::optional<ScheduleId> TermParser::whole_schedule() {
  const Token place = token();
  auto out = schedule();
  if (out && is_stage(module_.schedules()[*out].op)) return mistake(place, "a stage stands where a schedule is needed");
  return out;
}

std::optional<ScheduleId> TermParser::schedule_part() {
  ScheduleStore& store = module_.schedules();
  if (accept("(")) {
    auto out = schedule();
    if (!out || !expect(")")) return std::nullopt;
    return out;
  }
  if (accept("'")) {
    auto written = tree();
    if (!written) return std::nullopt;
    return store.quoted(*written);
  }
  if (accept("any")) return schedule_any();
  if (accept("arrange")) return schedule_arrange();
  if (token().kind == Kind::name) {
    if (const Form* form = store.forms().named(token().text)) {
      take();
      return schedule_of_form(*form);
    }
  }
  if (accept("length")) return schedule_length();
  if (accept("if")) return schedule_conditional();
  auto reference = name();
  if (!reference) return std::nullopt;
  return store.reference(module_.symbol(*reference));
}

std::optional<ScheduleId> TermParser::schedule_any() {
  ScheduleStore& store = module_.schedules();
  if (!accept("(")) return store.simple(ScheduleOp::any);
  const bool depth = at("depth");
  if (!depth && !at("lanes")) return fail("`depth` or `lanes`");
  take();
  if (!expect(":")) return std::nullopt;
  auto limit = index();
  if (!limit || !expect(")")) return std::nullopt;
  return depth ? store.any_depth(*limit) : store.any_lanes(*limit);
}

std::optional<ScheduleId> TermParser::schedule_of_form(const Form& form) {
  if (form.takes == FormTakes::nothing) return module_.schedules().make(form);
  if (!expect("(")) return std::nullopt;
  if (form.takes == FormTakes::tensor_cores) return schedule_of_tensor_cores();
  IndexId size;
  if (takes_size(form.takes)) {
    auto given = index();
    if (!given) return std::nullopt;
    size = *given;
  }
  std::vector<ScheduleId> schedules;
  while (schedules.size() < schedules_taken(form.takes)) {
    if ((size.valid() || !schedules.empty()) && !expect(",")) return std::nullopt;
    auto each = whole_schedule();
    if (!each) return std::nullopt;
    schedules.push_back(*each);
  }
  if (!expect(")")) return std::nullopt;
  return module_.schedules().make(form, size, std::move(schedules));
}

std::optional<ScheduleId> TermParser::schedule_of_tensor_cores() {
  TensorCores cores;
  const auto model =
      std::find(std::begin(numerics::mma_model_names), std::end(numerics::mma_model_names), token().text);
  if (model == std::end(numerics::mma_model_names)) return fail("a generation of tensor cores");
  cores.model = static_cast<numerics::MmaModel>(model - std::begin(numerics::mma_model_names));
  take();
  for (auto* format : {&cores.accumulator, &cores.operand}) {
    if (!accept(",")) break;
    const auto scalar = scalar_named(token().text);
    if (!scalar || !is_float(*scalar)) return fail("a float format");
    *format = format_of(*scalar);
    take();
  }
  if (!expect(")")) return std::nullopt;
  return module_.schedules().mma(cores);
}

std::optional<layout::IntTuple> TermParser::int_tuple() {
  if (!accept("(")) {
    auto value = integer(accept("-"));
    if (!value) return std::nullopt;
    return layout::IntTuple(*value);
  }
  Nesting nesting(*this);
  if (!nesting) return std::nullopt;
  std::vector<layout::IntTuple> elements;
  do {
    auto element = int_tuple();
    if (!element) return std::nullopt;
    elements.push_back(std::move(*element));
  } while (accept(","));
  if (!expect(")")) return std::nullopt;
  return layout::IntTuple(std::move(elements));
}

/// `swizzle(3, 0, 3), 0`; `(6,2):(1,7), 0`.
std::optional<layout::Stage> TermParser::stage() {
  const Token place = token();
  std::optional<std::variant<layout::Swizzle, layout::Layout>> map;
  if (accept("swizzle")) {
    std::array<int, 3> parts{};
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (!expect(k == 0 ? "(" : ",")) return std::nullopt;
      const auto part = integer(accept("-"));
      if (!part) return std::nullopt;
      if (*part < -64 || *part > 64) return mistake(place, "no swizzle has so many bits");
      parts[k] = static_cast<int>(*part);
    }
    if (!expect(")")) return std::nullopt;
    auto made = layout::Swizzle::make(parts[0], parts[1], parts[2]);
    if (!made) return mistake(place, made.problem().message);
    map = *made;
  } else {
    auto shape = int_tuple();
    if (!shape || !expect(":")) return std::nullopt;
    auto stride = int_tuple();
    if (!stride) return std::nullopt;
    auto made = layout::Layout::make(*shape, *stride);
    if (!made) return mistake(place, made.problem().message);
    map = *made;
  }
  if (!expect(",")) return std::nullopt;
  const auto offset = integer(accept("-"));
  if (!offset || !expect(",")) return std::nullopt;
  return layout::Stage{*map, *offset};
}

bool TermParser::stages_before(std::vector<layout::Stage>& stages) {
  while (at("compose") && token().kind == Kind::name) {
    take();
    if (!expect("(")) return false;
    auto each = stage();
    if (!each) return false;
    stages.push_back(std::move(*each));
  }
  return true;
}

bool TermParser::close_stages(const std::vector<layout::Stage>& stages) {
  return std::all_of(stages.begin(), stages.end(), [&](const layout::Stage&) { return expect(")"); });
}

std::optional<ScheduleId> TermParser::schedule_arrange() {
  // ((4, 2), _):((2, 1), 8)
  auto integers = [&]() -> std::optional<std::vector<std::int64_t>> {
    std::vector<std::int64_t> out;
    const bool several = accept("(");
    do {
      auto value = integer();
      if (!value) return std::nullopt;
      out.push_back(*value);
    } while (several && accept(","));
    if (several && !expect(")")) return std::nullopt;
    return out;
  };
  const Token place = token();
  Arrangement arrangement;
  if (!expect("(") || !stages_before(arrangement.stages) || !expect("(")) return std::nullopt;
  auto run_extents = integers();
  if (!run_extents || !expect(",")) return std::nullopt;
  arrangement.open = accept("_");
  auto runs_extents = arrangement.open ? std::vector<std::int64_t>{1} : integers();
  if (!runs_extents || !expect(")") || !expect(":") || !expect("(")) return std::nullopt;
  auto run_strides = integers();
  if (!run_strides || !expect(",")) return std::nullopt;
  auto runs_strides = integers();
  if (!runs_strides || !expect(")") || !close_stages(arrangement.stages) || !expect(",")) return std::nullopt;
  auto inner = whole_schedule();
  if (!inner || !expect(")")) return std::nullopt;
  if (run_extents->size() != run_strides->size() || runs_extents->size() != runs_strides->size()) {
    return mistake(place, "an arrangement's shape and stride differ");
  }
  for (std::size_t k = 0; k < run_extents->size(); ++k)
    arrangement.run.push_back({(*run_extents)[k], (*run_strides)[k]});
  for (std::size_t k = 0; k < runs_extents->size(); ++k)
    arrangement.runs.push_back({(*runs_extents)[k], (*runs_strides)[k]});
  for (const auto* modes : {&arrangement.run, &arrangement.runs}) {
    for (const Arrangement::Mode& mode : *modes) {
      if (mode.extent < 1 || mode.extent > (1 << 30)) return mistake(place, "an arrangement has an unusable extent");
    }
  }
  if (!arrangement.is_bijection()) return mistake(place, "an arrangement does not take every node once");
  return module_.schedules().arrange(arrangement, *inner);
}

std::optional<ScheduleId> TermParser::schedule_length() {
  // Lengths are numbered separately: index variables of the surroundings mean nothing inside a schedule.
  auto around = variables_;
  const std::string text(token().text);
  variables_.erase(text);
  auto variable = bind_variable();
  if (!variable || !expect(":")) return std::nullopt;
  auto body = whole_schedule();
  variables_ = std::move(around);
  if (!body) return body;
  return module_.schedules().length(*variable, *body);
}

std::optional<ScheduleId> TermParser::schedule_conditional() {
  auto condition = index();
  if (!condition || !expect("{")) return std::nullopt;
  auto if_true = whole_schedule();
  if (!if_true || !expect("}") || !expect("else") || !expect("{")) return std::nullopt;
  auto if_false = whole_schedule();
  if (!if_false || !expect("}")) return std::nullopt;
  return module_.schedules().conditional(*condition, *if_true, *if_false);
}

/// A stack instead of recursion: the tree of a left fold is as deep as it has leaves.
std::optional<TreeId> TermParser::tree() {
  TreeStore& trees = module_.schedules().trees();
  std::vector<std::optional<TreeId>> open;  // pairs, with their left parts once those are read
  for (;;) {
    if (accept("(")) {
      open.push_back(std::nullopt);
      continue;
    }
    auto leaf = integer();
    if (!leaf) return std::nullopt;
    TreeId whole = trees.leaf(*leaf);
    while (!open.empty() && open.back()) {
      if (!expect(")")) return std::nullopt;
      whole = trees.pair(*open.back(), whole);
      open.pop_back();
    }
    if (open.empty()) return whole;
    open.back() = whole;
  }
}

}  // namespace reckon::ir::detail
