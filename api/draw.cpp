// Pictures of schedules.
#include "draw/picture.h"

#include <fmt/format.h>

#include "api/implementation.h"

namespace reckon {
namespace {

/// How many leaves are drawn; trees say it themselves.
Expected<std::int64_t> leaves_of(const ir::ScheduleStore& schedules, ir::ScheduleId schedule,
                                 const DrawOptions& options, SourceSpan place) {
  const ir::ScheduleNode& node = schedules[schedule];
  if (!options.leaves && node.op == ir::ScheduleOp::quoted) return schedules.trees().leaf_count(node.tree);
  if (!options.leaves) {
    return Diagnostic(Code::bad_argument, place, "for how many leaves this schedule is drawn is not said")
        .help("say so with `--n 16`");
  }
  if (*options.leaves < 1) return Diagnostic(Code::empty_reduction, place, "a tree has at least one leaf");
  if (*options.leaves > draw::largest_drawn) {
    return Diagnostic(Code::too_large, place, fmt::format("a tree of {} leaves is too large to draw", *options.leaves))
        .help(fmt::format("at most {} leaves are drawn", draw::largest_drawn));
  }
  return *options.leaves;
}

}  // namespace

Result<std::string> Session::draw(const std::string& expression, const DrawOptions& options) {
  Result<std::string> out = std::string();
  with_large_stack([&] {
    Implementation& self = *implementation_;
    const auto drawn = [&]() -> Expected<std::string> {
      const std::uint32_t file = self.sources.add("expression", expression);
      auto outcome = self.session.add(file, "", frontend::ParseAs::expression);
      if (!outcome.diagnostics.empty()) {
        out = self.messages(outcome.diagnostics);
        return std::string();
      }
      const frontend::ElaboratedItem& item = outcome.items.back();
      const auto* fixed = std::get_if<frontend::StaticResult>(&*item.value);
      if (fixed && fixed->type == "layout") {
        return Diagnostic(Code::not_available, item.span, "layouts are not drawn in this version")
            .help("schedules and trees are: `reckon draw tree --n 16`");
      }
      auto schedule = self.session.last_schedule(item.span);
      if (!schedule) return schedule.error();
      ir::Module& module = self.session.module();
      auto leaves = leaves_of(module.schedules(), *schedule, options, item.span);
      if (!leaves) return leaves.error();
      const auto drawing = draw::picture_of(module, *schedule, *leaves, item.text);
      if (drawing.problem) return ir::schedule_diagnostic(module, *schedule, *drawing.problem, item.span);
      return options.svg ? draw::svg(drawing.picture) : draw::text(drawing.picture);
    }();
    if (!drawn) out = self.messages(drawn.error());
    else if (out) out = *drawn;
  });
  return out;
}

}  // namespace reckon
