// Results and parameters that a layout stores: the same values, at the layout's places, and nothing anywhere else.
#include "diagnostics/codes/bad_layout.h"
#include "ir/printer.h"
#include "tests/codegen/program.h"

namespace reckon::codegen::testing {
namespace {

/// How rows and columns are stored, for sizes m and n.
struct Stored {
  const char* name;
  std::function<ir::Storage(Circuit&, IndexId m, IndexId n)> storage;
};

ir::IndexTuple leaf(IndexId id) { return {id, {}}; }

ir::Storage flat(IndexId m, IndexId n, IndexId by_row, IndexId by_column) {
  return {{{{}, {leaf(m), leaf(n)}}, {{}, {leaf(by_row), leaf(by_column)}}}};
}

const std::vector<Stored> all_stored{
    {"column-major", [](Circuit& c, IndexId m, IndexId n) { return flat(m, n, c.constant(1), m); }},
    {"padded rows",
     [](Circuit& c, IndexId m, IndexId n) { return flat(m, n, c.index().add(n, c.constant(3)), c.constant(1)); }},
    {"every third",
     [](Circuit& c, IndexId m, IndexId n) { return flat(m, n, c.constant(3), c.index().multiply(c.constant(3), m)); }},
    {"columns in pairs",
     [](Circuit& c, IndexId m, IndexId n) {
       const IndexId two = c.constant(2), pairs = c.index().floor_div(n, two);
       ir::Storage out;
       out.layout.shape = {{}, {leaf(m), {{}, {leaf(two), leaf(pairs)}}}};
       out.layout.stride = {{}, {leaf(two), {{}, {leaf(c.constant(1)), leaf(c.index().multiply(two, m))}}}};
       return out;
     }},
    {"swizzled",
     [](Circuit& c, IndexId m, IndexId n) {
       ir::Storage out = flat(m, n, n, c.constant(1));
       out.stages = {{*layout::Swizzle::make(2, 0, 3), 0}};
       return out;
     }},
};

/// y[m, n] in several ways that plans keep apart, from x[m, n].
struct Kind {
  const char* name;
  std::function<NodeId(Circuit&, NodeId x, IndexId m, IndexId n)> body;
};

NodeId row_sum(Circuit& c, NodeId x, VariableId i, IndexId n, ir::ScheduleId schedule) {
  return c.reduce(Op::add, n, schedule, [&](VariableId j) { return c.module.element(x, {c.at(i), c.at(j)}); });
}

const std::vector<Kind> all_kinds{
    {"a copy", [](Circuit&, NodeId x, IndexId, IndexId) { return x; }},
    {"a map",
     [](Circuit& c, NodeId x, IndexId m, IndexId n) {
       return c.map({m, n}, [&](const std::vector<VariableId>& v) {
         const NodeId element = c.module.element(x, {c.at(v[0]), c.at(v[1])});
         return c.module.apply(Op::mul, {element, element});
       });
     }},
    {"rows less their sums",
     [](Circuit& c, NodeId x, IndexId m, IndexId n) {
       return c.map({m, n}, [&](const std::vector<VariableId>& v) {
         return c.module.apply(Op::sub, {c.module.element(x, {c.at(v[0]), c.at(v[1])}),
                                         row_sum(c, x, v[0], n, c.schedules().default_order())});
       });
     }},
    {"products of rows",
     [](Circuit& c, NodeId x, IndexId m, IndexId n) {
       return c.map({m, n}, [&](const std::vector<VariableId>& v) {
         return c.reduce(Op::add, n, c.seq(), [&](VariableId j) {
           return c.module.apply(Op::mul, {c.module.element(x, {c.at(v[0]), c.at(j)}),
                                           c.module.element(x, {c.at(v[0]), c.at(v[1])})});
         });
       });
     }},
};

void build(Circuit& c, const Kind& kind, const Stored& of_parameter, const Stored& of_result) {
  const IndexId m = c.dimension("m"), n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {m, n});
  c.function.parameters[0].storage = of_parameter.storage(c, m, n);
  c.result(kind.body(c, x, m, n));
  c.function.result_storage = {of_result.storage(c, m, n)};
}

}  // namespace

TEST_CASE("a stored result is the interpreter's, from whatever a parameter is stored by") {
  for (const Kind& kind : all_kinds) {
    for (std::size_t s = 0; s < all_stored.size(); ++s) {
      const Stored& parameter = all_stored[(s + 2) % all_stored.size()];
      INFO(kind.name << ", " << all_stored[s].name << ", from " << parameter.name);
      Circuit c;
      build(c, kind, parameter, all_stored[s]);
      for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{1, 2}, {4, 16}, {7, 10}, {0, 4}}) {
        // A swizzle of (1, 2) and (7, 10) is injective as of any sizes: places lie apart, up to the block's end.
        agree(c, {ordinary(Scalar::f32, {m, n}, 3)});
      }
      agree(c, {ordinary(Scalar::f32, {5, 6}, 4)}, "fpsan");
      CHECK(must_compile(c, ptx()).assembly.find(".entry") != std::string::npos);
    }
  }
}

