// For semantics whose values remember where in the source they were made.
#pragma once

#include "diagnostics/source.h"

namespace reckon::interp {

/// A semantics that is one, too, is told the place of each operation as soon as it has been carried out.
class PlaceListener {
 public:
  virtual ~PlaceListener() = default;
  virtual void carried_out_at(SourceSpan place) = 0;
};

}  // namespace reckon::interp
