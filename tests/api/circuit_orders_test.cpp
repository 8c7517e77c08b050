// Schedules and layouts as C++ values: their laws, and what a session says of them.
#include <catch2/catch.hpp>

#include "api/reckon/circuit.h"

using namespace reckon;
using namespace reckon::circuit;

namespace {

std::string shown_text(Session& session, const Expression& expression) {
  const auto shown = session.show(expression);
  if (!shown) FAIL(shown.messages().front().text);
  return shown->front().text;
}

std::string evaluated(Session& session, const std::string& text) {
  const auto shown = session.evaluate(text);
  if (!shown) FAIL(shown.messages().front().text);
  return shown->front().text;
}

}  // namespace

TEST_CASE("schedules in C++ are those of the text") {
  Session session;
  REQUIRE(session.use_library().empty());
  const std::vector<std::pair<Schedule, std::string>> pairs{
      {seq, "seq"},
      {lanes(4, tree).then(tree), "lanes(4, tree) then tree"},
      {tile(2, seq).then(lanes(3, tree)).then(halving), "tile(2, seq) then lanes(3, tree) then halving"},
      {split(3, blelloch, seq), "split(3, blelloch, seq)"},
      {quoted({{0, 1}, {2, {3, {4, 5}}}}), "'((0 1) (2 (3 (4 5))))"},
      {arrange(layout::make(layout::shape(2, layout::open), layout::shape(1, 2)), seq).then(tree),
       "arrange((2, _):(1, 2), seq) then tree"},
      {schedule("numpy"), "numpy"},
      {schedule("canonical", {8}), "canonical(8)"}};
  for (const auto& [cpp, text] : pairs) {
    INFO(text);
    CHECK(*session.text(cpp) == text);
    CHECK(shown_text(session, cpp) == evaluated(session, text));
    CHECK(shown_text(session, parens(cpp, 6)) == *session.tree_of_schedule(text, 6));
    CHECK(session.check(holds(same(cpp, cpp, 6)))->verdict == "holds");
    for (const auto form : {PictureForm::text, PictureForm::svg, PictureForm::pdf}) {
      const auto drawn = session.draw(cpp, {.leaves = 6, .form = form});
      REQUIRE(drawn);
      CHECK(*drawn == *session.draw(text, {.leaves = 6, .form = form}));
    }
  }
  // A stage may be composed in either order.
  CHECK(shown_text(session, parens(tile(2, seq).then(lanes(2, seq)).then(tree), 9)) ==
        shown_text(session, parens(tile(2, seq).then(lanes(2, seq).then(tree)), 9)));
  CHECK(session.define("mine", lanes(2, seq).then(tree)).empty());
  CHECK(shown_text(session, parens(schedule("mine"), 5)) == evaluated(session, "parens(lanes(2, seq) then tree, 5)"));
}

TEST_CASE("layouts in C++ are those of the text, and obey their laws") {
  Session session;
  const auto a = layout::make(layout::shape(4, 2), layout::shape(1, 4)), b = layout::make(8, 1);
  CHECK(shown_text(session, a) == evaluated(session, "(4, 2):(1, 4)"));
  CHECK(session.check(holds(layout::equal(a, b)))->verdict == "holds");
  CHECK(session.check(holds(layout::identical(a, b)))->verdict == "fails");
  CHECK(shown_text(session, a(1, 1)) == "5");
  CHECK(shown_text(session, a(layout::shape(3, 1))) == "7");
  CHECK(shown_text(session, layout::compose(layout::make(layout::shape(6, 2), layout::shape(8, 2)),
                                            layout::make(layout::shape(4, 3), layout::shape(3, 1)))) ==
        evaluated(session, "compose((6, 2):(8, 2), (4, 3):(3, 1))"));
  CHECK(shown_text(session, layout::complement(layout::make(4, 2), 24)) == evaluated(session, "complement(4:2, 24)"));
  CHECK(shown_text(session, layout::logical_divide(24, 4)) == evaluated(session, "logical_divide(24, 4)"));
  CHECK(shown_text(session, layout::logical_product(layout::make(4, 1), 3)) ==
        evaluated(session, "logical_product(4:1, 3)"));
  // The composition of a permutation and its inverse is the identity.
  const auto p = layout::make(layout::shape(4, 8), layout::shape(8, 1));
  CHECK(session.check(holds(layout::equal(layout::compose(p, layout::right_inverse(p)), 32)))->verdict == "holds");
  // A layout and its complement reach every offset once.
  const auto whole = layout::concat(layout::make(4, 2), layout::complement(layout::make(4, 2), 24));
  CHECK(shown_text(session, layout::size(whole)) == "24");
  CHECK(shown_text(session, layout::injective(whole)) == "true");
  CHECK(*session.draw(p) == *session.draw("(4, 8):(8, 1)"));
  CHECK(*session.text(p) == "(4, 8):(8, 1)");
  const auto wrong = session.show(layout::complement(layout::make(4, 2), 3, 5, 7));
  REQUIRE_FALSE(wrong);
  CHECK(wrong.messages()[0].code == "E0303");
  CHECK(wrong.messages()[0].line == __LINE__ - 3);
}
