#include "numerics/padic/random.h"

#include "numerics/padic/step_rules.h"

namespace reckon::numerics::padic {

Value random_value(std::uint64_t seed, Sign sign) { return closed(rules::random_element(seed, sign)); }

}  // namespace reckon::numerics::padic
