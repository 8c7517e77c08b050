// docs/schedules.md says of each form of schedules what its row says.
#include <catch2/catch.hpp>

#include "ir/schedule/schedule.h"
#include "tests/support/files.h"

using namespace reckon;
using namespace reckon::test;

TEST_CASE("the tables of docs/schedules.md have the rows of the table of forms") {
  const std::string page = read_file(source_folder() / "docs/schedules.md");
  for (const ir::Form& form : ir::Forms::standard().all()) {
    INFO(form.name);
    CHECK(form.written.substr(0, form.written.find('(')) == form.name);
    CHECK((form.written.find('(') == std::string_view::npos) == (form.takes == ir::FormTakes::nothing));
    const std::string row = "\n| `" + std::string(form.written) + "` | " + std::string(form.help) + " |\n";
    CHECK(page.find(row) != std::string::npos);
  }
}

TEST_CASE("the rounds of a form deal every node out once, to few enough groups") {
  for (const ir::Form& form : ir::Forms::standard().all()) {
    if (form.op != ir::ScheduleOp::rounds) continue;
    for (std::int64_t m = 2; m < 2000; ++m) {
      INFO(form.name << " of " << m);
      CHECK(ir::round_groups(form.rounds, m).has_value());
    }
  }
}
