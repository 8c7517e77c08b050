// The numbers of a result, which are put into words where they are asked for.
#include <catch2/catch.hpp>

#include "api/reckon/reckon.h"

using namespace reckon;

TEST_CASE("numbers outlive the session that they are of") {
  struct Expected {
    const char* semantics;
    On on;
    const char* second;  ///< 2 / 3
  };
  const std::vector<double> x{1, 2, 3};
  for (const Expected& expected :
       {Expected{"exact", On::interpreter, "2/3"}, Expected{"float", On::interpreter, "0.6666666666666666"},
        Expected{"float", On::host, "0.6666666666666666"},
        Expected{"interval", On::host, "[0.6666666666666666, 0.6666666666666667]"}}) {
    CAPTURE(expected.semantics);
    Numbers numbers;
    {
      Session session;
      REQUIRE(session.load("fn third(x: f64[n]) -> f64[n] = for i: x[i] / 3\n"));
      CallOptions options;
      options.semantics = expected.semantics;
      options.on = expected.on;
      auto result = session.call("third", {Tensor::of<double>(x)}, options);
      REQUIRE(result);
      numbers = result->at(0).numbers;
    }
    REQUIRE(numbers.size() == 3);
    CHECK(numbers[1].text == expected.second);
    std::size_t count = 0;
    for (const Number number : numbers) CHECK(number.text == numbers[count++].text);
    CHECK(count == 3);
  }
}
