#include "codegen/lower/list.h"

namespace reckon::codegen {

bool holds_leaves(const List& list) {
  switch (list.kind) {
    case List::Kind::leaves: return true;
    case List::Kind::arranged:
    case List::Kind::chosen: return holds_leaves(*list.parent.list);
    default: return false;
  }
}

}  // namespace reckon::codegen
