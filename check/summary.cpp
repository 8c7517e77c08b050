#include "check/summary.h"

#include <algorithm>

namespace reckon::check {

namespace {

using interp::Truth;
using MaybeKept = std::optional<Summary::Kept>;

void write(sweep::Writer& out, const MaybeKept& kept) { out.number(kept ? kept->trial + 1 : std::int64_t{0}); }

MaybeKept read_kept(sweep::Reader& in) {
  const std::int64_t number = in.integer();
  return number == 0 ? MaybeKept() : Summary::Kept{number - 1};
}

void write(sweep::Writer& out, const AcceptedTally& tally) {
  out.number(tally.floats);
  out.number(tally.outside);
  out.number(tally.unbounded);
  out.real(tally.worst_ulps);
  out.real(tally.used);
  out.number(static_cast<std::uint64_t>(tally.reasons.size()));
  for (const auto& [reason, count] : tally.reasons) {
    out.text(reason);
    out.number(count);
  }
}

AcceptedTally read_accepted(sweep::Reader& in) {
  AcceptedTally out;
  out.floats = in.integer();
  out.outside = in.integer();
  out.unbounded = in.integer();
  out.worst_ulps = in.real();
  out.used = in.real();
  for (std::uint64_t left = in.count(); left > 0 && in.good(); --left) {
    const std::string reason = in.text();
    out.reasons[reason] = in.integer();
  }
  return out;
}

void write(sweep::Writer& out, const PowerSeen& power) {
  out.real(power.allowed);
  out.real(power.result);
  std::string leaves;
  for (const PowerSeen::Leaf leaf : power.leaves) leaves += static_cast<char>(leaf);
  out.text(leaves);
  out.truth(power.narrow.has_value());
  out.truth(power.narrow.value_or(false));
}

PowerSeen read_power(sweep::Reader& in) {
  PowerSeen out;
  out.allowed = in.real();
  out.result = in.real();
  for (const char leaf : in.text()) out.leaves.push_back(static_cast<PowerSeen::Leaf>(leaf));
  const bool asked = in.truth(), shown = in.truth();
  if (asked) out.narrow = shown;
  return out;
}

}  // namespace

Summary::Rules Summary::Rules::of(const frontend::ElaboratedItem& item) {
  return {item.relation == frontend::Item::Relation::accepted, item.tolerance == frontend::Tolerance::Kind::bound};
}

void Summary::add(Expected<TrialResult> given, const Rules& rules) {
  const std::int64_t number = last++;
  const auto result = std::make_shared<const Expected<TrialResult>>(std::move(given));
  const Kept kept{number, result};
  if (!*result) {
    end = kept;
    return;
  }
  const TrialResult& trial = **result;
  ++trials;
  no_defined_inputs |= trial.no_defined_inputs;
  ring.count(trial.elements);
  if (trial.largest > largest && trial.family == Family::unit) largest = trial.largest;
  accepted.add(trial.accepted);
  if (trial.power && trial.family == Family::unit) {
    if (power) power->add(*trial.power);
    else power = trial.power;
  }
  if (trial.orders && (!farthest || trial.orders->times >= times)) {
    farthest = kept;
    times = trial.orders->times;
  }
  compared += trial.compared;
  any_finite |= trial.any_finite;
  no_value += trial.no_value;
  // An input that the check itself chose and that overflows, say, is not a reason for doubt.
  if (trial.truth == Truth::unknown && trial.family != Family::unit && rules.within_bound) {
    ++without_bound;
    return;
  }
  if (trial.truth == Truth::unknown) {
    if (!open) open = kept;
    if (!noted && !trial.notes.empty()) noted = kept;
  }
  if (trial.truth != Truth::no) return;
  if (!rules.judges) {
    end = kept;
  } else if (!worst || trial.accepted.worst_ulps > worst_ulps) {  // all results are judged; the worst is shown
    worst = kept;
    worst_ulps = trial.accepted.worst_ulps;
  }
}

void Summary::add(Summary later) {
  last = later.last;
  trials += later.trials;
  end = std::move(later.end);
  if (!open) open = std::move(later.open);
  if (!noted) noted = std::move(later.noted);
  if (later.worst && (!worst || later.worst_ulps > worst_ulps)) {
    worst = std::move(later.worst);
    worst_ulps = later.worst_ulps;
  }
  if (later.farthest && (!farthest || later.times >= times)) {
    farthest = std::move(later.farthest);
    times = later.times;
  }
  compared += later.compared;
  any_finite |= later.any_finite;
  no_defined_inputs |= later.no_defined_inputs;
  no_value += later.no_value;
  without_bound += later.without_bound;
  if (later.largest > largest) largest = later.largest;
  accepted.add(later.accepted);
  if (later.power) {
    if (power) power->add(*later.power);
    else power = std::move(later.power);
  }
  ring.add(later.ring);
}

std::string Summary::bytes() const {
  sweep::Writer out;
  out.number(trials);
  for (const MaybeKept& kept : {end, open, noted, worst, farthest}) write(out, kept);
  out.real(worst_ulps);
  out.real(times);
  out.number(compared);
  out.truth(any_finite);
  out.truth(no_defined_inputs);
  out.number(no_value);
  out.number(without_bound);
  out.text(largest.get_str(16));
  write(out, accepted);
  out.truth(power.has_value());
  if (power) write(out, *power);
  ring.write(out);
  return out.bytes;
}

Summary Summary::read(std::int64_t first, std::int64_t last, std::string_view bytes) {
  sweep::Reader in(bytes);
  Summary out(first);
  out.last = last;
  out.trials = in.integer();
  for (MaybeKept* kept : {&out.end, &out.open, &out.noted, &out.worst, &out.farthest}) *kept = read_kept(in);
  out.worst_ulps = in.real();
  out.times = in.real();
  out.compared = in.integer();
  out.any_finite = in.truth();
  out.no_defined_inputs = in.truth();
  out.no_value = in.integer();
  out.without_bound = in.integer();
  if (const std::string largest = in.text(); out.largest.set_str(largest, 16) != 0) out.largest = 0;
  out.accepted = read_accepted(in);
  if (in.truth()) out.power = read_power(in);
  out.ring = RingTally::read(in);
  return in.good() ? out : Summary(first);
}

}  // namespace reckon::check
