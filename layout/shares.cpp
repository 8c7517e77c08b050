#include "layout/shares.h"

namespace reckon::layout {
namespace {

template <class Part, class Valued>
Result<Part> share(const Shares<Valued>& shares, std::int64_t thread) {
  if (thread < 0 || thread >= shares.starts.size()) {
    return Problem{Problem::Kind::out_of_range, "there is no thread `" + std::to_string(thread) + "`: there are `" +
                                                    std::to_string(shares.starts.size()) + "`"};
  }
  const auto start = shares.starts(thread);
  if (!start) return start.problem();
  return Part{shares.part, *start};
}

}  // namespace

Result<Sliced> share_of(const Shares<Layout>& shares, std::int64_t thread) { return share<Sliced>(shares, thread); }
Result<SlicedCoordinates> share_of(const Shares<CoordinateLayout>& shares, std::int64_t thread) {
  return share<SlicedCoordinates>(shares, thread);
}

}  // namespace reckon::layout
