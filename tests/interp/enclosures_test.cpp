// Functions of enclosures (interp/enclosures.h): what IEEE 1788-2015 says of them, and properties of random intervals.
#include "interp/enclosures.h"

#include <catch2/catch.hpp>

#include <random>

using namespace reckon;
using namespace reckon::interp;

namespace {

const EndFormat f64{}, f32{numerics::Format::f32, 24}, bits_200{std::nullopt, 200};

Ends between(const mpq_class& low, const mpq_class& high) { return {.low = low, .high = high}; }
const Ends empty{.empty = true}, everything{};
Ends from(const mpq_class& low) { return {.low = low}; }
Ends up_to(const mpq_class& high) { return {.high = high}; }

std::string shown(EnclosureFunction function, const Ends& x, const Ends& y = {}, const EndFormat& format = f64) {
  return rendered(enclosure_answer(function, format, x, y), format).text;
}
mpq_class number(EnclosureFunction function, const Ends& x, const EndFormat& format = f64) {
  return std::get<EndNumber>(enclosure_answer(function, format, x, {})).value;
}
bool holds(EnclosureFunction function, const Ends& x, const Ends& y) {
  return std::get<bool>(enclosure_answer(function, f64, x, y));
}

using enum EnclosureFunction;

}  // namespace

TEST_CASE("numbers of an enclosure: the middle to nearest, radius and width upward") {
  CHECK(shown(mid, between(1, 2)) == "1.5");
  CHECK(shown(rad, between(1, 2)) == "0.5");
  CHECK(shown(width, between(1, 2)) == "1");
  CHECK(shown(mag, between(-3, 2)) == "3");
  CHECK(shown(mig, between(-3, 2)) == "0");
  CHECK(shown(mig, between(-3, -2)) == "2");
  CHECK(shown(mig, between(2, 3)) == "2");
  // 2^-60 is lost beside 1: the width is the next f64 above 1, or the next f32.
  const mpq_class tiny(mpz_class(1), mpz_class(1) << 60);
  CHECK(number(width, between(-tiny, 1)) == 1 + mpq_class(mpz_class(1), mpz_class(1) << 52));
  CHECK(number(width, between(-tiny, 1), f32) == 1 + mpq_class(1, 1 << 23));
  CHECK(number(width, between(-tiny, 1), bits_200) == 1 + tiny);
  CHECK(number(mid, between(-tiny, 1)) == mpq_class(1, 2));
  CHECK(shown(width, between(mpq_class(-1.7e308), mpq_class(1.7e308))) == "inf");
  CHECK(shown(mid, between(mpq_class(1.7e308), mpq_class(1.7e308))) == "1.7e308");
}

TEST_CASE("numbers of empty and of unbounded enclosures are those of IEEE 1788-2015") {
  for (const EnclosureFunction function : {mid, rad, width, mag, mig}) CHECK(shown(function, empty) == "nan");
  for (const EnclosureFunction function : {rad, width, mag}) {
    CHECK(shown(function, everything) == "inf");
    CHECK(shown(function, from(1)) == "inf");
    CHECK(shown(function, up_to(1)) == "inf");
  }
  CHECK(shown(mid, everything) == "0");
  CHECK(shown(mid, from(1)) == "1.7976931348623157e308");
  CHECK(shown(mid, up_to(1)) == "-1.7976931348623157e308");
  CHECK(shown(mid, from(1), {}, bits_200) == "nan");
  CHECK(shown(mig, everything) == "0");
  CHECK(shown(mig, from(3)) == "3");
  CHECK(shown(mig, up_to(-3)) == "3");
}

TEST_CASE("relations and sets of empty and of unbounded enclosures are those of IEEE 1788-2015") {
  CHECK(holds(subset, between(1, 2), between(1, 3)));
  CHECK_FALSE(holds(subset, between(0, 2), between(1, 3)));
  CHECK(holds(subset, empty, empty));
  CHECK(holds(subset, empty, between(1, 2)));
  CHECK_FALSE(holds(subset, between(1, 2), empty));
  CHECK(holds(subset, between(1, 2), from(1)));
  CHECK_FALSE(holds(subset, from(1), between(1, 2)));
  CHECK(holds(subset, everything, everything));
  CHECK(holds(disjoint, between(1, 2), between(3, 4)));
  CHECK_FALSE(holds(disjoint, between(1, 2), between(2, 4)));
  CHECK(holds(disjoint, empty, everything));
  CHECK(holds(disjoint, up_to(1), from(2)));
  CHECK(shown(intersection, between(1, 3), between(2, 4)) == "[2, 3]");
  CHECK(shown(intersection, between(1, 2), between(3, 4)) == "empty");
  CHECK(shown(intersection, everything, from(2)) == "[2, inf]");
  CHECK(shown(intersection, empty, everything) == "empty");
  CHECK(shown(hull, between(1, 2), between(3, 4)) == "[1, 4]");
  CHECK(shown(hull, up_to(1), between(3, 4)) == "[-inf, 4]");
  CHECK(shown(hull, empty, between(3, 4)) == "[3, 4]");
  CHECK(shown(hull, up_to(1), from(1)) == "[-inf, inf]");
}

TEST_CASE("functions of random enclosures agree with each other and with points") {
  std::mt19937_64 random(41);
  const auto any = [&] { return mpq_class(static_cast<long>(random() % 41) - 20, 1 + random() % 7); };
  for (int trial = 0; trial < 5000; ++trial) {
    const auto interval = [&]() -> Ends {
      mpq_class a = any(), b = any();
      if (a > b) std::swap(a, b);
      if (random() % 12 == 0) return empty;
      Ends out = between(a, b);
      if (random() % 8 == 0) out.low.reset();
      if (random() % 8 == 0) out.high.reset();
      return out;
    };
    const Ends x = interval(), y = interval();
    const auto holds_point = [](const Ends& set, const mpq_class& at) {
      return !set.empty && (!set.low || *set.low <= at) && (!set.high || at <= *set.high);
    };
    const Ends both = std::get<Ends>(enclosure_answer(intersection, f64, x, y));
    const Ends either = std::get<Ends>(enclosure_answer(hull, f64, x, y));
    CHECK(holds(disjoint, x, y) == both.empty);
    CHECK(holds(subset, both, x));
    CHECK(holds(subset, x, either));
    CHECK(holds(subset, x, y) == (rendered(both, f64).text == rendered(x, f64).text));
    for (int k = 0; k < 5; ++k) {
      const mpq_class at = any();
      CHECK(holds_point(both, at) == (holds_point(x, at) && holds_point(y, at)));
      if (holds_point(x, at) || holds_point(y, at)) CHECK(holds_point(either, at));
      if (!holds_point(x, at) || !x.low || !x.high) continue;
      CHECK(abs(at) <= number(mag, x));
      CHECK(abs(at) >= number(mig, x));
      // The middle and the radius, both rounded, enclose every point; the width is no less than twice the exact radius.
      const mpq_class middle = number(mid, x, f32), radius = number(rad, x, f32);
      CHECK(abs(mpq_class(at - middle)) <= radius);
      CHECK(number(width, x, f32) >= *x.high - *x.low);
    }
  }
}
