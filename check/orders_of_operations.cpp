#include "check/orders_of_operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "check/proof.h"
#include "check/sizes.h"
#include "diagnostics/codes/check_failed_to_run.h"
#include "ir/bind.h"
#include "prove/dimensions.h"
#include "prove/operations.h"

namespace reckon::check {

namespace {

using frontend::ElaboratedItem;

constexpr std::int64_t most_values = 64;    ///< of all dimensions of a size at which trees are compared
constexpr std::int64_t most_places = 16;    ///< of a result whose trees are compared
constexpr std::size_t longest_shown = 200;  ///< characters of a tree in a verdict

std::vector<std::string> parameter_names(const ir::Module& module, const ir::Function& function) {
  std::vector<std::string> out;
  for (const ir::Parameter& each : function.parameters) out.emplace_back(module.name(each.name));
  return out;
}

/// The operations of each of the first elements of the result, at known sizes; nothing where there is no text.
struct Trees {
  std::vector<std::vector<std::int64_t>> places;
  std::vector<std::string> texts;
};
std::optional<Trees> trees_at(ir::Module& module, const ir::Function& function, const ir::Dimensions& sizes,
                              const std::vector<std::string>& names) {
  const ir::Function known = ir::instantiate(module, function, sizes);
  const ir::Type type = module.types()[known.result];
  if (type.kind == ir::TypeKind::tuple) return {};
  std::int64_t count = 1;
  std::vector<std::int64_t> shape;
  for (const ir::IndexId extent : type.extents) {
    const auto value = module.indices().as_constant(extent);
    if (!value || *value < 1) return {};
    shape.push_back(*value);
    count *= *value;
  }
  Trees out;
  for (std::int64_t flat = 0; flat < std::min(count, most_places); ++flat) {
    std::vector<std::int64_t> place(shape.size());
    std::vector<ir::IndexId> at(shape.size());
    std::int64_t rest = flat;
    for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
      place[k] = rest % shape[k];
      at[k] = module.indices().constant(place[k]);
    }
    const ir::NodeId scalar = shape.empty() ? known.body : module.element(known.body, at);
    const auto text = ir::operations_text(module, scalar, names);
    if (!text) return {};
    out.places.push_back(place);
    out.texts.push_back(*text);
  }
  return out;
}

interp::Rendering shown(const std::string& tree) {
  return {tree.size() > longest_shown ? tree.substr(0, longest_shown) + " ..." : tree, {{"order", tree}}};
}

Counterexample difference(const ir::Module& module, const ir::Dimensions& sizes, const std::vector<std::int64_t>& place,
                          const std::string& left, const std::string& right) {
  Counterexample out;
  for (const auto& [symbol, value] : sizes) out.dimensions.emplace_back(module.name(symbol), value);
  out.element = place;
  out.left = shown(left);
  out.right = shown(right);
  return out;
}

Outcome proved(bool all_sizes) {
  Outcome out{.verdict = Verdict::holds, .strength = Strength::proved};
  out.semantics = order_question;
  if (all_sizes) out.evidence.push_back({"all_sizes", true, ""});
  return out;
}

std::vector<ir::Dimensions> small_sizes(ir::Module& module, const ElaboratedItem& item) {
  std::vector<ir::Dimensions> out = choose_sizes(module, item);
  std::erase_if(out, [](const ir::Dimensions& sizes) { return index_values(sizes) > most_values; });
  return out;
}

Outcome undecided(const std::string& what) {
  Outcome out{.verdict = Verdict::undecided, .strength = Strength::observed};
  out.semantics = order_question;
  out.notes.push_back(fmt::format("no proof was found for all sizes, and no small size at which {}", what));
  return out;
}

Outcome same_order(ir::Module& module, const ElaboratedItem& item) {
  if (proof_of_bits(module, item)) return proved(!item.left->dimensions.empty());
  const auto names = parameter_names(module, *item.left);
  const auto renamed = ir::normal::in_dimensions_of(module, *item.left, *item.right);
  if (!renamed) return undecided("the two differ");
  ir::Function right = *item.left;
  right.body = renamed->body;
  right.result = renamed->result;
  for (const ir::Dimensions& sizes : small_sizes(module, item)) {
    const auto a = trees_at(module, *item.left, sizes, names), b = trees_at(module, right, sizes, names);
    if (!a || !b || a->places != b->places) continue;
    const auto [first, second] = std::ranges::mismatch(a->texts, b->texts);
    if (first == a->texts.end()) continue;
    const auto at = static_cast<std::size_t>(first - a->texts.begin());
    Outcome out{.verdict = Verdict::fails, .strength = Strength::proved};
    out.semantics = order_question;
    out.counterexample = difference(module, sizes, a->places[at], *first, *second);
    return out;
  }
  return undecided("the two differ");
}

/// Small values for every dimension but one.
std::vector<ir::Dimensions> small_grid(const ir::Function& function, ir::SymbolId without) {
  std::vector<ir::Dimensions> out{{}};
  for (const ir::SymbolId each : function.dimensions) {
    if (each == without) continue;
    std::vector<ir::Dimensions> more;
    for (const ir::Dimensions& sizes : out) {
      for (const std::int64_t value : {1, 2, 3, 5, 8}) {
        more.push_back(sizes);
        more.back()[each] = value;
        if (index_values(more.back()) > most_values) more.pop_back();
      }
    }
    out = std::move(more);
  }
  return out;
}

/// A place of both results that is made of other operations.
std::optional<Outcome> different_place(const ir::Module& module, const ir::Dimensions& sizes, const Trees& one,
                                       const Trees& other) {
  for (std::size_t k = 0; k < one.places.size(); ++k) {
    const auto found = std::ranges::find(other.places, one.places[k]);
    if (found == other.places.end()) continue;
    const std::string& second = other.texts[static_cast<std::size_t>(found - other.places.begin())];
    if (one.texts[k] == second) continue;
    Outcome out{.verdict = Verdict::fails, .strength = Strength::proved};
    out.semantics = order_question;
    out.counterexample = difference(module, sizes, one.places[k], one.texts[k], second);
    return out;
  }
  return {};
}

Outcome independent(ir::Module& module, const ElaboratedItem& item, ir::SymbolId dimension) {
  if (ir::operations_without(module, *item.left, dimension)) return proved(true);
  const auto names = parameter_names(module, *item.left);
  // At sizes that differ in this dimension alone, elements at the same place are compared.
  for (const ir::Dimensions& others : small_grid(*item.left, dimension)) {
    std::vector<std::pair<ir::Dimensions, Trees>> seen;
    for (const std::int64_t value : {1, 2, 3, 4, 5, 7, 8, 16}) {
      ir::Dimensions sizes = others;
      sizes[dimension] = value;
      const auto trees = trees_at(module, *item.left, sizes, names);
      if (!trees) continue;
      for (const auto& [before, known] : seen) {
        if (auto out = different_place(module, before, known, *trees)) {
          out->notes.push_back(fmt::format("the right tree is that of {} = {}", module.name(dimension), value));
          return std::move(*out);
        }
      }
      seen.emplace_back(sizes, *trees);
    }
  }
  return undecided("it makes a difference");
}

}  // namespace

Expected<Outcome> run_order(ir::Module& module, const ElaboratedItem& asked) {
  const ElaboratedItem item = with_settled_calls(module, asked, {});
  const std::vector<std::string>& arguments = item.semantics->arguments;
  if (arguments.empty()) return same_order(module, item);
  for (const ir::SymbolId each : item.left->dimensions) {
    if (module.name(each) == arguments[0]) return independent(module, item, each);
  }
  return Diagnostic(code::check_failed_to_run, item.semantics->span,
                    fmt::format("the circuit has no dimension `{}`", arguments[0]))
      .help("name one of its dimensions: `check independent_order(f, m)` for `f(x: f32[m, n])`");
}

}  // namespace reckon::check
