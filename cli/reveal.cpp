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

void print_text(const Revealed& found, const RevealCommand& options, Console& console) {
  const auto row = [&](const char* name, const std::string& text) {
    console.line(fmt::format("{:<10} {}", name, text));
  };
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
      row("arithmetic", fmt::format("{}  (the same bits on {} random inputs)", found.arithmetic, options.verify));
    if (!found.declared.empty()) row("declared", "the same order");
  }
  for (const std::string& note : found.notes) row("note", note);
  row("calls", fmt::format("{} for {} elements, and {} to check", found.probes, options.n, found.checks));
}

}  // namespace

int reveal(const RevealCommand& options, const Common& common) {
  Console console(common);
  Session session(session_options(common));
  auto box = chosen_box(options, common, session, console);
  if (!box) return console.status();
  RevealOptions reveal_options;
  reveal_options.n = options.n;
  reveal_options.format = options.elements;
  reveal_options.accumulator = options.accumulate;
  reveal_options.result = options.result;
  reveal_options.verify = options.verify;
  reveal_options.seed = static_cast<std::uint64_t>(common.seed.value_or(0));
  auto found = session.reveal(*box, reveal_options);
  if (!found) {
    console.print(found.messages());
    return console.status();
  }
  if (!found->undecided.empty()) console.raise(undecided);
  if (console.json()) console.line(to_json(*found, options.n));
  else if (!common.quiet) print_text(*found, options, console);
  else if (found->undecided.empty()) console.line(found->tree);
  else console.complain(found->undecided);
  return console.status();
}

}  // namespace reckon::cli
