#include "cli/trace_against.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "api/reckon/render.h"

namespace reckon::cli {
namespace {

/// The least and the greatest number of an argument; nothing if there is none.
std::optional<std::pair<double, double>> range_of(const Tensor& memory, Session& session) {
  static constexpr std::pair<const char*, std::size_t> types[] = {{"f64", 8}, {"f32", 4}, {"f16", 2}, {"bf16", 2}};
  const auto* type =
      std::find_if(std::begin(types), std::end(types), [&](const auto& row) { return row.first == memory.type; });
  if (type == std::end(types)) return std::nullopt;
  // The session knows what the patterns are.
  if (const auto loaded = session.load(fmt::format("fn low(x: {0}[n]) -> f64 = min i: f64(x[i])\n"
                                                   "fn high(x: {0}[n]) -> f64 = max i: f64(x[i])\n",
                                                   memory.type));
      !loaded)
    return std::nullopt;
  Tensor flat = memory;
  flat.shape = {static_cast<std::int64_t>(memory.bytes.size() / type->second)};
  double ends[2] = {};
  for (int k = 0; k < 2; ++k) {
    const auto end = session.call(k == 0 ? "low" : "high", {flat});
    if (!end || !end->front().tensor) return std::nullopt;
    std::memcpy(&ends[k], end->front().tensor->bytes.data(), sizeof(double));
    if (!std::isfinite(ends[k])) return std::nullopt;
  }
  return std::pair(ends[0], ends[1]);
}

std::string orders_text(const TracedOutput& output) {
  std::string out;
  for (const TracedGroup& group : output.groups) {
    for (const TracedFold& fold : group.folds) {
      const std::string order = fold.extreme            ? "an extreme"
                                : fold.schedule.empty() ? fold.tree.substr(0, 60)
                                                        : fold.schedule;
      if (out.find(order) == std::string::npos) out += (out.empty() ? "" : "; ") + order;
    }
  }
  return out.empty() ? "no sums" : out;
}

/// Whether the elements are computed in the same groups, with the same trees and arithmetics.
bool same_orders(const TracedOutput& a, const TracedOutput& b) {
  const auto folds_equal = [](const TracedFold& x, const TracedFold& y) {
    return x.terms == y.terms && x.tree == y.tree && x.schedule == y.schedule && x.arithmetic == y.arithmetic &&
           x.extreme == y.extreme;
  };
  return std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(),
                    [&](const TracedGroup& x, const TracedGroup& y) {
                      return x.elements == y.elements &&
                             std::equal(x.folds.begin(), x.folds.end(), y.folds.begin(), y.folds.end(), folds_equal);
                    });
}

class Comparison {
 public:
  Comparison(const PtxTrace& found, const PtxTrace& other, const PtxLaunch& launch, const Common& common,
             Console& console)
      : launch_(launch), session_(session_options(common)), console_(console) {
    for (const PtxTrace* each : {&found, &other}) {
      const auto loaded = session_.load(each->program(), "trace");
      if (!loaded) console.print(loaded.messages());
    }
  }

  void outputs(const TracedOutput& a, const TracedOutput& b) {
    const bool same = same_orders(a, b);
    row("order",
        same ? "the same: " + orders_text(a) : fmt::format("another one: {}, and {}", orders_text(a), orders_text(b)));
    if (a.circuit.empty() || b.circuit.empty()) return row("algebra", "not compared: one of them has no circuit");
    if (a.parameters != b.parameters) return row("algebra", "not compared: they read other arguments");
    session_.run(fmt::format("check {} == {} in algebra", a.name, b.name), "check",
                 [&](const Event& event) { console_.print(event); });
    // Of elements that are computed alike, one stands for all.
    for (std::size_t g = 0; g < std::min<std::size_t>(a.groups.size(), 4); ++g) apart(a, b, a.groups[g].elements[0]);
  }

 private:
  void row(const char* name, const std::string& text) {
    if (console_.json()) console_.line(nlohmann::ordered_json{{"kind", name}, {"text", text}}.dump());
    else console_.line(fmt::format("{:<10} {}", name, text));
  }

  void apart(const TracedOutput& a, const TracedOutput& b, std::int64_t element) {
    std::string parameters, arguments, ranges, subscripts;
    for (const std::size_t k : a.parameters) {
      const Tensor& memory = *launch_.arguments[k].memory;
      Session of_ranges{SessionOptions{}};
      const auto range = range_of(memory, of_ranges);
      if (!range) return row("apart", fmt::format("no bound: argument {} has no range", k));
      const std::string name = launch_.arguments[k].name.empty() ? fmt::format("a{}", k) : launch_.arguments[k].name;
      std::string shape;
      for (const std::int64_t extent : memory.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(extent);
      parameters += fmt::format("{}{}: {}[{}]", parameters.empty() ? "" : ", ", name, memory.type, shape);
      arguments += (arguments.empty() ? "" : ", ") + name;
      ranges += fmt::format("{}{}: {}..{}", ranges.empty() ? "" : ", ", name, range->first, range->second);
    }
    const Tensor& result = *launch_.arguments[a.argument].memory;
    std::int64_t rest = element;
    for (std::size_t d = result.shape.size(); d-- > 0;) {
      subscripts = std::to_string(rest % result.shape[d]) + (subscripts.empty() ? "" : ", ") + subscripts;
      rest /= result.shape[d];
    }
    std::string program;
    for (const TracedOutput* each : {&a, &b})
      program += fmt::format("fn {}_at_{}({}) -> {} = {}({})[{}]\n", each->name, element, parameters, result.type,
                             each->name, arguments, subscripts);
    program += fmt::format("show bound({0}_at_{2}, {1}_at_{2}) for {3}\n", a.name, b.name, element, ranges);
    session_.run(program, "apart", [&](const Event& event) {
      if (const auto* messages = std::get_if<std::vector<Message>>(&event)) {
        for (const Message& message : *messages)
          if (!message.code.empty()) row("apart", "no bound: " + message.message);
      } else if (const auto* shown = std::get_if<std::vector<Shown>>(&event)) {
        const std::string text = to_text(*shown);
        row("apart", fmt::format("element {}: {} for {}", element, text.substr(0, text.find('\n')), ranges));
      }
    });
  }

  const PtxLaunch& launch_;
  Session session_;
  Console& console_;
};

}  // namespace

void compare_kernels(const PtxTrace& found, const PtxTrace& other, const PtxLaunch& launch, const Common& common,
                     Console& console) {
  Comparison comparison(found, other, launch, common, console);
  for (const TracedOutput& output : found.outputs) {
    const auto same = std::find_if(other.outputs.begin(), other.outputs.end(),
                                   [&](const TracedOutput& each) { return each.argument == output.argument; });
    if (same == other.outputs.end())
      console.line(fmt::format("argument   {}: the other kernel stores nothing there", output.argument));
    else comparison.outputs(output, *same);
  }
  console.finish();
}

}  // namespace reckon::cli
