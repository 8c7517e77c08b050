#include "codegen/strategies/strategy.h"

namespace reckon::codegen {

#define STRATEGY(folder) std::unique_ptr<const Strategy> make_##folder();

#include "codegen/strategies/strategies.def"

#undef STRATEGY

const std::vector<std::unique_ptr<const Strategy>>& strategies() {
  static const std::vector<std::unique_ptr<const Strategy>> all = [] {
    std::vector<std::unique_ptr<const Strategy>> out;
#define STRATEGY(folder) out.push_back(make_##folder());

#include "codegen/strategies/strategies.def"

#undef STRATEGY
    return out;
  }();
  return all;
}

const std::vector<std::string_view>& strategy_keys() {
  static const std::vector<std::string_view> all = {
#define STRATEGY(folder) #folder,

#include "codegen/strategies/strategies.def"

#undef STRATEGY
  };
  return all;
}

}  // namespace reckon::codegen
