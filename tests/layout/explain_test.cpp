// Explanations, word for word: each worked by hand from the rules of docs/layouts.md.
#include <catch2/catch.hpp>

#include "layout/explain.h"
#include "tests/layout/layouts.h"

using namespace reckon::layout;
using namespace reckon::layout_tests;

TEST_CASE("explain coalesce: the rewrites") {
  CHECK(explain_coalesce(layout_from("((2,1),(2,4)):((1,7),(2,4))")) ==
        "coalesce ((2,1),(2,4)):((1,7),(2,4))\n"
        "  flat       (2,1,2,4):(1,7,2,4)\n"
        "  right unit (2,1):(1,7) is 2:1: (2,2,4):(1,2,4)\n"
        "  packed     (2,2):(1,2) is 4:1, as 2 = 2*1: (4,4):(1,4)\n"
        "  packed     (4,4):(1,4) is 16:1, as 4 = 4*1: 16:1\n"
        "  = 16:1\n");
  CHECK(explain_coalesce(layout_from("(1,2,2):(9,2,1)")) ==
        "coalesce (1,2,2):(9,2,1)\n"
        "  left unit  (1,2):(9,2) is 2:2: (2,2):(2,1)\n"
        "  = (2,2):(2,1)\n");
  CHECK(explain_coalesce(layout_from("1:7")) == "coalesce 1:7\n  one element has stride 0\n  = 1:0\n");
}

TEST_CASE("explain compose: the digits") {
  CHECK(
      explain_compose(layout_from("(4,6,8,10):(2,3,5,7)"), layout_from("6:12")) ==
      "compose (4,6,8,10):(2,3,5,7) after 6:12\n"
      "  digits of the first: 4:2, 6:3, 8:5, 10:7\n"
      "  mode 6:12 of the second\n"
      "    digit 0 (radix 4): 6 elements 12 apart; 12 is a multiple of 4: on, 3 apart\n"
      "    digit 1 (radix 6): 6 elements 3 apart; 2 of them fill it: gives 2:3*3 = 2:9; on with the other 3, 1 apart\n"
      "    digit 2 (radix 8): 3 elements 1 apart reach 2 < 8: gives 3:1*5 = 3:5\n"
      "  digit 0 (radix 4): all modes together reach 0 < 4: no carry\n"
      "  digit 1 (radix 6): all modes together reach 3 < 6: no carry\n"
      "  digit 2 (radix 8): all modes together reach 2 < 8: no carry\n"
      "  = (2,3):(9,5)\n");
  CHECK(explain_compose(layout_from("(6,2):(1,100)"), layout_from("(2,3):(3,2)")) ==
        "compose (6,2):(1,100) after (2,3):(3,2)\n"
        "  digits of the first: 6:1, 2:100\n"
        "  mode 2:3 of the second\n"
        "    digit 0 (radix 6): 2 elements 3 apart reach 3 < 6: gives 2:3*1 = 2:3\n"
        "  mode 3:2 of the second\n"
        "    digit 0 (radix 6): 3 elements 2 apart reach 4 < 6: gives 3:2*1 = 3:2\n"
        "  digit 0 (radix 6): all modes together reach 7 >= 6: carries\n"
        "  no layout: at index 5, coordinate (1,2), it is 101, which none with this shape has that begins so\n"
        "  composed: (6,2):(1,100) o (2,3):(3,2)\n");
  // A step of several digits: 6 is 2 and one 4.
  CHECK(
      explain_compose(layout_from("(4,8):(1,10)"), layout_from("2:6")) ==
      "compose (4,8):(1,10) after 2:6\n"
      "  digits of the first: 4:1, 8:10\n"
      "  mode 2:6 of the second\n"
      "    digit 0 (radix 4): 2 elements 6 apart, which is (2,1) from this digit on; all without a carry: gives 2:12\n"
      "  digit 0 (radix 4): all modes together reach 2 < 4: no carry\n"
      "  = 2:12\n");
  CHECK(explain_compose(layout_from("(2,2):(1,10)"), layout_from("(1,4,2):(5,0,1)")) ==
        "compose (2,2):(1,10) after (1,4,2):(5,0,1)\n"
        "  digits of the first: 2:1, 2:10\n"
        "  mode 1:5 of the second\n"
        "    one element: gives 1:0\n"
        "  mode 4:0 of the second\n"
        "    stride 0: gives 4:0\n"
        "  mode 2:1 of the second\n"
        "    digit 0 (radix 2): 2 elements 1 apart reach 1 < 2: gives 2:1*1 = 2:1\n"
        "  digit 0 (radix 2): all modes together reach 1 < 2: no carry\n"
        "  = (1,4,2):(0,0,1)\n");
}

TEST_CASE("explain complement: the room between the modes") {
  CHECK(explain_complement(layout_from("(2,2):(1,6)"), 24) ==
        "complement of (2,2):(1,6) in 24\n"
        "  mode 2:1: starts at 1, where those below it end: no room; ends at 2\n"
        "  mode 2:6: room from 2 to 6: 3:2; ends at 12\n"
        "  the rest, to 24, from 12 on\n"
        "  = (3,2):(2,12)\n");
  CHECK(explain_complement(layout_from("(2,2):(1,3)"), 24) ==
        "complement of (2,2):(1,3) in 24\n"
        "  mode 2:1: starts at 1, where those below it end: no room; ends at 2\n"
        "  mode 2:3: 3 is not a multiple of 2\n"
        "  refused: complement of `(2,2):(1,3)`: the stride 3 of the mode `2:3` is not a multiple of 2, where `2:1` "
        "below it ends, so that no layout fills the gap between them (in order of strides: `2:1, 2:3`)\n");
}
