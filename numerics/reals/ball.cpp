#include "numerics/reals/ball.h"

#include <arb.h>
#include <arb_hypgeom.h>

#include <type_traits>

#ifdef RECKON_OPEN_FLINT
#include <dlfcn.h>

#include <climits>
#include <unistd.h>
#endif

namespace reckon::numerics {

namespace {

struct Library {
#define RECKON_ARB(library, name) decltype(&::name) name = nullptr;
#include "numerics/reals/arb_functions.def"
  std::string missing;
};

#ifdef RECKON_OPEN_FLINT
/// Searches beside the program, in lib/, and then wherever the system has libraries.
void* open_library(const char* name) {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length > 0) {
    std::string beside(path, static_cast<std::size_t>(length));
    beside = beside.substr(0, beside.rfind('/')) + "/lib/" + name;
    if (void* opened = dlopen(beside.c_str(), RTLD_NOW | RTLD_GLOBAL)) return opened;
  }
  return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

Library opened() {
  Library out;
  void* const flint = open_library("libflint.so.17");
  void* const arb = flint ? open_library("libflint-arb.so.2") : nullptr;
  if (!flint || !arb) {
    out.missing = std::string(flint ? "libflint-arb.so.2" : "libflint.so.17") +
                  " is neither in lib/ beside the program nor installed";
    return out;
  }
#define RECKON_ARB(library, name)                                     \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(library, #name)); \
  if (!out.name) out.missing = "this FLINT or Arb has no " #name;
#include "numerics/reals/arb_functions.def"
  return out;
}

const Library& library() {
  static const Library once = opened();
  return once;
}
#else
const Library& library() {
  static const Library once{
#define RECKON_ARB(library, name) &::name,
#include "numerics/reals/arb_functions.def"
      {}};
  return once;
}
#endif

static_assert(sizeof(arb_struct) == 48 && alignof(arb_struct) <= 8);

/// FLINT's integer as a class that frees it. fmpz_init and fmpz_clear are inline in FLINT's headers.
class Integer {
 public:
  Integer() = default;
  explicit Integer(const mpz_class& value) { library().fmpz_set_mpz(&value_, value.get_mpz_t()); }
  explicit Integer(long value) { library().fmpz_set_si(&value_, value); }
  ~Integer() {
    if (COEFF_IS_MPZ(value_)) library()._fmpz_clear_mpz(value_);
  }
  Integer(const Integer&) = delete;
  Integer& operator=(const Integer&) = delete;
  fmpz* get() { return &value_; }

