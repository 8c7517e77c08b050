// Pins: which level of the machine is to carry out a term of a schedule. Placement follows pins where it has a choice;
// where a term is lowered, the level that carries it out is compared with the pin.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/lower/folds.h"
#include "diagnostics/codes/not_available.h"

namespace reckon::codegen {

using ir::MachineLevel;

namespace {

const char* carrier(MachineLevel level) {
  switch (level) {
    case MachineLevel::warp: return "lanes of a warp carry it out";
    case MachineLevel::block: return "the threads of a block carry it out together";
    case MachineLevel::grid: return "the blocks of the grid carry it out together";
    default: return "one thread carries it out";
  }
}

}  // namespace

void Folds::check_pins(const FoldSite& site, ir::ScheduleId schedule, std::initializer_list<MachineLevel> by) {
  if (w_.target() != Target::ptx) return;
  for (ir::ScheduleId term : module_.schedules().terms(schedule)) {
    const MachineLevel level = module_.schedules()[term].level;
    if (level == MachineLevel::none || std::ranges::find(by, level) != by.end()) continue;
    const auto name = ir::machine_level_name(*by.begin());
    w_.fail(
        Diagnostic(code::not_available, module_.span(site.id),
                   fmt::format("`{}` is stated, and here {}", ir::schedule_text(module_, term), carrier(*by.begin())))
            .help(
                fmt::format("pin it to `@{}`, or leave the pin out: the compiler places stages itself, and it changes "
                            "no bit",
                            name)));
    return;
  }
}

}  // namespace reckon::codegen
