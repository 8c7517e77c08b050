// What a proof is about is what the circuit computes: statements are evaluated as they stand in the proof, in doubles and in the
// order of the leaves, and compared with the evaluator's results.
#include <cmath>
#include <limits>

#include "induction/induction.h"
#include "tests/induction/programs.h"
#include "tests/prove/pair.h"

using namespace reckon;
using normal::Pair;
using proof::TermKind;
using proof::TermRef;

namespace {

struct Array {
  std::vector<std::int64_t> shape;
  std::vector<double> elements;
};

class Evaluation {
 public:
  Evaluation(const proof::Proof& proof, std::map<std::string, Array> inputs) : proof_(proof), inputs_(std::move(inputs)) {}

  using Names = std::map<std::string, double>;
  double of(const TermRef& term, const Names& names) const {
    const auto part = [&](std::size_t k) { return of(term->parts[k], names); };
    switch (term->kind) {
      case TermKind::number: return term->value.get_d();
      case TermKind::variable: return names.contains(term->name) ? names.at(term->name) : inputs_.at(term->name).elements.at(0);
      case TermKind::element: {
        const Array& array = inputs_.at(term->name);
        std::int64_t at = 0;
        for (std::size_t k = 0; k < array.shape.size(); ++k) at = at * array.shape[k] + std::llround(part(k));
        return array.elements.at(static_cast<std::size_t>(at));
      }
      case TermKind::add: {
        double out = 0;
        for (const TermRef& each : term->parts) out += of(each, names);
        return out;
      }
      case TermKind::multiply: {
        double out = 1;
        for (const TermRef& each : term->parts) out *= of(each, names);
        return out;
      }
      case TermKind::divide: return part(0) / part(1);
      case TermKind::power: return std::pow(part(0), part(1));
      case TermKind::call: return called(*term, names);
      case TermKind::state: return state(*term, names);
      default: break;
    }
    double out = term->kind == TermKind::sum ? 0 : term->kind == TermKind::product ? 1 : -HUGE_VAL;
    for (int k = 0; k < std::llround(part(0)); ++k) {
      Names inner = names;
      inner[term->name] = k;
      const double value = of(term->parts[1], inner);
      out = term->kind == TermKind::sum ? out + value : term->kind == TermKind::product ? out * value : std::max(out, value);
    }
    return out;
  }

 private:
  double called(const proof::Term& term, const Names& names) const {
    const auto part = [&](std::size_t k) { return of(term.parts[k], names); };
    if (term.name == "ln2") return std::log(2.0);
    if (term.name == "exp") return std::exp(part(0));
    if (term.name == "abs") return std::fabs(part(0));
    if (term.name == "max") return std::max(part(0), part(1));
    if (term.name == "min") return std::min(part(0), part(1));
    if (term.name == "sqrt") return std::sqrt(part(0));
    return std::numeric_limits<double>::quiet_NaN();
  }

  double state(const proof::Term& term, const Names& names) const {
    for (const proof::Recurrence& of_name : proof_.recurrences) {
      if (of_name.name != term.name) continue;
      Names inner = names;
      for (std::size_t k = 0; k < of_name.arguments.size(); ++k) inner[of_name.arguments[k]] = of(term.parts[k], names);
      std::vector<double> now;
      for (int leaf = 0; leaf < std::llround(of(term.parts.back(), names)); ++leaf) {
        inner[of_name.index] = leaf;
        std::vector<double> next;
        for (const TermRef& each : of_name.leaf) next.push_back(of(each, inner));
        if (leaf > 0) {
          for (std::size_t k = 0; k < next.size(); ++k) inner[of_name.left[k]] = now[k], inner[of_name.right[k]] = next[k];
          next.clear();
          for (const TermRef& each : of_name.joined) next.push_back(of(each, inner));
        }
        now = next;
      }
      return now.at(term.part);
    }
    return std::numeric_limits<double>::quiet_NaN();
  }

  const proof::Proof& proof_;
  std::map<std::string, Array> inputs_;
};

/// Which element of a result each proof is about, and the places that it has names for, which are first among its
/// ranges.
class Places {
 public:
  /// `alone`: each element along extents that are numbers has a proof of its own.
  Places(const std::vector<std::int64_t>& shape, const std::vector<bool>& alone) : shape_(shape), alone_(alone) {}
  std::size_t proofs() const {
    std::size_t out = 1;
    for (std::size_t k = 0; k < shape_.size(); ++k) out *= alone_[k] ? static_cast<std::size_t>(shape_[k]) : 1;
    return out;
  }
  /// The number of the proof, and the names' values in `names`.
  std::size_t of(std::int64_t element, const std::vector<proof::Proof>& proofs, std::size_t first,
                 Evaluation::Names& names) const {
    std::vector<std::int64_t> subscripts(shape_.size());
    for (std::size_t k = shape_.size(); k-- > 0; element /= shape_[k]) subscripts[k] = element % shape_[k];
    std::size_t proof = 0;
    std::vector<std::int64_t> free;
    for (std::size_t k = 0; k < shape_.size(); ++k) {
      if (alone_[k]) proof = proof * static_cast<std::size_t>(shape_[k]) + static_cast<std::size_t>(subscripts[k]);
      else free.push_back(subscripts[k]);
    }
    std::size_t next = 0;
    for (const proof::Variable& each : proofs.at(first + proof).variables) {
      if (each.below && !names.contains(each.name) && next < free.size())
        names[each.name] = static_cast<double>(free[next++]);
    }
    return first + proof;
  }

