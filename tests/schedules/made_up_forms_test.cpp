// A form that only its row of the table knows is folded by its definition, by every evaluator and in every place: as
// the tree is that an independent definition writes out.
#include <catch2/catch.hpp>

#include <bit>

#include "check/check.h"
#include "codegen/compile.h"
#include "draw/picture.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"
#include "ir/printer.h"
#include "runtime/host/run.h"
#include "tests/interp/circuits.h"
#include "tests/kernel/placed.h"
#include "tests/schedules/made_up_forms.h"
#include "tests/support/compiled_semantics.h"
#include "tests/support/no_files.h"

namespace {

using namespace reckon;
using namespace reckon::test;
using ir::HostTensor;
using ir::Scalar;

const std::vector<std::int64_t> ragged{1, 2, 3, 4, 5, 7, 8, 9, 13, 31, 32, 33, 34, 50, 64, 77, 128, 129};

class Program {
 public:
  explicit Program(const std::string& text) : session_(sources_, no_files(), {.forms = &made_up_forms()}) {
    outcome = session_.add(sources_.add("made_up.rk", text), "made_up.rk", frontend::ParseAs::program);
    INFO(text);
    INFO((outcome.diagnostics.empty() ? "" : outcome.diagnostics.front().message));
    REQUIRE(outcome.diagnostics.empty());
  }
  ir::Module& module() { return session_.module(); }
  ir::Function circuit(const char* name) {
    auto found = session_.circuit(name);
    REQUIRE(found);
    return *found;
  }
  std::vector<HostTensor> interpreted(const char* name, const char* semantics,
                                      const std::vector<HostTensor>& arguments) {
    const auto meaning = interp::testing::semantics(semantics);
    const auto values = interp::evaluate(module(), circuit(name), *meaning,
                                         std::vector<interp::Argument>(arguments.begin(), arguments.end()));
    if (!values) FAIL(values.error().message);
    std::vector<HostTensor> out;
    for (const interp::Values& value : *values) out.push_back(value.host(*meaning));
    return out;
  }
  std::string shown(const char* name, const char* semantics, const std::vector<HostTensor>& arguments) {
    const auto meaning = interp::testing::semantics(semantics);
    const auto values = interp::evaluate(module(), circuit(name), *meaning,
                                         std::vector<interp::Argument>(arguments.begin(), arguments.end()));
    if (!values) FAIL(values.error().message);
    std::string out;
    for (const interp::Values& value : *values) {
      for (std::int64_t k = 0; k < value.count(); ++k) {
        out += (out.empty() ? "" : ", ") + meaning->render(value.scalar(), value.at(k)).text;
      }
    }
    return out;
  }

  frontend::Session::Outcome outcome;

 private:
  SourceMap sources_;
  frontend::Session session_;
};

HostTensor numbers(std::vector<std::int64_t> shape, std::uint64_t seed) {
  interp::testing::Random random(seed);
  HostTensor out(Scalar::f32, std::move(shape));
  for (std::int64_t k = 0; k < out.size(); ++k) {
    const float value =
        std::ldexp(static_cast<float>(random.below(1 << 20)) - (1 << 19), static_cast<int>(random.below(9)));
    out.set_bits(k, std::bit_cast<std::uint32_t>(value));
  }
  return out;
}

std::vector<std::string> orders_of(const std::string& form) {
  return {form,
          "lanes(4, " + form + ") then " + form,
          "tile(7, " + form + ") then seq",
          "split(9, tree, " + form + ")",
          "(length m: if m % 2 == 0 { " + form + " } else { seq })",
          "neumaier(" + form + ")",
          "fused(" + form + ")",
          "fused(lanes(3, " + form + ") then " + form + ")"};
}

constexpr const char* of_n = "fn f(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by ";
constexpr const char* of_prefixes = "fn f(x: f32[n], y: f32[n]) -> f32[n] = scan(add) i: x[i] * y[i] by ";

}  // namespace

TEST_CASE("a made-up form has the stated tree, and the text has its name") {
  for (const MadeUpForm& form : made_up_trees()) {
    for (const std::int64_t n : ragged) {
      INFO(form.name << " of " << n);
      Program program("check same(" + form.name + ", " + form.quoted(n) + ", " + std::to_string(n) + ")\n" +
                      "show parens(" + form.name + ", " + std::to_string(n) + ")\n");
      REQUIRE(program.outcome.items.size() == 2);
      CHECK(program.outcome.items[0].static_truth == true);
      CHECK("'" + std::get<frontend::StaticResult>(*program.outcome.items[1].value).text == form.quoted(n));
    }
    Program program(of_n + ("lanes(4, " + form.name + ") then ") + form.name);
    const std::string text = ir::print(program.module(), program.circuit("f"));
    CHECK(text.find("by lanes(4, " + form.name + ") then " + form.name) != std::string::npos);
  }
}

TEST_CASE("every semantics folds a made-up form as its tree, in reductions and in scans") {
  for (const MadeUpForm& form : made_up_trees()) {
    for (const std::int64_t n : ragged) {
      const std::vector<HostTensor> arguments{numbers({n}, 1), numbers({n}, 2)};
      Program by_form(of_n + form.name), by_tree(of_n + form.quoted(n));
      for (const char* semantics : {"float", "interval", "fpsan", "exact"}) {
        INFO(form.name << " of " << n << " in " << semantics);
        CHECK(by_form.shown("f", semantics, arguments) == by_tree.shown("f", semantics, arguments));
      }
    }
    const std::int64_t n = 45;
    const std::vector<HostTensor> arguments{numbers({n}, 1), numbers({n}, 2)};
    std::string each;
    for (std::int64_t k = 1; k <= n; ++k) {
      each += "fn f" + std::to_string(k) + "(x: f32[45], y: f32[45]) -> f32 = sum i < " + std::to_string(k) +
              ": x[i] * y[i] by " + form.quoted(k) + "\n";
    }
    Program prefixes(of_prefixes + form.name), sums(each);
    for (const char* semantics : {"float", "interval", "fpsan", "exact"}) {
      INFO("prefixes by " << form.name << " in " << semantics);
      std::string expected;
      for (std::int64_t k = 1; k <= n; ++k) {
        expected += (k == 1 ? "" : ", ") + sums.shown(("f" + std::to_string(k)).c_str(), semantics, arguments);
      }
      CHECK(prefixes.shown("f", semantics, arguments) == expected);
    }
  }
}

