// Ctrl-C while a session evaluates.
#pragma once

#include "api/reckon/reckon.h"

namespace reckon::cli {

/// While it lives, Ctrl-C ends what the session evaluates, which then says how far it came. `once`: a second Ctrl-C ends
/// the program. Otherwise every one ends what runs, and none the program (the prompt).
class Interruptible {
 public:
  Interruptible(Session& session, bool once);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
};

}  // namespace reckon::cli
