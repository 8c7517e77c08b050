// Pictures of schedules and layouts.
#include "draw/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

#include "api/implementation.h"
#include "diagnostics/codes/bad_argument.h"
#include "diagnostics/codes/empty_reduction.h"
#include "diagnostics/codes/not_available.h"
#include "diagnostics/codes/too_large.h"
#include "draw/layouts.h"

namespace reckon {
namespace {

/// How many leaves are drawn; a quoted tree has its own number.
Expected<std::int64_t> leaves_of(const ir::ScheduleStore& schedules, ir::ScheduleId schedule,
                                 const DrawOptions& options, SourceSpan place) {
  const ir::ScheduleNode& node = schedules[schedule];
  if (!options.leaves && node.op == ir::ScheduleOp::quoted) return schedules.trees().leaf_count(node.tree);
  if (!options.leaves) {
    return Diagnostic(code::bad_argument, place, "for how many leaves this schedule is drawn is not said")
        .help("say so with `--n 16`");
  }
  if (*options.leaves < 1) return Diagnostic(code::empty_reduction, place, "a tree has at least one leaf");
  if (*options.leaves > draw::largest_drawn) {
    return Diagnostic(code::too_large, place, fmt::format("a tree of {} leaves is too large to draw", *options.leaves))
        .help(fmt::format("at most {} leaves are drawn", draw::largest_drawn));
  }
  return *options.leaves;
}

bool for_layouts(const DrawOptions& options) {
  return !options.as.empty() || !options.label.empty() || !options.shade.empty() || !options.tile.empty() ||
         options.alone;
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
  static constexpr std::array shades{"standard", "none",  "offset", "bank", "thread",
                                     "value",    "row", "column", "tile"};
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
  return options.svg ? draw::svg(*picture) : draw::text(*picture);
}

}  // namespace

Result<std::string> Session::Implementation::drawn(const frontend::Session::Outcome& outcome,
                                                   const DrawOptions& draw_options) {
  const auto drawn = [&]() -> Expected<std::string> {
    const frontend::ElaboratedItem& item = outcome.items.back();
    if (const auto layout = session.layout_of(*outcome.lone))
      return drawn_layout(*layout, draw_options, item.text, item.span);
    if (const auto* fixed = std::get_if<frontend::StaticResult>(&*item.value); fixed && fixed->type == "layout") {
      return Diagnostic(code::not_available, item.span, "a layout is drawn once all of its sizes are known");
    }
    auto schedule = session.schedule_of(*outcome.lone, item.span);
    if (!schedule) return schedule.error();
    if (for_layouts(draw_options)) {
      return Diagnostic(code::bad_argument, item.span,
                        "`--as`, `--label`, `--shade`, `--tile` and `--alone` are for layouts");
    }
    ir::Module& module = session.module();
    auto leaves = leaves_of(module.schedules(), *schedule, draw_options, item.span);
    if (!leaves) return leaves.error();
    const auto drawing = draw::picture_of(module, *schedule, *leaves, item.text);
    if (drawing.problem) return ir::schedule_diagnostic(module, *schedule, *drawing.problem, item.span);
    return draw_options.svg ? draw::svg(drawing.picture) : draw::text(drawing.picture);
  }();
  if (!drawn) return messages(drawn.error());
  return *drawn;
}

Result<std::string> Session::draw(const std::string& expression, const DrawOptions& options) {
  Result<std::string> out = std::string();
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const std::uint32_t file = self.sources.add("expression", expression);
    const auto outcome = self.session.add(file, "", frontend::ParseAs::expression);
    out = outcome.diagnostics.empty() ? self.drawn(outcome, options)
                                      : Result<std::string>(self.messages(outcome.diagnostics));
  });
  return out;
}

}  // namespace reckon