TEST_CASE("compiled code folds a made-up form for lengths that are known only at run time") {
  for (const MadeUpForm& form : made_up_trees()) {
    std::vector<std::string> orders = orders_of(form.name);
    for (const std::string& order : orders) {
      for (const char* circuit : {of_n, of_prefixes}) {
        Program program(circuit + order);
        INFO(circuit << order);
        const ir::Function f = program.circuit("f");
        const auto compiled = codegen::compile(program.module(), f, {.semantics = &codegen::float_code()});
        if (!compiled) FAIL(compiled.error().message);
        for (const std::int64_t n : ragged) {
          const std::vector<HostTensor> arguments{numbers({n}, 3), numbers({n}, 4)};
          const auto sizes = ir::bind_dimensions(program.module(), f, {{n}, {n}});
          REQUIRE(sizes);
          const auto results = runtime::run_host(program.module(), f, *compiled, arguments, *sizes, interp::generate);
          if (!results) FAIL(results.error().message);
          INFO("n = " << n);
          CHECK((*results)[0].bytes == program.interpreted("f", "float", arguments)[0].bytes);
        }
      }
    }
  }
}

TEST_CASE("PTX of a made-up form passes the audit") {
  for (const MadeUpForm& form : made_up_trees()) {
    for (const std::string& order : orders_of(form.name)) {
      Program program("fn f(x: f32[m, n], y: f32[n]) -> f32[m] = for r: sum i: x[r, i] * y[i] by " + order);
      codegen::CompileOptions options;
      options.semantics = &codegen::float_code();
      options.target = codegen::Target::ptx;
      const auto compiled = codegen::compile(program.module(), program.circuit("f"), options);
      INFO(order);
      if (!compiled) FAIL(compiled.error().message);
      CHECK(compiled->assembly.find(".visible .entry") != std::string::npos);
    }
  }
}

TEST_CASE("kernels fold a made-up form as its tree") {
  for (const MadeUpForm& form : made_up_trees()) {
    for (const std::string& order : orders_of(form.name)) {
      if (order.find("fused") != std::string::npos || order.find("neumaier") != std::string::npos) continue;
      for (const auto& [m, n] :
           std::vector<std::pair<std::int64_t, std::int64_t>>{{67, 13}, {67, 45}, {2, 300}, {2, 777}}) {
        const std::string text = "fn f(x: f32[m, n]) -> f32[m] = for r: sum i: x[r, i] by " + order;
        INFO(text << ", n = " << n);
        Placed placed(text, {{"m", m}, {"n", n}}, codegen::Target::ptx, made_up_forms());
        CHECK(placed.broken_rule() == "");
        CHECK(placed.wrong(static_cast<std::uint64_t>(n)) == "");
        CHECK(placed.trees() == static_cast<std::size_t>(m));
      }
    }
  }
}

TEST_CASE("a made-up form is drawn as its tree") {
  ir::Module module(made_up_forms());
  for (const MadeUpForm& form : made_up_trees()) {
    const ir::ScheduleId schedule = module.schedules().make(*made_up_forms().named(form.name));
    for (const std::int64_t n : {1, 7, 33}) {
      const auto [tree, problem] = module.schedules().expand(schedule, n);
      REQUIRE_FALSE(problem);
      const auto drawn = draw::picture_of(module, schedule, n, "t");
      const auto quoted = draw::picture_of(module, module.schedules().quoted(tree), n, "t");
      REQUIRE_FALSE(drawn.problem);
      CHECK(draw::text(drawn.picture) == draw::text(quoted.picture));
      CHECK(module.schedules().trees().text(tree) == form.quoted(n).substr(1));
    }
  }
}

TEST_CASE("a check compares a made-up form with its tree, and tells it from others") {
  for (const MadeUpForm& form : made_up_trees()) {
    for (const std::int64_t n : {5, 9, 34}) {
      const std::string size = std::to_string(n);
      Program program("fn f(x: f32[" + size + "]) -> f32 = sum i: x[i] by " + form.name + "\nfn g(x: f32[" + size +
                      "]) -> f32 = sum i: x[i] by " + form.quoted(n) + "\nfn h(x: f32[" + size +
                      "]) -> f32 = sum i: x[i] by seq\n" + "check f == g in float\ncheck f == h in float\n");
      const auto floats = interp::testing::semantics("float");
      REQUIRE(program.outcome.items.size() == 2);
      const auto same = check::run(program.module(), program.outcome.items[0], *floats);
      REQUIRE(same);
      CHECK(same->verdict == check::Verdict::holds);
      const auto other = check::run(program.module(), program.outcome.items[1], *floats);
      REQUIRE(other);
      CHECK(other->verdict == check::Verdict::fails);
    }
  }
}

TEST_CASE("a made-up form of many leaves is folded without its tree") {
  for (const MadeUpForm& form : made_up_trees()) {
    Program program("fn f(x: f32[1]) -> f64 = sum i < 300000: f64(i) by " + form.name);
    CHECK(program.shown("f", "float", {numbers({1}, 1)}) == "44999850000");
  }
}
