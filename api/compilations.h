// Questions about what compilers may make of a circuit, by the settings `contract` and `reassociate` of a profile.
#pragma once

#include "api/implementation.h"
#include "check/check.h"

namespace reckon {

/// The profile of the item's semantics, if it lets compilers rewrite programs.
std::shared_ptr<const ir::Profile> rewriting_profile(Session::Implementation& self, const frontend::ElaboratedItem& item);

/// `show spread(f, x) in accept(P)` and `show attains(f, x, r) in accept(P)`.
Expected<std::vector<Shown>> shown_results(Session::Implementation& self, const frontend::ElaboratedItem& item,
                                           const ir::Profile& profile);
/// `check attains(f, x, r) in accept(P)`.
Event checked_results(Session::Implementation& self, const frontend::ElaboratedItem& item, const ir::Profile& profile);

/// `show rewrites(f) in accept(P) for x: -1..1`.
Expected<std::vector<Shown>> shown_rewrites(Session::Implementation& self, const frontend::ElaboratedItem& item);
/// `check unchanged(f) in accept(P)`.
Expected<check::Outcome> unchanged(Session::Implementation& self, const frontend::ElaboratedItem& item);

}  // namespace reckon