 private:
  fmpz value_ = 0;
};

arb_ptr at(std::byte* storage) { return reinterpret_cast<arb_ptr>(storage); }
arb_srcptr at(const std::byte* storage) { return reinterpret_cast<arb_srcptr>(storage); }

/// FLINT keeps free integers and digits of constants for each thread, and must be told when a thread ends.
struct ThreadEnd {
  ~ThreadEnd() { library().flint_cleanup(); }
};

constexpr long guard_bits = 16;  // for results that are computed in two steps

}  // namespace

const std::string& balls_missing() { return library().missing; }

// Without the libraries a ball is storage that is never used.
Ball::Ball() {
  if (!library().missing.empty()) return;
  thread_local const ThreadEnd end;
  library().arb_init(at(storage_));
}
Ball::~Ball() {
  if (library().missing.empty()) library().arb_clear(at(storage_));
}
void Ball::swap(Ball& other) { library().arb_swap(at(storage_), at(other.storage_)); }
void Ball::clear() {
  Ball empty;
  swap(empty);
}

void Ball::set(const mpq_class& value, long bits) {
  Integer numerator(value.get_num()), denominator(value.get_den());
  library().arb_fmpz_div_fmpz(at(storage_), numerator.get(), denominator.get(), bits);
}

void Ball::set(const mpz_class& mantissa, long exponent, long bits) {
  Integer digits(mantissa), power(exponent);
  library().arb_set_round_fmpz_2exp(at(storage_), digits.get(), power.get(), bits);
}

void Ball::set_shifted(const Ball& value, long power, long bits) {
  const Library& arb = library();
  Ball ten;
  const auto magnitude = static_cast<ulong>(power < 0 ? -power : power);
  arb.arb_ui_pow_ui(at(ten.storage_), 10, magnitude, bits + guard_bits);
  if (power < 0) arb.arb_div(at(storage_), at(value.storage_), at(ten.storage_), bits);
  else arb.arb_mul(at(storage_), at(value.storage_), at(ten.storage_), bits);
}

/// The positive integer that the ball is; 0 if it is too wide.
unsigned long Ball::as_degree() const {
  mpz_class low, high;
  long exponent = 0;
  if (!endpoints(low, high, exponent) || low != high || exponent > 53) return 0;
  const mpz_class value = exponent >= 0 ? mpz_class(low << static_cast<unsigned long>(exponent))
                                        : mpz_class(low >> static_cast<unsigned long>(-exponent));
  return value.fits_ulong_p() ? value.get_ui() : 0;
}

void Ball::root(const Ball& a, unsigned long degree, long bits) {
  const Library& arb = library();
  Ball magnitude;
  const int side = a.sign();
  const auto every_number = [&] { arb.arb_div(at(storage_), at(magnitude.storage_), at(magnitude.storage_), bits); };
  if (degree == 0) return every_number();  // 0 / 0
  arb.arb_abs(at(magnitude.storage_), at(a.storage_));
  if (side != 0) {
    arb.arb_root_ui(at(storage_), at(magnitude.storage_), degree, bits);
    if (side < 0) arb.arb_neg(at(storage_), at(storage_));
    return;
  }
  // A ball around 0: plus and minus the root of the largest magnitude.
  mpz_class low, high;
  long exponent = 0;
  if (!a.endpoints(low, high, exponent)) {
    return every_number();  // the divisor holds 0
  }
  Ball largest, root;
  largest.set(mpz_class(::abs(low) > ::abs(high) ? ::abs(low) : ::abs(high)), exponent,
              static_cast<long>(mpz_sizeinbase(low.get_mpz_t(), 2) + mpz_sizeinbase(high.get_mpz_t(), 2)));
  arb.arb_root_ui(at(root.storage_), at(largest.storage_), degree, bits);
  arb.arb_zero(at(storage_));
  arb.arb_add_error(at(storage_), at(root.storage_));
}

void Ball::compute(RealFunction function, const Ball& a, const Ball& b, long bits) {
  const Library& arb = library();
  arb_ptr out = at(storage_);
  arb_srcptr x = at(a.storage_), y = at(b.storage_);
  const auto scaled = [&](auto constant) {
    Ball value;
    constant(at(value.storage_), bits + guard_bits);
    arb.arb_mul(out, at(value.storage_), x, bits);
  };
  switch (function) {
    case RealFunction::pi: return scaled(arb.arb_const_pi);
    case RealFunction::e: return scaled(arb.arb_const_e);
    case RealFunction::ln2: return scaled(arb.arb_const_log2);
    case RealFunction::log2e: {
      Ball ln2;
      arb.arb_const_log2(at(ln2.storage_), bits + guard_bits);
      return arb.arb_div(out, x, at(ln2.storage_), bits);
    }
    case RealFunction::add: return arb.arb_add(out, x, y, bits);
    case RealFunction::sub: return arb.arb_sub(out, x, y, bits);
    case RealFunction::mul: return arb.arb_mul(out, x, y, bits);
    case RealFunction::div: return arb.arb_div(out, x, y, bits);
    case RealFunction::pow: return arb.arb_pow(out, x, y, bits);
    case RealFunction::rootn: return root(a, b.as_degree(), bits);
    case RealFunction::min: return arb.arb_min(out, x, y, bits);
    case RealFunction::max: return arb.arb_max(out, x, y, bits);
    case RealFunction::neg: return arb.arb_neg(out, x);
    case RealFunction::abs: return arb.arb_abs(out, x);
    case RealFunction::sqrt: return arb.arb_sqrtpos(out, x, bits);
    case RealFunction::cbrt: return root(a, 3, bits);
    case RealFunction::exp2:
    case RealFunction::exp10: {
      Ball log_of_base, product;
      const auto constant = function == RealFunction::exp2 ? arb.arb_const_log2 : arb.arb_const_log10;
      constant(at(log_of_base.storage_), bits + guard_bits);
      arb.arb_mul(at(product.storage_), x, at(log_of_base.storage_), bits + guard_bits);
      return arb.arb_exp(out, at(product.storage_), bits);
    }
    case RealFunction::lgamma: {
      if (a.sign() > 0) return arb.arb_lgamma(out, x, bits);
      Ball gamma, size;
      arb.arb_gamma(at(gamma.storage_), x, bits + guard_bits);
      arb.arb_abs(at(size.storage_), at(gamma.storage_));
      return arb.arb_log(out, at(size.storage_), bits);
    }
    case RealFunction::log2: return arb.arb_log_base_ui(out, x, 2, bits);
    case RealFunction::log10: return arb.arb_log_base_ui(out, x, 10, bits);
#define RECKON_ARB_FUNCTION(name, symbol) \
  case RealFunction::name: return arb.symbol(out, x, bits);
#include "numerics/reals/arb_functions.def"
  }
}

bool Ball::is_finite() const { return library().arb_is_finite(at(storage_)) != 0; }

int Ball::sign() const {
  if (!is_finite()) return 0;
  if (library().arb_is_positive(at(storage_))) return 1;
  return library().arb_is_negative(at(storage_)) ? -1 : 0;
}

int Ball::compare(const Ball& other) const {
  if (!is_finite() || !other.is_finite()) return 0;
  if (library().arb_lt(at(storage_), at(other.storage_))) return -1;
  return library().arb_gt(at(storage_), at(other.storage_)) ? 1 : 0;
}

bool Ball::endpoints(mpz_class& low, mpz_class& high, long& exponent) const {
  if (!is_finite()) return false;
  const Library& arb = library();
  // Midpoint and radius may differ so much in size that integers over one power of two would not fit into memory.
  const slong far = arb.arb_rel_accuracy_bits(at(storage_));
  constexpr slong farthest = slong{1} << 28;
  const bool centred = arf_is_zero(arb_midref(at(storage_))) || arb_is_exact(at(storage_));  // one of the two is 0
  if (!centred && (far < -farthest || far > farthest)) return false;
  Integer a, b, power;
  arb.arb_get_interval_fmpz_2exp(a.get(), b.get(), power.get(), at(storage_));
  if (!arb.fmpz_fits_si(power.get())) return false;
  exponent = arb.fmpz_get_si(power.get());
  if (exponent > (1L << 40) || exponent < -(1L << 40)) return false;
  arb.fmpz_get_mpz(low.get_mpz_t(), a.get());
  arb.fmpz_get_mpz(high.get_mpz_t(), b.get());
  return true;
}

}  // namespace reckon::numerics
