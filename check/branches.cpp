#include "check/branches.h"

#include "check/comparisons.h"
#include "check/reads.h"
#include "driver/prepare.h"
#include "ir/passes/bottom_up.h"
#include "semantics/standard.h"

namespace reckon::check {

void Branches::open(ir::Module& module, const frontend::ElaboratedItem& item, const ir::Dimensions& sizes) {
  conditions_.clear();
  std::vector<std::vector<std::int64_t>> shapes;
  for (const ir::Parameter& parameter : item.left->parameters) {
    std::vector<std::int64_t> shape;
    for (ir::IndexId extent : module.types()[parameter.type].extents) {
      const auto value = module.indices().evaluate(extent, {sizes, {}});
      if (!value || *value < 0) return;
      shape.push_back(*value);
    }
    shapes.push_back(std::move(shape));
  }
  const auto add = [&](const ir::Function& circuit, const ir::Dimensions& given) {
    const ir::PlacesGuard placing(module, circuit.places);
    const auto concrete = driver::at_shapes(module, circuit, shapes, given);
    if (!concrete) return;
    const ir::PlacesGuard inside(module, concrete->places);
    for (const Selection& each : selections_of(module, concrete->body, item.seed.value_or(0))) {
      // A condition that depends on sizes and indices alone is left to the choice of sizes.
      if (!each.place.known() || places_of(module, shapes, {each.condition}).empty()) continue;
      const auto [found, is_new] = by_place_.emplace(std::pair(each.place.file, each.place.begin), seen_.size());
      if (is_new) seen_.push_back({false, false, each.place});
      conditions_.emplace_back(each.condition, found->second);
    }
  };
  add(*item.left, sizes);
  // The other circuit may name its dimensions differently; its sizes follow from the shapes of the parameters.
  if (item.right) add(*item.right, {});
}

void Branches::enter(ir::Module& module, const frontend::ElaboratedItem& item,
                     const std::vector<interp::Argument>& arguments, const interp::EvaluateOptions& options) {
  if (!floats_) floats_ = interp::floats();
  enter(module, item, arguments, options, *floats_);
}

void Branches::enter(ir::Module& module, const frontend::ElaboratedItem& item,
                     const std::vector<interp::Argument>& arguments, const interp::EvaluateOptions& options,
                     interp::Semantics& semantics) {
  const auto sized = driver::at_shapes(module, *item.left, interp::shapes_of(arguments));
  if (!sized) return;
  ir::Function circuit = *sized;
  std::vector<ir::NodeId> parts;
  for (const auto& [condition, which] : conditions_) parts.push_back(condition);
  circuit.body = parts.size() == 1 ? parts.front() : module.tuple(std::move(parts));
  circuit.result = module[circuit.body].type;
  circuit.result_storage.clear();
  const auto values = interp::evaluate(module, circuit, semantics, arguments, {}, options);
  if (!values || values->size() != conditions_.size()) return;
  for (std::size_t k = 0; k < conditions_.size(); ++k) {
    const auto truth = static_cast<interp::Truth>(*(*values)[k].at(0));
    Seen& seen = seen_[conditions_[k].second];
    seen.yes |= truth == interp::Truth::yes;
    seen.no |= truth == interp::Truth::no;
  }
}

std::vector<Branches::Missed> Branches::missed() const {
  std::vector<Missed> out;
  for (const Seen& each : seen_) {
    if (!each.yes) out.push_back({each.place, true});
    if (!each.no) out.push_back({each.place, false});
  }
  return out;
}

std::optional<frontend::ElaboratedItem> Branches::taken(ir::Module& module,
                                                        const frontend::ElaboratedItem& item) const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, bool> sides;
  for (const Missed& each : missed()) sides[{each.place.file, each.place.begin}] = each.side;
  if (sides.empty()) return std::nullopt;
  frontend::ElaboratedItem out = item;
  for (auto* side : {&out.left, &out.right}) {
    if (!*side) continue;
    const ir::PlacesGuard placing(module, (*side)->places);
    ir::BottomUp rewriting(module, [&](ir::NodeId id, const ir::Node& node, std::vector<ir::NodeId> operands) {
      if (node.op == ir::Op::select) {
        const SourceSpan place = module.span(node.operands[0]);
        const auto found = sides.find({place.file, place.begin});
        if (place.known() && found != sides.end()) return operands[found->second ? 1 : 2];
      }
      return operands == node.operands ? id : module.rebuild(node, std::move(operands));
    });
    (*side)->body = rewriting.run((*side)->body);
  }
  return out;
}

void Branches::doubt(Outcome& outcome) {
  outcome.verdict = Verdict::undecided;
  outcome.notes.emplace_back(
      "the two sides differ where a branch is taken that no trial entered: give inputs that enter it, "
      "`for x: a..b`, or leave the branch out if no input does");
}

}  // namespace reckon::check
