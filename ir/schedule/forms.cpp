#include "ir/schedule/forms.h"

#include <algorithm>
#include <array>
#include <utility>

#include "ir/schedule/schedule.h"

namespace reckon::ir {

namespace {

constexpr Form standard_forms[] = {
    {"seq", ScheduleOp::seq, FormTakes::nothing, "seq", "((0 1) 2) 3 ..."},
    {"tree", ScheduleOp::tree, FormTakes::nothing, "tree",
     "adjacent pairs, again and again; an odd last one is carried"},
    {"halving", ScheduleOp::halving, FormTakes::nothing, "halving",
     "i with i + P/2, P the least power of two >= n, then P halved; absent operands pass through"},
    {"blelloch", ScheduleOp::blelloch, FormTakes::nothing, "blelloch",
     "n's binary digits from the largest: aligned blocks, each by `tree`, joined from the left (the "
     "work-efficient scan)"},
    {"fused", ScheduleOp::fused, FormTakes::schedule, "fused(S)",
     "S's tree; a product leaf is absorbed by its node's addition as one `fma`, the right one first"},
    {"neumaier", ScheduleOp::neumaier, FormTakes::schedule, "neumaier(S)",
     "nodes carry (s, c), leaves (x, 0): (s, e) = TwoSum(s1, s2), c = (c1 + c2) + e; the result is s + c"},
    {"kahan", ScheduleOp::kahan, FormTakes::nothing, "kahan", "the classical compensated loop"},
    {"rounded_once", ScheduleOp::rounded_once, FormTakes::nothing, "rounded_once",
     "the exact sum, rounded once; `fused(rounded_once)`: of the exact products"},
    {"binned", ScheduleOp::binned, FormTakes::size, "binned(k)",
     "leaves rounded to the last of k bins below the largest one's (13 binades each in f32, 40 in f64), added exactly, "
     "rounded once: the same bits in any order",
     "so many bins are kept"},
    {"mma", ScheduleOp::mma, FormTakes::tensor_cores, "mma(M)",
     "a chain of additions of many products each, as the tensor cores of generation M carry them out (see \"Tensor "
     "cores\")"},
    {"split", ScheduleOp::split, FormTakes::size_schedules, "split(m, A, B)",
     "the first m by A, the rest by B, the two joined; n <= m: A alone", "so many nodes come first"},
    {"any", ScheduleOp::any, FormTakes::nothing, "any",
     "the set of all trees on all permutations: no single order (see \"All orders at once\")"},
    {"any_tree", ScheduleOp::any_tree, FormTakes::nothing, "any_tree",
     "the set of all trees on the leaves in their order"},
    {"any_seq", ScheduleOp::any_seq, FormTakes::nothing, "any_seq", "the set of left folds of all permutations"},
    {"tile", ScheduleOp::tile, FormTakes::size_schedule, "tile(k, S)",
     "each run of k consecutive nodes becomes one by S; the last run may be short", "so many nodes are in a run"},
    {"lanes", ScheduleOp::lanes, FormTakes::size_schedule, "lanes(k, S)",
     "node i goes to lane i mod k; each lane becomes one by S", "so many lanes there are"},
    {"arrange", ScheduleOp::arrange, FormTakes::layout_schedule, "arrange(L, S)",
     "for each coordinate o of layout L's last mode, one run: the nodes L(c, o), c colexicographic; the last mode may "
     "be `_`, as long as needed. L is a permutation of the nodes, and may be composed: swizzled"},
};

}  // namespace

Forms::Forms(std::vector<Form> more) : forms_(std::begin(standard_forms), std::end(standard_forms)) {
  for (Form& form : more) forms_.push_back(std::move(form));
}

const Forms& Forms::standard() {
  static const Forms forms;
  return forms;
}

const Form* Forms::named(std::string_view name) const {
  const auto found = std::find_if(forms_.begin(), forms_.end(), [&](const Form& form) { return form.name == name; });
  return found == forms_.end() ? nullptr : &*found;
}

const Form* form_of(const ScheduleNode& node) {
  if (node.op == ScheduleOp::rounds) return node.form;
  const auto found = std::find_if(std::begin(standard_forms), std::end(standard_forms),
                                  [&](const Form& form) { return form.op == node.op; });
  return found == std::end(standard_forms) ? nullptr : found;
}

}  // namespace reckon::ir
