// Pictures of schedules and layouts.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <tuple>

#include "api/implementation.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/too_large.h"
#include "draw/layouts.h"
#include "draw/picture.h"
#include "ir/op.h"
#include "ir/passes/passes.h"
#include "ir/visit.h"

namespace reckon {
namespace {

/// `what` is the schedule or the reduction at the place, whose length nothing says.
Diagnostic no_leaves(SourceSpan place, const std::string& what) {
  return Diagnostic(code::bad_argument, place, fmt::format("for how many leaves this {} is drawn is not said", what));
}

std::optional<Diagnostic> leaves_problem(std::int64_t leaves, SourceSpan place) {
  if (leaves < 1) return Diagnostic(code::empty_reduction, place, "a tree has at least one leaf");
  if (leaves <= draw::largest_drawn) return std::nullopt;
  return Diagnostic(code::too_large, place, fmt::format("a tree of {} leaves is too large to draw", leaves))
      .help(fmt::format("at most {} leaves are drawn", draw::largest_drawn));
}

/// How many leaves are drawn; a quoted tree has its own number.
Expected<std::int64_t> leaves_of(const ir::ScheduleStore& schedules, ir::ScheduleId schedule,
                                 const DrawOptions& options, SourceSpan place) {
  const ir::ScheduleNode& node = schedules[schedule];
  if (!options.leaves && node.op == ir::ScheduleOp::quoted) return schedules.trees().leaf_count(node.tree);
  if (!options.leaves) {
    return no_leaves(place, "schedule").help("say so with `--n 16`");
  }
  if (auto problem = leaves_problem(*options.leaves, place)) return *problem;
  return *options.leaves;
}

std::string written(const draw::Sheet& sheet, PictureForm form) {
  return form == PictureForm::svg ? draw::svg(sheet) : draw::pdf(sheet);
}

std::optional<Diagnostic> meant_for_layouts(const DrawOptions& options, SourceSpan place) {
  if (options.as.empty() && options.label.empty() && options.shade.empty() && options.tile.empty() && !options.alone) {
    return std::nullopt;
  }
  return Diagnostic(code::bad_argument, place, "`--as`, `--label`, `--shade`, `--tile` and `--alone` are for layouts");
}

/// A reduction of a circuit.
struct Reduced {
  SourceSpan place;
  ir::Op operation{};
  std::string name;  ///< `sum i`
  ir::ScheduleId schedule;
  ir::IndexId extent;
  int times = 1;  ///< so often it stands there alike, after calls became what they call
  std::int64_t leaves = 0;
};

/// The text before a reduction's body, or its operation.
std::string name_of(const SourceMap& sources, const ir::Node& node, const ir::Reduction& reduction, SourceSpan place) {
  if (place.known()) {
    const std::string_view text = sources.text(place), head = text.substr(0, text.find(':'));
    if (head.size() < text.size() && head.size() <= 60 && head.find('\n') == std::string_view::npos) {
      return std::string(head.substr(0, head.find_last_not_of(' ') + 1));
    }
  }
  const std::string_view kind = ir::traits(node.op).spelling;
  if (reduction.user) return std::string(kind);
  return fmt::format("{} {}", kind, ir::traits(reduction.operation).spelling);
}

/// The reductions of a function in the order of the text, those alike once.
std::vector<Reduced> reductions_of(const ir::Module& module, const ir::Function& function, const SourceMap& sources) {
  std::vector<Reduced> out;
  ir::visit_nodes(module, {function.body}, [&](ir::NodeId id) {
    const ir::Node& node = module[id];
    if (node.op != ir::Op::reduce && node.op != ir::Op::scan) return;
    const ir::Reduction& reduction = module.reduction_of(node);
    const SourceSpan place = module.span(id, function.places);
    const auto alike = std::find_if(out.begin(), out.end(), [&](const Reduced& each) {
      return each.place == place && each.schedule == reduction.schedule && each.extent == node.indices[0];
    });
    if (alike != out.end()) {
      ++alike->times;
    } else {
      out.push_back({place, node.op, name_of(sources, node, reduction, place), reduction.schedule, node.indices[0]});
    }
  });
  std::stable_sort(out.begin(), out.end(), [](const Reduced& a, const Reduced& b) {
    return std::tie(a.place.file, a.place.begin) < std::tie(b.place.file, b.place.begin);
  });
  return out;
}

template <class Enum, std::size_t n>
Expected<Enum> chosen(const char* option, const std::string& word, const std::array<const char*, n>& words,
                      SourceSpan place) {
  if (word.empty()) return Enum{};
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<Enum>(found - words.begin());
  return Diagnostic(code::bad_argument, place, fmt::format("`--{} {}` is not known", option, word))
      .help(fmt::format("one of {}", fmt::join(words, ", ")));
}

Expected<draw::LayoutOptions> layout_options(const DrawOptions& options, SourceSpan place) {
  using draw::LayoutOptions;
  static constexpr std::array as{"grid", "tv", "banks", "bits"};
  static constexpr std::array labels{"standard", "offset", "index", "coordinate", "bank", "thread", "value"};
  static constexpr std::array shades{"standard", "none",  "offset", "bank",   "thread",
                                     "warp",     "value", "row",    "column", "tile"};
  LayoutOptions out;
  std::string shade = options.shade;
  if (shade.starts_with("offset:")) {
    const char *first = shade.data() + 7, *last = shade.data() + shade.size();
    const auto [end, error] = std::from_chars(first, last, out.modulus);
    if (error != std::errc() || end != last || out.modulus < 1) {
      return Diagnostic(code::bad_argument, place,
                        fmt::format("`--shade {}`: the modulus is a positive integer", shade));
    }
    shade = "offset";
  }
  auto way = chosen<LayoutOptions::As>("as", options.as, as, place);
  if (!way) return way.error();
  auto label = chosen<LayoutOptions::Label>("label", options.label, labels, place);
  if (!label) return label.error();
  auto shaded = chosen<LayoutOptions::Shade>("shade", shade, shades, place);
  if (!shaded) return shaded.error();
  out.as = *way;
  out.label = *label;
  out.shade = *shaded;
  for (const std::int64_t size : options.tile) {
    if (size >= 1 && size <= draw::largest_enumerated && out.tile.size() < 2) {
      out.tile.push_back(size);
      continue;
    }
    return Diagnostic(code::bad_argument, place, "a tile has one or two sizes, which are positive")
        .help(fmt::format("`--tile 16,8`; at most {} each", draw::largest_enumerated));
  }
  if (std::set<std::int64_t>{1, 2, 4, 8, 16}.count(options.element_bytes) == 0) {
    return Diagnostic(code::bad_argument, place,
                      fmt::format("elements of {} bytes are not known", options.element_bytes))
        .help("1, 2, 4, 8 or 16");
  }
  out.element_bytes = options.element_bytes;
  out.alone = options.alone;
  out.caption = options.caption;
  return out;
}

Expected<std::string> drawn_layout(const layout::Expression& expression, const DrawOptions& options,
                                   const std::string& title, SourceSpan place) {
  if (options.leaves) {
    return Diagnostic(code::bad_argument, place, "a layout has no leaves: `--n` is for schedules");
  }
  const auto chosen_options = layout_options(options, place);
  if (!chosen_options) return chosen_options.error();
  const auto picture = draw::picture_of(expression, *chosen_options, title);
  if (!picture) {
    const bool large = picture.problem().kind == layout::Problem::Kind::too_large;
    Diagnostic out(large ? code::too_large : code::bad_argument, place, picture.problem().message);
    if (!picture.problem().hint.empty()) out.helps.push_back(picture.problem().hint);
    return out;
  }
  if (options.form == PictureForm::text) return draw::text(*picture);
  return written(draw::sheet_of(*picture), options.form);
}

/// The pictures one under the other.
std::string drawn_trees(const std::vector<draw::Picture>& pictures, PictureForm form, const std::string& title) {
  if (form == PictureForm::text) {
    std::string out;
    for (const draw::Picture& picture : pictures) out += (out.empty() ? "" : "\n") + draw::text(picture);
    return out;
  }
  if (pictures.size() == 1) return written(draw::sheet_of(pictures[0]), form);
  draw::Sheet all(draw::Style::In::trees, title, fmt::format("{} reductions", pictures.size()));
  for (const draw::Picture& picture : pictures) {
    const draw::Sheet sheet = draw::sheet_of(picture);
    const double down = all.height();
    all.add(sheet, down);
    all.resize(std::max(all.width(), sheet.width()), down + sheet.height());
  }
  return written(all, form);
}

}  // namespace

Result<std::string> Session::Implementation::drawn(const frontend::Session::Outcome& outcome,
                                                   const DrawOptions& draw_options) {
  const auto drawn = [&]() -> Expected<std::string> {
    const frontend::ElaboratedItem& item = outcome.items.back();
    if (const auto layout = session.layout_of(*outcome.lone))
      return drawn_layout(*layout, draw_options, item.text, item.span);
    if (const auto* fixed = std::get_if<frontend::StaticResult>(&*item.value); fixed && fixed->type == "layout") {
      return Diagnostic(code::not_available, item.span, "a layout is drawn once all of its sizes are known")
          .help("write numbers for the sizes: `(4, 8):(8, 1)` in the place of `(4, m):(m, 1)`");
    }
    auto schedule = session.schedule_of(*outcome.lone, item.span);
    if (!schedule) return schedule.error();
    if (auto problem = meant_for_layouts(draw_options, item.span)) return *problem;
    ir::Module& module = session.module();
    auto leaves = leaves_of(module.schedules(), *schedule, draw_options, item.span);
    if (!leaves) return leaves.error();
    auto drawing = draw::picture_of(module, *schedule, *leaves, item.text);
    if (drawing.problem) return ir::schedule_diagnostic(module, *schedule, *drawing.problem, item.span);
    drawing.picture.caption = draw_options.caption;
    return drawn_trees({std::move(drawing.picture)}, draw_options.form, item.text);
  }();
  if (!drawn) return messages(drawn.error());
  return *drawn;
}

Expected<std::string> Session::Implementation::drawn_circuit(const std::string& circuit,
                                                             const DrawOptions& draw_options) {
  ir::Module& module = session.module();
  const auto chosen = choose(circuit, draw_options.values, draw_options.formats, false);
  if (!chosen) return chosen.error();
  const SourceSpan place = chosen->function.span;
  if (auto problem = meant_for_layouts(draw_options, place)) return *problem;
  if (chosen->dimensions.size() == chosen->function.dimensions.size()) {
    if (auto problem = ir::size_problem(module, chosen->function, chosen->dimensions)) return *problem;
  }
  const ir::Function function = ir::instantiate(module, ir::inline_calls(module, chosen->function), chosen->dimensions);
  std::vector<Reduced> reductions = reductions_of(module, function, sources);
  if (reductions.empty()) {
    return Diagnostic(code::bad_argument, place,
                      fmt::format("`{}` has no reduction whose order could be drawn", circuit))
        .help("`sum`, `prod`, `min`, `max`, `reduce` and `scan` have orders");
  }
  bool open = false;
  for (Reduced& each : reductions) {
    const auto extent = module.indices().as_constant(each.extent);
    open = open || !extent;
    if (!extent && !draw_options.leaves) {
      const std::string length = ir::index_text(module, each.extent);
      Diagnostic problem = no_leaves(each.place, "reduction");
      // A length that depends on an index of a loop has no text of its own.
      const bool named = length.find('%') == std::string::npos;
      problem.helps.push_back(named ? fmt::format("it has `{}`: say so with `--n 16`", length)
                                    : "say so with `--n 16`");
      for (const ir::SymbolId symbol : function.dimensions) {
        const std::string_view name = module.name(symbol);
        if (length == name) problem.helps.push_back(fmt::format("or give `{0}` a value: `-D {0}=16`", name));
      }
      return problem;
    }
    each.leaves = extent ? *extent : *draw_options.leaves;
    if (auto problem = leaves_problem(each.leaves, each.place)) return *problem;
  }
  if (draw_options.leaves && !open) {
    return Diagnostic(code::bad_argument, place,
                      fmt::format("the lengths of the reductions of `{}` are known: `--n {}` says nothing", circuit,
                                  *draw_options.leaves))
        .help("leave it out");
  }
  std::vector<draw::Picture> pictures;
  std::optional<Diagnostic> first_problem;
  for (const Reduced& each : reductions) {
    const LineColumn at = each.place.known() ? sources.locate(each.place.file, each.place.begin) : LineColumn{};
    std::string title = each.name;
    if (each.place.known()) {
      title += programs.contains(each.place.file) ? fmt::format(" at line {}", at.line)
                                                  : fmt::format(" at {}:{}", sources.name(each.place.file), at.line);
    }
    if (each.operation == ir::Op::scan) title += ", the last element";
    if (each.times > 1) title += fmt::format(", {} times", each.times);
    title += ": " + ir::schedule_text(module, each.schedule);
    auto drawing = draw::picture_of(module, each.schedule, each.leaves, title);
    if (drawing.problem) {
      const Diagnostic problem = ir::schedule_diagnostic(module, each.schedule, *drawing.problem, each.place);
      if (!first_problem) first_problem = problem;
      drawing.picture.title = title;
      drawing.picture.summary = "not drawn: " + problem.message;
    }
    drawing.picture.caption = draw_options.caption;
    pictures.push_back(std::move(drawing.picture));
  }
  const auto is_drawn = [](const draw::Picture& picture) { return !picture.sections.empty(); };
  if (first_problem && std::none_of(pictures.begin(), pictures.end(), is_drawn)) return *first_problem;
  return drawn_trees(pictures, draw_options.form, circuit);
}

std::optional<PictureForm> picture_form_named(std::string_view name) {
  static constexpr std::pair<std::string_view, PictureForm> names[] = {
      {"text", PictureForm::text}, {"svg", PictureForm::svg}, {"pdf", PictureForm::pdf}};
  for (const auto& [known, form] : names) {
    if (known == name) return form;
  }
  return std::nullopt;
}

Result<std::string> Session::draw(const std::string& expression, const DrawOptions& options) {
  Result<std::string> out = std::string();
  with_large_stack([&] {
    Implementation& self = *implementation_;
    if (options.circuit) {
      auto picture = self.drawn_circuit(expression, options);
      out = picture ? Result<std::string>(std::move(*picture)) : self.messages(picture.error());
      return;
    }
    const std::uint32_t file = self.sources.add("expression", expression);
    const auto outcome = self.session.add(file, "", frontend::ParseAs::expression);
    out = outcome.diagnostics.empty() ? self.drawn(outcome, options)
                                      : Result<std::string>(self.messages(outcome.diagnostics));
  });
  return out;
}

}  // namespace reckon
