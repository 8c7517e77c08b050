// Circuits as FPCores.
#include "api/implementation.h"
#include "fpcore/write.h"
#include "semantics/standard.h"

namespace reckon {

Expected<std::string> written_fpcore(Session::Implementation& self, const ir::Function& function,
                                     const ir::Dimensions& sizes) {
  return within_memory(function.span, [&] {
    return fpcore::written(self.session.module(), function, sizes, interp::bounds()->traits().closed_numbers,
                           self.evaluate_options());
  });
}

}  // namespace reckon
