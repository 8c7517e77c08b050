// The orders that `within orders` carries out fast, beside the language's schedules, which they are meant to be.
#include "numerics/orders/sample.h"
#include "semantics/standard.h"
#include "tests/prove/pair.h"
#include "tests/support/files.h"

using namespace reckon;
using numerics::MachineOrder;
using numerics::OrderQuestion;
using Fold = MachineOrder::Fold;
using Kind = MachineOrder::Stage::Kind;

namespace {

std::uint64_t evaluated(const std::string& schedule, const OrderQuestion& question) {
  SourceMap sources;
  frontend::Files files = test::no_files();
  files.library_folders = {(test::source_folder() / "stdlib").string()};
  files.read_source = [](const std::string& path) -> std::optional<std::string> {
    if (!std::filesystem::exists(path)) return std::nullopt;
    return test::read_file(path);
  };
  frontend::Session session{sources, files};
  const std::string text = "import \"schedules\"\nfn f(x: f32[n]) -> f32 = sum i: x[i] by " + schedule + "\n";
  const auto outcome = session.add(sources.add("f.rk", text), "f.rk", frontend::ParseAs::program);
  INFO(text);
  INFO((outcome.diagnostics.empty() ? "" : outcome.diagnostics.front().message));
  REQUIRE(outcome.diagnostics.empty());
  const auto n = static_cast<std::int64_t>(question.leaves.size());
  ir::HostTensor x(ir::Scalar::f32, {n});
  for (std::int64_t i = 0; i < n; ++i) x.set_bits(i, question.leaves[static_cast<std::size_t>(i)]);
  auto floats = interp::make_semantics("float", {}, {});
  auto values = interp::evaluate(session.module(), *session.circuit("f"), **floats, {x});
  if (!values) FAIL(values.error().message);
  return *(*floats)->bits(ir::Scalar::f32, values->front().at(0));
}

}  // namespace

TEST_CASE("orders that are carried out fast give the bits of their schedules") {
  const auto stage = [](Kind kind, std::int64_t size, Fold run = Fold::seq, std::int64_t width = 1) {
    return MachineOrder::Stage{kind, size, width, {{}, run}};
  };
  const MachineOrder in_lanes{{stage(Kind::lanes, 4)}, Fold::tree};
  const std::vector<std::pair<std::string, MachineOrder>> orders{
      {"seq", {{}, Fold::seq}},
      {"from_right", {{}, Fold::from_right}},
      {"tree", {{}, Fold::tree}},
      {"halving", {{}, Fold::halving}},
      {"blelloch", {{}, Fold::blelloch}},
      {"numpy", {{}, Fold::numpy}},
      {"numpy_buffered(64)", {{stage(Kind::tile, 64, Fold::numpy)}, Fold::seq}},
      {"lanes(7, seq) then halving", {{stage(Kind::lanes, 7)}, Fold::halving}},
      {"lanes(128, tree) then tree", {{stage(Kind::lanes, 128, Fold::tree)}, Fold::tree}},
      {"lanes(5, tree) then seq", {{stage(Kind::lanes, 5, Fold::tree)}, Fold::seq}},
      {"lanes(6, halving) then tree", {{stage(Kind::lanes, 6, Fold::halving)}, Fold::tree}},
      {"tile(9, seq) then tree", {{stage(Kind::tile, 9)}, Fold::tree}},
      {"tile(16, halving) then blelloch", {{stage(Kind::tile, 16, Fold::halving)}, Fold::blelloch}},
      {"tile(20, lanes(4, seq) then tree) then seq", {{MachineOrder::Stage{Kind::tile, 20, 1, in_lanes}}, Fold::seq}},
      {"cub_block(4)", {{stage(Kind::tile, 4), stage(Kind::tile, 32, Fold::tree)}, Fold::seq}},
      {"cub_tile(32, 4)",
       {{stage(Kind::tile, 4, Fold::tree), stage(Kind::lanes, 32, Fold::tree), stage(Kind::tile, 32, Fold::tree)},
        Fold::seq}},
      {"warp_shuffle", {{stage(Kind::lanes, 32)}, Fold::halving}},
  };
  interp::testing::Random random(3);
  for (std::int64_t n : {1, 2, 5, 7, 8, 31, 100, 129, 1000}) {
    OrderQuestion question{numerics::OrderSet::any, numerics::FoldOperation::add, numerics::Format::f32, {}};
    for (std::int64_t i = 0; i < n; ++i) {
      question.leaves.push_back(
          numerics::round_f64(static_cast<double>(random.below(2001)) - 1000.3, numerics::Format::f32));
    }
    for (const auto& [schedule, order] : orders) {
      INFO(schedule << " of " << n);
      CHECK(numerics::carry_out(order, question) == evaluated(schedule, question));
    }
  }
  // Orders that take whole vectors in turn are for lengths that these divide.
  OrderQuestion question{numerics::OrderSet::any, numerics::FoldOperation::add, numerics::Format::f32, {}};
  for (int i = 0; i < 4096; ++i) {
    question.leaves.push_back(
        numerics::round_f64(static_cast<double>(random.below(2001)) - 1000.3, numerics::Format::f32));
  }
  const MachineOrder triton{{stage(Kind::turns, 128, Fold::seq, 4), stage(Kind::tile, 32, Fold::halving)},
                            Fold::halving};
  CHECK(numerics::carry_out(triton, question) == evaluated("triton_sum(4096)", question));
  const MachineOrder vectors{{stage(Kind::lanes, 1024), stage(Kind::tile, 4)}, Fold::halving};
  CHECK(numerics::carry_out(vectors, question) == evaluated("torch_vectors(256, 4)", question));
  const MachineOrder strided{{stage(Kind::lanes, 1024), stage(Kind::lanes, 256)}, Fold::halving};
  CHECK(numerics::carry_out(strided, question) == evaluated("torch_strided(256, 4)", question));
}
