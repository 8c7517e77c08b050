#include "codegen/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "codegen/launch_cost.h"
#include "codegen/placed_kernel.h"
#include "codegen/sizes.h"
#include "ir/op.h"

namespace reckon::codegen {
namespace {

using Kind = KernelBody::Kind;

constexpr std::size_t line_width = 100;
/// From so many bytes moved by warps for each byte that threads ask for, the report mentions it.
constexpr double scattered = 1.5;

std::string wrapped(const std::string& text) {
  std::string out, line;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > line_width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

/// Three digits, and a unit.
std::string scaled(double value, std::span<const std::string_view> units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}
std::string seconds(double value) {
  static constexpr std::string_view units[] = {"ns", "us", "ms", "s"};
  return scaled(value * 1e9, units);
}
std::string bytes(double value) {
  static constexpr std::string_view units[] = {"bytes", "kB", "MB", "GB", "TB"};
  return scaled(value, units);
}

class Report {
 public:
  Report(ir::Module& module, const Planned& planned, const kernel::Program& program, const CompileOptions& options,
         const PlaceText& place)
      : module_(module), planned_(planned), options_(options), place_(place), costs_(module, planned, program) {}

  std::string text() {
    std::string out;
    for (std::size_t k = 0; k < planned_.bodies.size(); ++k) {
      const Kernel& kernel = planned_.plan.kernels[k];
      if (k > 0) out += "\n";
      out += kernel.name + "\n" + wrapped(paragraph(planned_.bodies[k], kernel));
    }
    return out;
  }

 private:
  std::string paragraph(const KernelBody& body, const Kernel& kernel) {
    std::string out = what(body, kernel);
    if (kernel.loop) {
      const Loop& loop = planned_.plan.loops[*kernel.loop];
      out += fmt::format(" It is launched in each of the {} rounds of a loop{}.", size(loop.rounds),
                         loop.around ? " within a loop" : "");
    }
    if (body.by_key)
      return out + " A thread of the host goes through the leaves once, and adds each to the items that have its key.";
    if (options_.target == Target::host) return out + " A thread of the host takes one item after the other.";
    out += " " + who(body, kernel);
    for (const KernelBody& step : body.steps) add_refusals(out, step.decision, step.schedule);
    // If a kernel joins nodes, the kernel before it has given the reasons.
    if (!body.nodes) add_refusals(out, body.decision, body.schedule);
    if (body.joined) out += " Before each of them" + joined_nodes(body.joined->fold) + ".";
    if (const auto within = body.placed ? body.placed->within() : std::nullopt) {
      out += fmt::format(" {} is carried out on the way.", reduction(*within));
    }
    for (const InnerReduction& inner : body.inner) {
      out += fmt::format(" {} stays within the element, whose thread carries it out.", reduction(inner.node));
      add_refusals(out, inner.decision, inner.decision.stated);
    }
    return out + launch(body, kernel);
  }

  std::optional<std::int64_t> product(const std::vector<ir::IndexId>& extents) const {
    const auto values = extent_values(module_, extents, {});
    if (!values) return std::nullopt;
    std::int64_t out = 1;
    for (const std::int64_t value : *values) {
      if (__builtin_mul_overflow(out, value, &out)) return std::nullopt;
    }
    return out;
  }

  /// The number if it is known, else the expression.
  std::string size(ir::IndexId index) const {
    const auto known = module_.indices().as_constant(index);
    return known ? std::to_string(*known) : fmt::format("`{}`", ir::index_text(module_, index));
  }
  std::string sizes(const std::vector<ir::IndexId>& extents) const {
    std::string out;
    for (const ir::IndexId extent : extents) out += (out.empty() ? "" : " x ") + size(extent);
    return out;
  }

  /// `The reduction by add of 1000 leaves in the order `tree` (line 3)`.
  std::string reduction(ir::NodeId id) const {
    const ir::Node& node = module_[id];
    const ir::Reduction of = module_.reduction_of(node);
    std::string out = node.op == ir::Op::scan ? "The scan" : "The reduction";
    if (!of.user) out += fmt::format(" by {}", ir::traits(of.operation).spelling);
    const std::string where = place_(module_.span(id));
    const bool varies = !module_.indices().variables(node.indices[0]).empty();
    const std::string leaves = varies ? "leaves, not as many for each result," : size(node.indices[0]) + " leaves";
    return out + fmt::format(" of {} in the order `{}`{}", leaves, ir::schedule_text(module_, of.schedule),
                             where.empty() ? "" : " (" + where + ")");
  }

  std::string joined_nodes(const KernelBody& fold) const {
    const ir::IndexId nodes = planned_.plan.buffers[*fold.nodes].extents[0];
    return fmt::format(" the {} nodes of each result that the kernel before has made are joined in the order `{}`",
                       size(nodes), ir::schedule_text(module_, fold.schedule));
  }

  std::string what(const KernelBody& body, const Kernel& kernel) const {
    const std::string points = sizes(extents_of(body.space));
    switch (body.kind) {
      case Kind::elements:
        return points.empty() ? "One value is computed." : fmt::format("{} elements are computed.", points);
      case Kind::array: return fmt::format("{} elements are written out.", sizes(kernel.items));
      case Kind::rows: {
        std::string out = fmt::format("{} rows are read once, for {} steps.", points, body.steps.size());
        for (const KernelBody& step : body.steps) {
          if (step.kind == Kind::fold) out += fmt::format(" {} is one of them.", reduction(step.node));
        }
        return out;
      }
      default: break;
    }
    std::string out = reduction(body.node);
    if (body.nodes) out += ":" + joined_nodes(body);
    return out + (points.empty() ? ", once." : fmt::format(", for {} results.", points));
  }

  std::string who(const KernelBody& body, const Kernel& kernel) const {
    if (body.placed) return body.placed->who(body, kernel);
    if (body.kind == Kind::elements || body.kind == Kind::array) return "A thread computes each.";
    if (body.kind == Kind::scan) return body.running ? "One thread does the whole scan." : "A thread does each prefix.";
    return body.nodes ? "A thread does each." : "A thread takes each list of leaves.";
  }

  std::string because(const Refusal& refusal, ir::ScheduleId order) const {
    return fmt::format(fmt::runtime(refusal.reason->text), fmt::arg("have", refusal.have),
                       fmt::arg("need", refusal.need),
                       fmt::arg("order", order.valid() ? ir::schedule_text(module_, order) : ""));
  }

  /// Adds why the other strategies do not take a reduction; equal sentences are given once.
  void add_refusals(std::string& text, const Decision& decision, ir::ScheduleId order) const {
    for (const Refusal& refusal : decision.refusals) {
      const std::string said = fmt::format(" Not {}: {}.", refusal.strategy, because(refusal, order));
      if (text.find(said) == std::string::npos) text += said;
    }
  }

  std::string launch(const KernelBody& body, const Kernel& kernel) {
    const auto shape = costs_.shape_of(kernel);
    if (!shape) return " Sizes are not known: with `-D NAME=SIZE` the launch and its limit are told, too.";
    if (shape->blocks == 0) return " Nothing is launched: there are no items.";
    std::string out =
        fmt::format(" The launch has {} of {} threads", counted(shape->blocks, "block", "blocks"), shape->threads);
    if (const auto work = body.placed ? body.placed->tensor_work(module_) : std::nullopt) return out + limit(*work);
    if (!costs_.gpu().has_latencies()) {
      return out +
             fmt::format(". What bounds it is not told: the latencies of an {} are not known here.", costs_.gpu().name);
    }
    const auto cost = costs_.cost_of(kernel, *shape);
    if (!cost) return out + ". What it costs is not told: its control depends on numbers, or is too long to follow.";
    const kernel::Occupancy room = kernel::occupancy_of(*cost, costs_.gpu());
    out += fmt::format("; by threads and shared memory, a multiprocessor has room for {} at a time, {:.0f} % of its "
                       "threads.",
                       counted(room.blocks, "block", "blocks"), 100 * room.threads);
    return out + limit(body, *cost);
  }

  std::string limit(const PlacedKernel::TensorWork& work) const {
    static constexpr std::string_view units[] = {"operations", "thousand operations", "million operations",
                                                 "billion operations", "trillion operations"};
    return fmt::format(". The tensor cores of an {} take at least {} for its {}.", costs_.gpu().name,
                       seconds(costs_.seconds(work)), scaled(costs_.operations(work), units));
  }

  std::string limit(const KernelBody& body, const kernel::Cost& cost) const {
    using kernel::Limit;
    const kernel::Bounds bounds = kernel::bounds_of(cost, costs_.gpu());
    const auto reason = [&](Limit one) {
      const std::string time = seconds(bounds.of(one));
      switch (one) {
        case Limit::memory:
          return fmt::format("{} to move {}", time, bytes(cost.memory.read + cost.memory.written));
        case Limit::shared_memory: return fmt::format("{} to move what is in shared memory", time);
        case Limit::issue: return fmt::format("{} to issue the instructions", time);
        case Limit::latency: break;
      }
      if (cost.longest.joins < 1) return fmt::format("{} from a load to the store that waits for it", time);
      return fmt::format("{} along the longest chain, of {:.0f} joins that wait for each other", time,
                         cost.longest.joins);
    };
    std::string out = fmt::format(" On an {}, with nothing in its caches, it takes at least {}: its limit is {}.",
                                  costs_.gpu().name, reason(bounds.binding), kernel::spelling(bounds.binding));
    std::string others;
    for (const Limit one : {Limit::memory, Limit::issue, Limit::latency}) {
      if (one != bounds.binding) others += (others.empty() ? "" : ", ") + reason(one);
    }
    out += fmt::format(" The others: {}.", others);
    if (!cost.complete) out += " (Estimated from some blocks and rounds.)";
    return out + advice(body, cost, bounds.binding);
  }

  /// What the user could state instead. It claims only what placement would then do.
  std::string advice(const KernelBody& body, const kernel::Cost& cost, kernel::Limit binding) const {
    std::string out;
    const kernel::Counts::Traffic& asked = cost.counts.of(kernel::Space::global);
    const double moved = cost.sectors.read + cost.sectors.written, wanted = asked.read + asked.written;
    if (binding == kernel::Limit::memory && wanted > 0 && moved > scattered * wanted) {
      out += fmt::format(" The lanes of a warp read places that are far apart: {} are moved for {} that are wanted.",
                         bytes(moved), bytes(wanted));
    }
    const auto refused = [&](auto&& is_one) { return std::ranges::any_of(body.decision.refusals, is_one); };
    const bool short_lists = refused([](const Refusal& refusal) { return refusal.reason->is_short; });
    const bool chain = refused([](const Refusal& refusal) { return refusal.reason->is_chain; });
    if (chain && !short_lists && binding == kernel::Limit::latency) {
      out += fmt::format(" The chain of {:.0f} joins is the order's: `lanes(128, tree) then tree` would be shared by "
                         "threads. That is another order, and may give other bits.",
                         cost.longest.joins);
    }
    for (const Refusal& refusal : body.decision.refusals) {
      if (refusal.reason->instead.empty()) continue;
      out += fmt::format(" {} would do it in the order `{}`, which may give other bits.", capitalised(refusal.strategy),
                         refusal.reason->instead);
    }
    return out;
  }

  ir::Module& module_;
  const Planned& planned_;
  const CompileOptions& options_;
  const PlaceText& place_;
  LaunchCosts costs_;
};

}  // namespace

std::string report(ir::Module& module, const Planned& planned, const kernel::Program& program,
                   const CompileOptions& options, const PlaceText& place) {
  return Report(module, planned, program, options, place).text();
}

}  // namespace reckon::codegen
