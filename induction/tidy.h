// Terms as they are easiest to read and to compare by their form.
#pragma once

#include "proof/term.h"

namespace reckon::ir::steps {

/// An equal term: factors of a sum inside of it, products of powers of e as one power, opposite terms left out.
proof::TermRef tidy(const proof::TermRef& term);

}  // namespace reckon::ir::steps
