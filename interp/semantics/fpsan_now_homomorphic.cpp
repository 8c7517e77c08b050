#include "interp/semantics/fpsan_semantics.h"

namespace reckon::interp {

template std::unique_ptr<Semantics> fpsan_of<numerics::fpsan::now_homomorphic>(std::string name);

}  // namespace reckon::interp
