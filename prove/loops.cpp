#include "prove/loops.h"

#include <algorithm>
#include <vector>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"

namespace reckon::ir::normal {
namespace {

constexpr std::size_t most_loops = 8;  ///< of a circuit, beyond which none are compared

class Induction {
 public:
  using Proves = std::function<bool(const Function&, const Function&)>;
  Induction(Module& module, const Function& like, const Proves& proves)
      : module_(module), like_(like), proves_(proves) {}

  NodeId run(NodeId right) {
    const std::vector<NodeId> known = loops_in(like_.body);
    // What is proved of an inner loop changes the loops around it.
    for (bool found = true; found;) {
      found = false;
      for (const NodeId loop : loops_in(right)) {
        if (std::ranges::find(known, loop) != known.end()) continue;
        const auto equal = std::ranges::find_if(known, [&](NodeId other) { return are_equal(other, loop); });
        if (equal == known.end()) continue;
        right = replaced(right, loop, *equal);
        found = true;
        break;
      }
    }
    return right;
  }

 private:
  std::vector<NodeId> loops_in(NodeId body) {
    std::vector<NodeId> out;
    visit_nodes(module_, {body}, [&](NodeId id) {
      if (module_[id].op == Op::loop) out.push_back(id);
    });
    std::ranges::sort(out);  // inner ones first
    if (out.size() > most_loops) out.clear();
    return out;
  }

  bool are_equal(NodeId left, NodeId right) {
    const Node a = module_[left], b = module_[right];
    if (a.type != b.type || a.indices != b.indices) return false;
    const std::vector<VariableId> free = module_.free_variables(left);
    if (free != module_.free_variables(right) || !module_.facts(left).tensor_operands.empty()) return false;
    // An index of the circuit around is any natural number here, and so is the number of the round.
    Module::Substitution fixed;
    const auto fix = [&](VariableId variable, IndexId number) { fixed.indices.variables[variable] = number; };
    for (const VariableId variable : free) fix(variable, natural());
    if (!same(module_.substitute(a.operands[1], fixed), module_.substitute(b.operands[1], fixed), like_)) return false;
    Function with_state = like_;
    const NodeId state = add_state(with_state, a.type);
    const IndexId round = natural();
    const auto next = [&](const Node& loop) {
      Module::Substitution put_in = fixed;
      put_in.indices.variables[loop.variables[0]] = round;
      put_in.operands[loop.variables[1]] = state;
      return module_.substitute(loop.operands[0], put_in);
    };
    const NodeId next_left = next(a);
    return same(next_left, next(b), with_state);
  }

  IndexId natural() {
    return module_.indices().dimension(module_.symbol("natural number " + std::to_string(naturals_++)));
  }

  /// Parameters for the parts of a state.
  NodeId add_state(Function& function, TypeId type) {
    std::vector<TypeId> parts = module_.types()[type].parts;
    const bool is_tuple = !parts.empty();
    if (!is_tuple) parts = {type};
    std::vector<NodeId> out;
    for (const TypeId part : parts) {
      out.push_back(module_.parameter(static_cast<std::uint32_t>(function.parameters.size()), part));
      function.parameters.push_back({module_.symbol("state"), part, {}});
    }
    return is_tuple ? module_.tuple(std::move(out)) : out[0];
  }

  bool same(NodeId left, NodeId right, Function like) {
    if (left == right) return true;
    Function other = like;
    like.body = left;
    like.result = module_[left].type;
    other.body = right;
    other.result = module_[right].type;
    other.dimensions.clear();  // its sizes are those of `like` already
    return proves_(like, other);
  }

  NodeId replaced(NodeId body, NodeId old, NodeId by) {
    return module_.rewrite(body, [&](const Node& node, std::vector<NodeId> operands) {
      const NodeId out = module_.rebuild(node, std::move(operands));
      return out == old ? by : out;
    });
  }

  Module& module_;
  const Function& like_;
  const Proves& proves_;
  int naturals_ = 0;
};

}  // namespace

NodeId with_equal_loops(Module& module, const Function& left, NodeId right,
                        const std::function<bool(const Function&, const Function&)>& proves) {
  return Induction(module, left, proves).run(right);
}

}  // namespace reckon::ir::normal
