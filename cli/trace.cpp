#include <fmt/format.h>

#include "api/reckon/trace.h"
#include "cli/ptx_launch.h"
#include "cli/trace_against.h"
#include "cli/trace_sizes.h"

namespace reckon::cli {
namespace {

constexpr std::size_t shown_groups = 16, shown_orders = 8, shown_order = 200;

/// `0-3, 7`, cut where it is long.
std::string ranges(const std::vector<std::int64_t>& all) {
  std::string out;
  for (std::size_t k = 0; k < all.size();) {
    std::size_t last = k;
    while (last + 1 < all.size() && all[last + 1] == all[last] + 1) ++last;
    if (out.size() > 60) return out + ", ...";
    out += (out.empty() ? "" : ", ") + std::to_string(all[k]);
    if (last > k) out += "-" + std::to_string(all[last]);
    k = last + 1;
  }
  return out;
}

std::string order_text(const TracedFold& fold) {
  std::string order = !fold.schedule.empty()           ? fold.schedule
                      : fold.tree.size() > shown_order ? fold.tree.substr(0, shown_order) + "..."
                                                       : fold.tree;
  if (fold.extreme) return fmt::format("{} terms: an extreme, in no order", fold.terms);
  return fmt::format("{} terms, {}: {}", fold.terms, fold.arithmetic, order);
}

std::string bits_text(const TracedBits& bits) {
  if (!bits.problem.empty()) return "not compared: " + bits.problem;
  std::string out = fmt::format("equal after {} of {} launches", bits.equal, bits.compared);
  if (bits.equal == bits.compared) return out;
  return out + (bits.ulps == ~std::uint64_t{0} ? ", with NaNs on one side"
                                               : fmt::format(", {} ulps apart at most", bits.ulps));
}

void print_text(const TracedOutput& output, Console& console) {
  const auto row = [&](const char* name, const std::string& text) {
    console.line(fmt::format("{:<10} {}", name, text));
  };
  row("argument", std::to_string(output.argument));
  for (std::size_t k = 0; k < output.groups.size(); ++k) {
    if (k == shown_groups) {
      row("elements", fmt::format("and {} more ways", output.groups.size() - k));
      break;
    }
    const TracedGroup& group = output.groups[k];
    row("elements", fmt::format("{} ({})", group.elements.size(), ranges(group.elements)));
    for (std::size_t f = 0; f < std::min(group.folds.size(), shown_orders); ++f)
      row("order", order_text(group.folds[f]));
    if (group.folds.size() > shown_orders) row("order", fmt::format("and {} more", group.folds.size() - shown_orders));
    if (!group.exact) row("note", "some instructions flush subnormals, are approximate, or round in their own way");
  }
  if (!output.circuit.empty()) {
    row("circuit", output.regular ? output.circuit.substr(0, output.circuit.size() - 1)
                                  : fmt::format("written out, operation by operation: {}", output.irregular));
    row("bits", bits_text(output.bits));
  }
  if (!output.problem.empty()) row("circuit", "none: " + output.problem);
  if (output.other.compared > 0 || !output.other.problem.empty()) row("other", bits_text(output.other));
}

/// Whether the circuits are rewrites of the other one. A comparison that cannot be made is no success: the row `other`
/// says why.
void check_against(const PtxTrace& found, const TraceOptions& how, const Common& common, Console& console) {
  Session session(session_options(common));
  if (const auto loaded = session.load(how.against, how.against_path); !loaded) return;  // was said
  if (const auto loaded = session.load(found.program(), "trace"); !loaded) return console.print(loaded.messages());
  for (const TracedOutput& output : found.outputs) {
    if (!output.other.problem.empty()) console.raise(wrong_usage);
    if (output.circuit.empty() || !output.other.problem.empty()) continue;
    session.run(fmt::format("check {} == {} in algebra", output.name, how.against_circuit), "check",
                [&](const Event& event) { console.print(event); });
  }
  console.finish();
}

/// The other kernel, on the same arguments.
void against_kernel(const std::string& text, const TraceCommand& options, const PtxLaunch& first, const PtxTrace& found,
                    const Common& common, Console& console) {
  PtxLaunch launch = first;
  launch.kernel = options.function;
  for (const auto& [given, flag, extents] : {std::tuple{&options.other_grid, "--other-grid", &launch.grid},
                                             std::tuple{&options.other_block, "--other-block", &launch.block}}) {
    if (given->empty()) continue;
    const auto read = ptx_extents(*given, flag, console);
    if (!read) return;
    *extents = *read;
  }
  TraceOptions how;
  how.verify = options.verify;
  how.name = "other_" + options.function;
  const PtxTrace other = trace_ptx(text, options.against, launch, how);
  console.print(other.run.messages);
  if (console.status() == good) compare_kernels(found, other, launch, common, console);
}

}  // namespace

int trace(const TraceCommand& options, const Common& common) {
  Console console(common);
  const auto text = read_program(options.launch.file, console);
  if (!text) return console.status();
  if (!options.sizes.empty()) {
    if (options.against.empty()) return trace_sizes(*text, options, common, console);
    console.complain("--sizes and --against do not go together");
    return wrong_usage;
  }
  SessionOptions session_options;
  Session session(session_options);
  const auto launch = ptx_launch(options.launch, common, session, console);
  if (!launch) return console.status();
  TraceOptions how;
  how.verify = options.verify;
  how.name = options.name;
  how.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  if (options.against.empty() != options.function.empty()) {
    console.complain("--against FILE and --fn NAME go together");
    return wrong_usage;
  }
  const bool is_kernel = options.against.ends_with(".ptx");
  std::optional<std::string> other;
  if (!options.against.empty()) {
    other = read_program(options.against, console);
    if (!other) return console.status();
    if (!is_kernel) {
      how.against = *other;
      how.against_path = options.against;
      how.against_circuit = options.function;
    }
  }
  const PtxTrace found = trace_ptx(*text, options.launch.file, *launch, how);
  console.print(found.run.messages);
  if (console.status() != good) return console.status();  // what such a launch gives is of no circuit
  if (common.quiet) {
    if (const std::string program = found.program(); !program.empty())
      console.line(program.substr(0, program.size() - 1));
  } else {
    for (const TracedOutput& output : found.outputs) {
      if (console.json()) console.line(to_json(output));
      else print_text(output, console);
    }
  }
  if (!how.against.empty()) check_against(found, how, common, console);
  if (is_kernel) against_kernel(*other, options, *launch, found, common, console);
  if (!options.output.empty()) {
    if (const std::string problem = Session::write_file(options.output, found.program()); !problem.empty()) {
      console.complain(problem);
      console.raise(wrong_usage);
    }
  }
  return console.status();
}

}  // namespace reckon::cli
