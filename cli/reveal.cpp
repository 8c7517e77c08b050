#include <fmt/format.h>

#include "cli/options.h"

namespace reckon::cli {
namespace {

constexpr std::size_t shown_tree = 2000;  // characters, where the schedule is known; -q and JSON have all

std::optional<SumBox> chosen_box(const RevealCommand& options, const Common& common, Session& session,
                                 Console& console) {
  const auto usage = [&](const std::string& text) {
    console.complain(text);
    console.raise(wrong_usage);
    return std::nullopt;
  };
  const int kinds = !options.file.empty() + !options.command.empty() + !options.library.empty() + !options.ptx.empty();
  if (kinds != 1) return usage("name one box: FILE --fn NAME, --command, --library or --ptx");
  if (!options.command.empty()) return CommandBox{options.command, options.lines, options.products, options.timeout};
  if (!options.library.empty()) {
    if (options.symbol.empty() || options.signature.empty()) return usage("--library needs --symbol and --signature");
    return LibraryBox{options.library, options.symbol, options.signature, options.timeout};
  }
  if (!options.ptx.empty()) {
    if (options.kernel.empty() || options.launch.empty()) return usage("--ptx needs --kernel and --launch");
    auto text = read_program(options.ptx, console);
    if (!text) return std::nullopt;
    return KernelBox{*text, options.kernel, options.launch, options.products};
  }
  if (options.function.empty()) return usage("a program needs --fn NAME");
  auto text = read_program(options.file, console);
  if (!text) return std::nullopt;
  if (auto loaded = session.load(*text, options.file); !loaded) {
    console.print(loaded.messages());
    return std::nullopt;
  }
  CircuitBox box{options.function, {}};
  box.options.on = options.on == "gpu" ? On::gpu : options.on == "interp" ? On::interpreter : On::host;
  box.options.values = common.values;
  box.options.formats = common.formats;
  return box;
}

class Rows {
 public:
  explicit Rows(Console& console) : console_(console) {}
  void operator()(const char* name, const std::string& text) const {
    console_.line(fmt::format("{:<10} {}", name, text));
  }

 private:
  Console& console_;
};

void print_order(const Revealed& found, const Rows& row) {
  if (!found.undecided.empty()) {
    row("undecided", found.undecided);
    if (!found.tree.empty())
      row("probes see", found.tree.substr(0, shown_tree) + (found.tree.size() > shown_tree ? "..." : ""));
  } else {
    const bool known = !found.schedule.empty();
    row("order", known ? found.schedule : found.tree);
    std::string also;
    for (const std::string& name : found.names) {
      if (name != found.schedule) also += (also.empty() ? "" : ", ") + name;
    }
    if (!also.empty()) row("also", also);
    if (known && found.tree.size() <= shown_tree) row("tree", found.tree);
    if (known && found.tree.size() > shown_tree)
      row("tree", fmt::format("{} characters; -q prints it", found.tree.size()));
    if (found.multiway_nodes > 0)
      row("multiway",
          fmt::format("{} node{} of more than two terms", found.multiway_nodes, found.multiway_nodes == 1 ? "" : "s"));
    if (!found.arithmetic.empty())
      row("arithmetic", fmt::format("{}  (the same bits on {} random inputs)", found.arithmetic, found.verified));
    if (!found.scaling.text.empty()) row("scaled", found.scaling.text);
    if (!found.declared.empty()) row("declared", "the same order");
  }
  for (const std::string& note : found.notes) row("note", note);
}

void print_text(const Revealed& found, const RevealCommand& options, Console& console) {
  const Rows row(console);
  print_order(found, row);
  row("calls", fmt::format("{} for {} elements, and {} to check", found.probes, *options.n, found.checks));
}

/// `0-3, 7`, cut where it is long.
std::string numbers(const std::vector<std::int64_t>& all) {
  constexpr std::size_t most = 60;
  std::string out;
  for (std::size_t k = 0; k < all.size();) {
    std::size_t last = k;
    while (last + 1 < all.size() && all[last + 1] == all[last] + 1) ++last;
    if (out.size() > most) return out + ", ...";
    out += (out.empty() ? "" : ", ") + std::to_string(all[k]);
    if (last > k) out += "-" + std::to_string(all[last]);
    k = last + 1;
  }
  return out;
}

std::string title(const RevealedGroup& group, const RevealedOutputs& found) {
  const bool several = group.outputs.size() > 1;
  std::string out = fmt::format("{} of {}{}", group.outputs.size(), found.outputs,
                                group.outputs.size() == static_cast<std::size_t>(found.outputs)
                                    ? ""
                                    : fmt::format(" ({})", numbers(group.outputs)));
  if (group.n == 0) return out;
  out += several ? ", each over " : ", over ";
  if (!group.over.empty()) return out + group.over + (group.over_second.empty() ? "" : " and " + group.over_second);
  return out + fmt::format("{} elements of its own", group.n);
}

void print_text(const RevealedOutputs& found, Console& console) {
  const Rows row(console);
  for (const RevealedGroup& group : found.groups) {
    row("outputs", title(group, found));
    print_order(group.found, row);
  }
  row("calls", fmt::format("{} for {} outputs, and {} to check", found.probes, found.outputs, found.checks));
}

/// Prints the orders of a box of many sums.
int reveal_outputs(const SumBox& box, const RevealOptions& options, const Common& common, Session& session,
                   Console& console) {
  std::optional<OutputsBox> many;
  if (const auto* command = std::get_if<CommandBox>(&box)) many = *command;
  else if (const auto* circuit = std::get_if<CircuitBox>(&box)) many = *circuit;
  if (!many) {
    console.complain("--shape is for boxes that give many sums: a --command, or FILE --fn NAME");
    console.raise(wrong_usage);
    return console.status();
  }
  auto found = session.reveal_outputs(*many, options);
  if (!found) {
    console.print(found.messages());
    return console.status();
  }
  if (!found->decided()) console.raise(undecided);
  if (console.json()) console.line(to_json(*found, options));
  else if (!common.quiet) print_text(*found, console);
  else {
    for (const RevealedGroup& group : found->groups) {
      const std::string& why = group.found.undecided;
      if (why.empty()) console.line(numbers(group.outputs) + ": " + group.found.tree);
      else console.complain(numbers(group.outputs) + ": " + why);
    }
  }
  return console.status();
}

}  // namespace

int reveal(const RevealCommand& options, const Common& common) {
  Console console(common);
  Session session(session_options(common));
  if (options.shape.empty() != options.n.has_value()) {
    console.complain("say how many numbers are added, --n N; or the shape of an array, --shape SIZES");
    console.raise(wrong_usage);
    return console.status();
  }
  auto box = chosen_box(options, common, session, console);
  if (!box) return console.status();
  RevealOptions reveal_options;
  reveal_options.n = options.n.value_or(0);
  reveal_options.format = options.elements;
  reveal_options.accumulator = options.accumulate;
  reveal_options.result = options.result;
  reveal_options.verify = options.verify;
  reveal_options.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  reveal_options.shape = options.shape;
  reveal_options.second_shape = options.second_shape;
  if (!options.shape.empty()) return reveal_outputs(*box, reveal_options, common, session, console);
  auto found = session.reveal(*box, reveal_options);
  if (!found) {
    console.print(found.messages());
    return console.status();
  }
  if (!found->undecided.empty()) console.raise(undecided);
  if (console.json()) console.line(to_json(*found, *options.n));
  else if (!common.quiet) print_text(*found, options, console);
  else if (found->undecided.empty()) console.line(found->tree);
  else console.complain(found->undecided);
  return console.status();
}

}  // namespace reckon::cli
