// Random programs, on numbers and on NaNs, infinities, zeros and subnormals, under `bound` and `bound(any)`: each ends,
// gives `float`'s bits, and states no larger bound for the order that is stated than for any order.
//
// RECKON_DIFFERENTIAL_SEED and RECKON_DIFFERENTIAL_COUNT as in differential_test.cpp.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include "codegen/compile.h"
#include "codegen/sizes.h"
#include "frontend/elaborate.h"
#include "interp/evaluate.h"
#include "ir/bind.h"
#include "runtime/buffers.h"
#include "semantics/standard.h"
#include "tests/differential/inputs.h"
#include "tests/differential/program.h"
#include "tests/differential/settings.h"
#include "tests/support/no_files.h"

namespace reckon::differential {
namespace {

/// Endpoints the test program, with the text, where what is done while it lives takes too long: a loop that does not
/// end cannot be left in another way.
class TimeLimit {
 public:
  TimeLimit(std::chrono::seconds limit, std::string text)
      : thread_([this, limit, text = std::move(text)] {
          std::unique_lock lock(mutex_);
          if (done_.wait_for(lock, limit, [&] { return finished_; })) return;
          std::cerr << "no end within " << limit.count() << " s:\n" << text << "\n" << std::flush;
          std::abort();
        }) {}
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      finished_ = true;
    }
    done_.notify_all();
    thread_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool finished_ = false;
  std::thread thread_;
};

std::unique_ptr<interp::Semantics> made(std::string_view name, std::vector<interp::SemanticsArgument> arguments = {}) {
  auto out = interp::make_semantics(name, arguments, {});
  REQUIRE(out);
  return std::move(*out);
}

struct Counts {
  int programs = 0, elements = 0, bounded = 0;
};

void examine(std::uint64_t seed, Counts& counts) {
  const std::string source = text(generate(seed).root);
  SourceMap sources;
  frontend::Session session{sources, test::no_files()};
  if (!session.add(sources.add("program.rk", source), "program.rk", frontend::ParseAs::program).diagnostics.empty())
    return;
  auto circuit = session.circuit("main");
  if (!circuit) return;
  ir::Module& module = session.module();
  Random random(seed ^ 0xb0d);
  for (int trial = 0; trial < 3; ++trial) {
    ir::Dimensions sizes;
    for (ir::SymbolId symbol : circuit->dimensions) sizes[symbol] = static_cast<std::int64_t>(1 + random.below(9));
    const int kind = static_cast<int>(random.below(7));
    std::vector<interp::Argument> arguments;
    std::string shown = source;
    bool possible = true;
    for (const ir::Parameter& parameter : circuit->parameters) {
      const ir::Type type = module.types()[parameter.type];
      const auto shape = codegen::extent_values(module, type.extents, sizes);
      possible = possible && shape.has_value();
      if (!possible) break;
      const ir::HostTensor tensor = make_input(type.scalar, *shape, random.below(1000), kind);
      shown += "\n" + std::string(module.name(parameter.name)) + ": " + differential::text(tensor);
      arguments.emplace_back(tensor);
    }
    if (!possible) return;
    INFO("program " << seed << ":\n" << shown);
    const TimeLimit limit(std::chrono::seconds(60), shown);
    const auto floats = made("float"), stated = made("bound"), any = made("bound", {{"any"}});
    auto plain = interp::evaluate(module, *circuit, *floats, arguments, sizes);
    auto bounds = interp::evaluate(module, *circuit, *stated, arguments, sizes);
    auto loose = interp::evaluate(module, *circuit, *any, arguments, sizes);
    if (!plain || !bounds || !loose) return;  // a format or an operation that has no bound
    ++counts.programs;
    for (std::size_t part = 0; part < plain->size(); ++part) {
      const interp::Values &a = (*plain)[part], &b = (*bounds)[part], &c = (*loose)[part];
      const ir::Scalar scalar = a.scalar();
      if (!ir::is_float(scalar)) continue;
      // What accumulates is a plain sum under bound(any).
      const bool same_circuit =
          source.find("kahan") == std::string::npos && source.find("neumaier") == std::string::npos &&
          source.find("binned") == std::string::npos && source.find("rounded_once") == std::string::npos &&
          source.find("fused") == std::string::npos;
      for (std::int64_t i = 0; i < a.count(); ++i) {
        ++counts.elements;
        const auto bits = floats->bits(scalar, a.at(i));
        REQUIRE(bits == stated->bits(scalar, b.at(i)));
        const auto own = stated->error_bound(scalar, b.at(i)), all = any->error_bound(scalar, c.at(i));
        if (!own || !all) continue;
        ++counts.bounded;
        if (same_circuit) REQUIRE(own->get_d() <= all->get_d() * (1 + 0x1p-40));
      }
    }
  }
}

}  // namespace

TEST_CASE("the bounds of random programs end, and any order's are the largest") {
  const std::uint64_t first = setting("RECKON_DIFFERENTIAL_SEED", 1), count = setting("RECKON_DIFFERENTIAL_COUNT", 300);
  Counts counts;
  for (std::uint64_t number = 0; number < count; ++number) examine(first + number, counts);
  if (count >= 300) CHECK(counts.programs > static_cast<int>(count) / 3);
  if (count >= 300) CHECK(counts.bounded > counts.elements / 2);
}

}  // namespace reckon::differential
