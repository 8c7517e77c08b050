#include "semantics/interval/mean_value_semantics.h"

namespace reckon::interp {

template std::unique_ptr<Semantics> mean_value_with(std::string name, std::int64_t pieces, const F64Endpoints&);

}  // namespace reckon::interp