TEST_CASE("each part of a result is stored in its own way") {
  Circuit c;
  const IndexId m = c.dimension("m"), n = c.dimension("n");
  const NodeId x = c.parameter("x", Scalar::f32, {m, n});
  const NodeId sums = c.map({m}, [&](const std::vector<VariableId>& v) { return row_sum(c, x, v[0], n, c.tree()); });
  const NodeId running = c.module.scan(c.fold(Op::add, m, c.seq(), [&](VariableId i) {
    return c.module.element(x, {c.at(i), c.constant(0)});
  }));
  c.result(c.module.tuple({x, c.module.tuple({sums, running}), sums}));
  ir::Storage every_other{{leaf(m), leaf(c.constant(2))}};
  ir::Storage every_fifth{{leaf(m), leaf(c.constant(5))}};
  c.function.result_storage = {all_stored[0].storage(c, m, n), every_other, every_fifth, std::nullopt};
  for (std::int64_t size : {1, 2, 9}) agree(c, {ordinary(Scalar::f32, {size, 8}, 5)});
  std::vector<bool> stored;
  for (const Buffer& buffer : must_compile(c).plan.buffers) {
    if (buffer.role != Buffer::Role::result) continue;
    stored.resize(std::max<std::size_t>(stored.size(), buffer.position + 1));
    stored[buffer.position] = buffer.storage.has_value();
  }
  CHECK(stored == std::vector<bool>{true, true, true, false});
}

TEST_CASE("kernels write the places of elements, and leave the gaps alone") {
  for (const Kind& kind : all_kinds) {
    for (const Stored& each : all_stored) {
      INFO(kind.name << ", " << each.name);
      Circuit c;
      const IndexId m = c.constant(4), n = c.constant(6);
      const NodeId x = c.parameter("x", Scalar::f32, {m, n});
      c.result(kind.body(c, x, m, n));
      c.function.result_storage = {each.storage(c, m, n)};
      const HostTensor argument = ordinary(Scalar::f32, {4, 6}, 6);
      const HostTensor expected = interpret(c, "float", {argument})[0];
      const Compiled compiled = must_compile(c);

      constexpr std::uint32_t untouched = 0xdeadbeef;
      std::vector<std::vector<std::uint32_t>> contents;
      std::vector<void*> pointers;
      std::size_t result = 0;
      for (const Buffer& buffer : compiled.plan.buffers) {
        contents.emplace_back(1000, untouched);
        if (buffer.role == Buffer::Role::parameter) {
          std::memcpy(contents.back().data(), argument.bytes.data(), argument.bytes.size());
        }
        if (buffer.role == Buffer::Role::result) result = contents.size() - 1;
      }
      for (auto& each_buffer : contents) pointers.push_back(each_buffer.data());
      for (const Kernel& kernel : compiled.plan.kernels) {
        std::int64_t count = 1;
        for (IndexId extent : kernel.items) count *= *c.index().as_constant(extent);
        host_kernel(compiled, kernel.name)(pointers.data(), nullptr, 0, count);
      }
      const auto layout = ir::stored_layout(c.module, *c.function.result_storage[0], {});
      REQUIRE(layout);
      std::vector<std::uint32_t> places(1000, untouched);
      for (std::int64_t i = 0; i < 4; ++i) {
        for (std::int64_t j = 0; j < 6; ++j) {
          const auto place = layout::evaluate(**layout, std::vector<layout::IntTuple>{i, j});
          REQUIRE(place);
          places[static_cast<std::size_t>(*place)] = static_cast<std::uint32_t>(expected.bits(6 * i + j));
        }
      }
      CHECK(contents[result] == places);
    }
  }
}

TEST_CASE("the interpreter, the host and every caller of compiled code refuse the same storage") {
  struct Refused {
    std::int64_t by_row, by_column;
    const char* message;
  };
  for (const Refused& refused : {Refused{0, 1, "`(3,4):(0,1)` puts elements (0, 0) and (1, 0) in one place, 0"},
                                 Refused{2, 1, "`(3,4):(2,1)` puts elements (1, 0) and (0, 2) in one place, 2"},
                                 Refused{4, -1, "`(3,4):(4,-1)` puts an element at -3: a buffer begins at 0"}}) {
    for (const bool of_result : {false, true}) {
      INFO(refused.message << (of_result ? ", a result" : ", a parameter"));
      Circuit c;
      const IndexId m = c.dimension("m"), n = c.dimension("n");
      const NodeId x = c.parameter("x", Scalar::f32, {m, n});
      c.result(c.map({m, n}, [&](const std::vector<VariableId>& v) {
        return c.module.element(x, {c.at(v[0]), c.at(v[1])});
      }));
      ir::Storage storage = flat(m, n, c.constant(refused.by_row), c.constant(refused.by_column));
      storage.span = {0, 5, 9};
      if (of_result) c.function.result_storage = {storage};
      else c.function.parameters[0].storage = storage;
      const HostTensor argument = ordinary(Scalar::f32, {3, 4}, 7);

      auto meaning = semantics("float");
      const auto interpreted = c.run(*meaning, {argument});
      REQUIRE(!interpreted);
      CHECK(interpreted.error().code == code::bad_layout);
      CHECK(interpreted.error().message == refused.message);
      CHECK(interpreted.error().primary.span == storage.span);

      const std::map<ir::SymbolId, std::int64_t> sizes{{c.module.symbol("m"), 3}, {c.module.symbol("n"), 4}};
      const Compiled compiled = must_compile(c);
      const auto ran = run_host(c.module, c.function, compiled, {argument}, sizes, interp::generate);
      REQUIRE(!ran);
      CHECK(ran.error().message == refused.message);
      // Sizes of which the storage is admissible: one row.
      if (refused.by_column > 0) agree(c, {ordinary(Scalar::f32, {1, 4}, 8)});
    }
  }
}

}  // namespace reckon::codegen::testing