 private:
  const std::vector<std::int64_t>& shape_;
  const std::vector<bool>& alone_;
};

/// Both sides of the statements against the two circuits, at some sizes. `alone`: of the extents of a result that has
/// a proof for each element along them.
void reads_right(const std::string& program, proof::Relation relation = proof::Relation::equal,
                 std::vector<bool> alone = {}) {
  Pair pair(program);
  INFO(program);
  ir::Module& module = pair.session.module();
  const auto proofs = ir::prove_by_steps(module, *pair.f, *pair.g, relation);
  REQUIRE_FALSE(proofs.empty());
  normal::Random random(3);
  int compared = 0;
  for (std::int64_t n = 1; n <= 5; ++n) {
    ir::Dimensions sizes;
    Evaluation::Names names;
    for (const ir::SymbolId each : pair.f->dimensions) {
      sizes[each] = n;
      names[std::string(module.name(each))] = static_cast<double>(n);
    }
    const auto arguments = pair.inputs(random, sizes, true);
    std::map<std::string, Array> inputs;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const auto& tensor = std::get<ir::HostTensor>(arguments[k]);
      Array array{tensor.shape, {}};
      for (std::int64_t i = 0; i < tensor.size(); ++i) array.elements.push_back(std::bit_cast<double>(tensor.bits(i)));
      inputs[std::string(module.name(pair.f->parameters[k].name))] = array;
    }
    const auto floats = interp::floats();
    for (const bool left : {true, false}) {
      const auto result = interp::evaluate(module, left ? *pair.f : *pair.g, *floats, arguments);
      REQUIRE(result);
      std::size_t first = 0;
      for (const interp::Values& values : *result) {
        const std::vector<std::int64_t> shape(values.shape().begin(), values.shape().end());
        const std::vector<bool> own = alone.empty() ? std::vector<bool>(shape.size(), false) : alone;
        const Places places(shape, own);
        for (std::int64_t i = 0; i < values.count(); ++i) {
          Evaluation::Names at = names;
          const proof::Proof& proof = proofs.at(places.of(i, proofs, first, at));
          const Evaluation evaluation(proof, inputs);
          const double expected = std::stod(floats->render(values.scalar(), values.at(i)).text);
          const double found = evaluation.of(left ? proof.statement.left : proof.statement.right, at);
          CHECK(found == Approx(expected).epsilon(1e-9).margin(1e-12));
          ++compared;
        }
        first += places.proofs();
      }
      CHECK(first == proofs.size());
    }
  }
  CHECK(compared >= 10);
}

}  // namespace

TEST_CASE("statements of proofs are what the circuits compute") {
  reads_right("fn f(x: f64[n], y: f64[n]) -> f64 = sum i: x[i] * y[i] by seq\nfn g(x: f64[n], y: f64[n]) -> f64 = sum i: y[i] * x[i] by tree");
  reads_right("fn f(x: f64[n]) -> f64[n] = scan(add) i: x[i] by tree\nfn g(x: f64[n]) -> f64[n] = for i < n: sum j < i + 1: x[j] by seq");
  reads_right("fn f(x: f64[n]) -> f64 { let s = sum i: x[i] - 2; abs(s) }\nfn g(x: f64[n]) -> f64 = sum i: abs(x[i] - 2)", proof::Relation::at_most);
  reads_right("fn f(x: f64[n]) -> f64 = sum i: x[i]\nfn g(x: f64[n]) -> f64 { let m = max i: x[i]; f64(n) * m }", proof::Relation::at_most);
  reads_right(
      "fn f(c: f64[n], x: f64) -> f64 = sum i: c[i] * (prod j < n - 1 - i: x by seq else 1) by seq\n"
      "fn step(a: (f64, f64), b: (f64, f64)) -> (f64, f64) { let (p, v) = a; let (q, w) = b; (p * q, v * q + w) }\n"
      "fn g(c: f64[n], x: f64) -> f64 { let (p, v) = reduce(step) i: (x, c[i]) by tree; v }\n");
  reads_right(R"(
fn f(x: f64[n]) -> f64[n] { let e = for i: exp(x[i]); let l = sum i: e[i]; for i: e[i] / l }
fn update(state: (f64, f64), next: (f64, f64)) -> (f64, f64) {
  let (m, l) = state;
  let (x, one) = next;
  let m_new = max(m, x);
  (m_new, l * exp(m - m_new) + one * exp(x - m_new))
}
fn g(x: f64[n]) -> f64[n] {
  let (m, l) = reduce(update) i < n + 1:
    (select(i == 0, -inf, x[max(i - 1, 0)]), select(i == 0, f64(0), f64(1))) by seq;
  for i: exp(x[i] - m) / l
})");
  reads_right(strassen("+ m6"));
  const std::string square = "(x: f64[n], y: f64[n]) -> f64[2, n, 3] = for i < 2, k, j < 3: ";
  reads_right("fn f" + square + "sum l < 3: x[k] * select(i < j, x[k], select(l == 1, y[k], f64(l)))\nfn g" + square +
                  "x[k] * select(i < j, 3 * x[k], y[k] + 2)",
              proof::Relation::equal, {true, false, true});
}
