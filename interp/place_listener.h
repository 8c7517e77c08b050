// For semantics whose values remember where in the source they were made.
#pragma once

#include "diagnostics/source.h"

namespace reckon::interp {

/// Is told the place of each operation as soon as it has been carried out (Semantics::place_listener).
class PlaceListener {
 public:
  virtual ~PlaceListener() = default;
  virtual void carried_out_at(SourceSpan place) = 0;
};

}  // namespace reckon::interp
