#!/usr/bin/env bash
# Are the tests worth anything? Plants bugs, one at a time, in a copy of the tree, and says which folder of tests finds
# each; exit status 1 if one is found by none.
#   tests/planted_bugs.sh FOLDER [NAME]...
#   tests/planted_bugs.sh --check
# FOLDER receives a copy of the tree and of its build for each worker (RECKON_WORKERS, by default one for each processor:
# a worker compiles one file and runs one folder of tests at a time). A build holds absolute paths, so each worker sees
# its copy at the tree's own path, in a mount namespace of its own, and only a planted file is compiled. NAMEs choose
# among the bugs below. --check builds nothing: it says which bugs could not be planted, since their text is gone from the
# source.
set -eu -o pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
copies=${1:?"usage: tests/planted_bugs.sh FOLDER [NAME]... | --check"}
shift
workers=${RECKON_WORKERS:-$(nproc)}
chosen=("$@")

# times FILE: how often the text $FROM stands in it.
times() { perl -0777 -ne 'my $count = () = /\Q$ENV{FROM}\E/g; print $count' "$1"; }

# plant NAME FILE FOLDERS FROM TO: the text FROM stands once in FILE; FOLDERS are tried in order.
names=() files=() folders=() originals=() replacements=() survivors=0
plant() {
  if [ ${#chosen[@]} -gt 0 ] && [[ " ${chosen[*]} " != *" $1 "* ]]; then return; fi
  local count=0
  if [ -e "$root/$2" ]; then count=$(FROM=$4 times "$root/$2"); fi
  if [ "$count" != 1 ]; then
    [ -n "${RECKON_WORKER:-}" ] ||
      printf '%-20s cannot be planted: its text stands %s times in %s\n' "$1" "$count" "$2"
    survivors=$((survivors + 1))
    return
  fi
  names+=("$1") files+=("$2") folders+=("$3") originals+=("$4") replacements+=("$5")
}

plant verify_associative verify/rules.cpp 'induction' '!of->in_order && !is_associative' 'false && !is_associative'
plant verify_first_case verify/inductions.cpp 'induction' 'if (!matches(premise(step, 0), at_first))' 'if (false)'
plant verify_hypotheses verify/check.cpp 'induction' 'if (!checker.open(all - 1).empty())' 'if (false)'
plant verify_divisors verify/ring.cpp 'induction' 'if (!is_accepted(parts[1]))' 'if (false)'
plant verify_factors verify/rules.cpp 'induction' 'if (!ring_.nonnegative(factor)) return' 'if (false) return'
plant accept_second_product semantics/accept/rewriter.cpp 'compilations' \
  'fused(scalar, b, op == Op::sub, a, all)' 'fused(scalar, b, false, a, all)'
plant accept_factor_pairs semantics/accept/rewriter.cpp 'compilations' \
  'if ((set & 1) != 0) out.emplace_back(of[set]' 'if (set == 1) out.emplace_back(of[set]'
plant accept_long_chains semantics/accept/orders.cpp 'compilations' \
  'const double growth = growth_of_errors(setting.kind.unit, terms - 1);' 'const double growth = 1;'
plant compilations_negative compilations/results.cpp 'compilations' \
  'contract(node.format, factors(node.second, minus), values_[node.first], out);' \
  'contract(node.format, factors(node.second, false), values_[node.first], out);'
plant compilations_shared_values compilations/results.cpp 'compilations' 'opaque[k] > 1 ?' 'opaque[k] > 2 ?'
plant compilations_error_terms compilations/residues.cpp 'compilations' \
  'case Op::sub: x[k] = plus(a, minus(b)); break;' 'case Op::sub: x[k] = plus(a, b); break;'
plant bound_contraction worst/box_values.cpp 'compilations' \
  'if ((node.contracts & (k + 1)) == 0) continue;' 'continue;'
plant bound_copies_of_products worst/compiled.cpp 'compilations' \
  'if (!contracted) return renamed_[node];' 'return renamed_[node];'
plant bound_any_order worst/box_blocks.cpp 'compilations' \
  'for (std::size_t k = 0; k < block.count; ++k) growth = mul_up(growth, add_up(1, unit));' ''
plant mma_f64_columns codegen/strategies/tiles/multiply_f64.cpp 'kernel' \
  'parts[down + column / 2]}' 'parts[down]}'
plant mma_f64_unfused codegen/strategies/tiles/tile_choice.cpp 'codegen' \
  'if (!body_.fused || body_.part_of ||' 'if (body_.part_of ||'
plant hidden_other_branch codegen/place/inner.cpp 'kernel' \
  'user.operands[1] == at && user.operands[2] != at' 'user.operands[1] == at || user.operands[2] == at'
plant hidden_divisors codegen/place/inner.cpp 'gpu' \
  '|| may_fault(user.op, *use->second)) return' ') return'
plant related_at_sizes driver/prepare.cpp 'codegen' \
  'if (related.body == before->body) return sized;' 'if (true) return ir::relate_uses(module, sized, traits.laws);'
plant kernels_unordered codegen/plan.cpp 'codegen' 'if (reads_later_) order_kernels(module_, planned_);' ''
plant ptx_frames_unaligned ptx/emulate/local_memory.cpp 'ptx' \
  'frame.begin = (frame.top + align - 1) / align * align;' 'frame.begin = frame.top;'
plant ptx_division_used ptx/emulate/unwritten.cpp 'ptx' 'made = a | b | c | f | divided_;' 'made = a | b | c | f;'
plant lanes_tail interp/fold.cpp 'interp differential' \
  'whole + (node < list->length - whole * list->size)' 'whole + (node <= list->length - whole * list->size)'
plant tile_tail codegen/lower/folds.cpp 'codegen differential' \
  'w_.divides(list.size, parent.length) ? list.size : w_.smaller(list.size, b_.sub(parent.length, first));' 'list.size;'
plant halving_carry interp/fold.cpp 'interp differential' \
  'copy_rows(out, count - half, level, count - half, half - (count - half), width);' \
  'copy_rows(out, count - half, level, count - half, half - (count - half) - (count == 7), width);'
plant tree_operands codegen/lower/trees.cpp 'codegen differential' \
  'joined.append(joins_.join(site, run, node));' \
  'joined.append(joins_.join(site, node, run));'
plant tree_shape interp/fold.cpp 'interp differential' \
  'if (count % 2 != 0) {' 'if (count % 2 != 0 && count != 5) {'
plant split_off_by_one codegen/lower/folds.cpp 'codegen differential' \
  'b_.greater(slice.length, first)' 'b_.greater_equal(slice.length, first)'
plant float_adds_zero semantics/float/semantics.h 'ir interp differential' \
  'select_same, literals_round, min_max_any_order}' 'select_same, literals_round, min_max_any_order, add_zero}'
plant folds_wrongly ir/passes/constant_folding.cpp 'ir differential' \
  'return when(n.op == Op::mul && is(m, x[0], 0), x, 0);' 'return when(n.op == Op::mul && is(m, x[0], 0), x, 1);'
plant triple_rounding numerics/functions64/triple.h 'numerics codegen' \
  'return b.add(x.high, odd_sum(b, x.middle, x.low));' 'return b.add(x.high, b.add(x.middle, x.low));'
plant bits_commute prove/operations.cpp 'prove' \
  'return op == Op::add || op == Op::mul' 'return op == Op::add || op == Op::sub || op == Op::mul'
plant key_copies codegen/strategies/by_key/counts.cpp 'kernel' \
  'const Value copy = b_.bit_and(b_.add(key, w_.i64(k)), w_.i64(shape_.copies - 1));' \
  'const Value copy = b_.bit_and(b_.add(key, w_.i64(k)), w_.i64(shape_.copies - 2));'
plant key_part_end codegen/strategies/by_key/counts.cpp 'kernel' \
  'add_leaves(begin, w_.smaller(b_.add(begin, of_part, Fits::always), length));' \
  'add_leaves(begin, b_.add(begin, of_part, Fits::always));'
plant atomic_race kernel/interpret/access.cpp 'kernel' \
  'if (!note_write(*place.array, offset, bytes, lane, true)) return false;' \
  '// not noted'
plant key_sort_order codegen/strategies/by_key/ordered.cpp 'kernel' \
  'return b_.add(place, before);' 'return b_.add(place, b_.sub(b_.sub(all, before), w_.i64(1)));'
plant key_minus_zero codegen/strategies/by_key/ordered.cpp 'kernel' \
  'b_.select(is_whole, sum, with_zero)' \
  'b_.select(is_whole, sum, sum)'
plant warp_race kernel/interpret/memory.cpp 'kernel' \
  'earlier.thread / threads_of_a_warp == met->first &&' \
  'true &&'
plant key_tree_level codegen/strategies/by_key/lane_trees.cpp 'kernel' \
  'b_.leading_zeros(b_.bit_xor(now[1], row))' \
  'b_.leading_zeros(b_.bit_or(now[1], row))'
plant joined_sides codegen/place/sides.cpp 'kernel' \
  'if (is_taken || extents_[d] == 1 || std::ranges::any_of(of_other, depends)) continue;' \
  'if (is_taken || extents_[d] == 1) continue;'
plant joined_place codegen/place/sides.cpp 'kernel' \
  'coordinates_[side[k]] = k == 0 ? rest : indices.floor_mod(rest, extent);' \
  'coordinates_[side[k]] = k < 2 ? rest : indices.floor_mod(rest, extent);'
plant look_back_level codegen/strategies/scans/look_back.cpp 'gpu' \
  'const Keep keep{found, b_.mul(level, w_.i64(WarpRuns::levels), Fits::always)};' 'const Keep keep{found, w_.i64(0)};'
plant look_back_round codegen/strategies/scans/trees.cpp 'gpu' \
  'Values next{b_.bit_xor(round, w_.i64(1)), *of_next};' 'Values next{round, *of_next};'
plant look_back_words codegen/strategies/scans/look_back.cpp 'kernel' \
  'const Value count = b_.lshr(tiles_, w_.i64(level * WarpRuns::levels));' 'const Value count = w_.i64(1);'
plant look_back_order codegen/strategies/scans/look_back.cpp 'kernel gpu' \
  'for (std::int64_t k = 0; k < bits; ++k) {' 'for (std::int64_t k = bits; k-- > 0;) {'
plant published_mark codegen/emit/together.cpp 'gpu' 'mov.b64 word, {$1, 1};' 'mov.b64 word, {$1, 0};'
plant worst_unit worst/rounding.h 'worst' \
  'below = power_of_two(unit - 1)' 'below = power_of_two(unit - 2)'
plant worst_direction worst/rounding.h 'worst' \
  'return away ? (above > 0 ? here : below)' 'return away ? below'
plant worst_flush worst/box_values.cpp 'worst' \
  'facts.made = facts.cut_by = std::min(magnitude(a.floats), power_of_two(least));' \
  'facts.made = facts.cut_by = 0;'
plant worst_flushed_operand worst/circuit.cpp 'worst' 'if (count > 1) second = flushed(second);' ''
plant worst_saturation worst/box_values.cpp 'worst' \
  'error = std::max(error, add_up(magnitude(before), -most));' ''
plant worst_alike_squares worst/box_alike.cpp 'worst' \
  'if (count > 1 && node.first == node.second) key.does |= std::uint64_t{1} << 40;' ''
plant worst_alike_steps worst/box_alike.cpp 'worst' \
  'return !is_operation(circuit[node.second], Op::trunc) && !is_operation(circuit[node.second], Op::round);' 'return true;'
plant worst_second_order worst/box_values.cpp 'worst' \
  'out.made = mul_up(a.drift, b.drift);' 'out.made = 0;'
plant worst_quotient worst/box_values.cpp 'worst' \
  'out.made = div_up(mul_up(carried, b.drift), mignitude(b.value));' 'out.made = 0;'
plant worst_sterbenz worst/box_values.cpp 'worst' \
  'x.high <= 2 * y.low && y.high <= 2 * x.low' 'x.high <= 4 * y.low && y.high <= 4 * x.low'
plant worst_other_branch worst/selections.cpp 'worst' \
  'out.made = magnitude(apart);' 'out.made = 0;'
plant worst_square worst/forms.h 'worst' \
  '(of_rest + half + 4 * unit * size)' '(of_rest + half / 2 + 4 * unit * size)'
plant worst_multiple worst/box_values.cpp 'worst' \
  'facts.place = std::max(facts.place, a.place + b.place);' 'facts.place = std::max(facts.place, a.place + b.place + 1);'
plant worst_tensor_cores worst/box_blocks.cpp 'worst' \
  'power_of_two(largest - unit.kept)' 'power_of_two(largest - unit.kept - 6)'
plant tune_least api/worst.cpp 'worst' \
  'if (all.bounds.back() < all.bounds[all.chosen])' 'if (all.bounds.back() > all.bounds[all.chosen])'
plant worst_bins worst/box_blocks.cpp 'worst' '* (block.folds - 1) + 1' '* block.folds + 1'
plant worst_kahan worst/box_blocks.cpp 'worst' \
  'mul_up(numerics::widen(upward, Format::f64), scale)' 'mul_up(numerics::widen(upward, Format::f64) / 100, scale)'
plant claim_height ir/schedule/growth_claim.cpp 'cli' '                 binary_exponent(k));' \
  '                 binary_exponent(k) + 1);'
plant claim_least ir/schedule/growth_claim.cpp 'cli' 'return sign > 0 ? all : any;' 'return any;'
plant claim_quotient ir/schedule/growth_claim.cpp 'cli' '|| !is_not_negative(p - one.height.high))' ')'
plant interval_sum numerics/outward.h 'numerics codegen' \
  'const Bool swapped = b.f_less(magnitude(x), magnitude(y));' 'const Bool swapped = b.f_less(magnitude(y), magnitude(x));'
plant interval_residual numerics/outward.h 'numerics codegen' \
  'down(product, negative(b.fma(x, y, b.neg(product))))' 'down(product, b.f_less(b.fma(x, y, b.neg(product)), zero()))'
plant interval_fma numerics/outward.h 'numerics codegen' \
  'b.f_less(constant(0x1p-900), b.select(is_zero(factor)' 'b.f_less(constant(0x1p-1060), b.select(is_zero(factor)'
plant interval_divisor numerics/intervals/rules.h 'interp codegen' \
  'endpoints.pick(is_positive(n.high), least, d.high)' 'endpoints.pick(at_least_zero(n.high), least, d.high)'
plant interval_exp semantics/interval/compiled/exp.cpp 'codegen' 'b.CreateShl(b.CreateZExt(significand, wide),' \
  'b.CreateShl(b.CreateZExt(b.CreateOr(significand, i64(1)), wide),'
plant interval_fault codegen/emit/numbers.cpp 'codegen cli' \
  'b_.getInt64(std::uint64_t{1} << (number % 64))' 'b_.getInt64(std::uint64_t{2} << (number % 64))'
plant contraction semantics/float/compiled/code.cpp 'codegen differential' \
  'case Op::fma: return fused(b, format, x[0], x[1], x[2]);' \
  'case Op::fma: return b.CreateFAdd(b.CreateFMul(x[0], x[1]), x[2]);'
plant bf16_ties numerics/round_bits.h 'numerics interp codegen' \
  'const auto half_less_one = b.i64_const((std::uint64_t{1} << (dropped - 1)) - 1);' \
  'const auto half_less_one = b.i64_const((std::uint64_t{1} << (dropped - 1)) - (format != Format::bf16));'
plant fpsan_inverse numerics/fpsan.h 'numerics interp' \
  'return b.bit_xor(inverse, b.bit_xor(b.bit_and(q, one), one));' 'return inverse;'
plant interval_rounding interp/algebra/directed.h 'interp' \
  'return error < 0 ? below(near) : near;' 'return error < -1e-300 ? below(near) : near;'
plant max_of_nan semantics/float/compiled/code.cpp 'codegen differential' \
  'llvm::Intrinsic::maximum, x[0]' 'llvm::Intrinsic::maxnum, x[0]'
plant passing_check check/summary.cpp 'check cli' \
  'if (trial.truth != Truth::no) return;' 'return;'
plant sweep_overlap sweep/cells.cpp 'sweep' \
  'if (after != parts_.end() && after->first < part.last) return false;' ''
plant scan_blocks interp/prefixes.cpp 'interp differential' \
  'std::countr_one(static_cast<std::uint64_t>(at)) <= h' 'std::countr_one(static_cast<std::uint64_t>(at)) < h'
plant bins_below_one numerics/exact_sum.cpp 'interp' \
  'exponent >= 0 ? exponent / bin_width : -((-exponent + bin_width - 1) / bin_width)' 'exponent / bin_width'
plant quotient_slope semantics/interval/mean_value.h 'interp' \
  'scaled(b, inner.neg(over(natural, b)))' 'scaled(b, over(natural, b))'
plant hypot_kink semantics/interval/mean_value.h 'interp' \
  'unit) : unit;' 'unit) : I{End(0), End(1)};'
plant audit_approximate codegen/ptx/audit.cpp 'codegen' \
  'options.approximations.contains(whole)' '!options.approximations.empty()'
plant ptx_pointers ptx/read/declarations.cpp 'ptx' 'if (points) continue;' ''
plant ptx_shuffle ptx/emulate/exchange.cpp 'ptx' 'taken[lane] = value[from];' 'taken[lane] = value[is_inside ? from : 0];'
plant ptx_races ptx/emulate/checks.cpp 'ptx' \
  'if (is_strong(before) && is_strong(operation)) return;' 'if (is_strong(before) || is_strong(operation)) return;'
plant ptx_reserved ptx/emulate/machine.cpp 'ptx' \
  'std::fill(shared_written_.begin() + reserved, shared_written_.end(), std::uint8_t{1});' ''
plant ptx_freed ptx/emulate/memory.cpp 'ptx' 'freed.heap = Allocation::Heap::freed;' ''
plant ptx_heap ptx/emulate/memory.cpp 'ptx' 'bytes > heap_limit - heap_bytes_' 'bytes > heap_limit'
plant mma_warps_leaves codegen/emit/mma_warps.cpp 'gpu' \
  'left = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, wide(together));' \
  'left = b_.CreateSelect(b_.CreateICmpSGT(left, wide(0)), wide(together), left);'
plant mma_warps_wait codegen/emit/mma_warps.cpp 'gpu' 'await(ahead - 1);' 'await(ahead);'
plant mma_warps_halves codegen/emit/mma_warps.cpp 'gpu' \
  'fragments(y, stage, plus(times(fourth, 8), column), low, third, which)' \
  'fragments(y, stage, plus(times(third, 8), column), low, fourth, which)'
plant ptx_red_async ptx/emulate/bulk.cpp 'ptx' \
  'bring(operation, warp, value_of(warp, place_at(kernel, operation.c), lane), access.bytes);' ''
plant ptx_relu ptx/emulate/integer.cpp 'ptx' 'return std::max(F{}(a, b), T{0});' 'return F{}(a, b);'
plant ptx_followed_sums ptx/shadow/matrix.cpp 'ptx' \
  'const bool halves = p.sums == Format::f16;
  const int of_sums = halves ? 2 : 4;' \
  'const bool halves = false;
  const int of_sums = 4;'
plant trace_sizes trace/sizes.cpp 'trace' 'if (factor * x[k] + constant != values_[k]) return std::nullopt;' ''
plant trace_commuted ptx/shadow/trace.cpp 'trace' 'if (commutes && !act.atomic && ids[0] > ids[1])' 'if (!act.atomic && ids[0] > ids[1])'
plant read_off_calls frontend/elaborate_item.cpp 'trace' 'declaration.read_off.merge(read_off);' ''
plant read_off_lets frontend/elaborate_item.cpp 'trace' \
  'declaration.read_off = std::exchange(read_off, std::move(read_off_before));' 'read_off = std::move(read_off_before);'
plant note_side api/rounding_notes.cpp 'cli' \
  '*numerics::exact_value(bits, format) - value;' 'value - *numerics::exact_value(bits, format);'
plant fused_left_first interp/fold_arithmetic.cpp 'codegen differential' \
  'if (fused && (of_kind & 2) != 0) return apply' 'if (fused && of_kind == 2) return apply'
plant stage_accumulator codegen/lower/folds.cpp 'codegen differential' \
  'around.arithmetic = list.arithmetic;' 'around.arithmetic = site.arithmetic == Arithmetic::fused ? Arithmetic::fused : list.arithmetic;'
plant grid_factors codegen/strategies/grid/strategy.cpp 'gpu' \
  'if (fold_.keeps_factors()) parts =' 'if (body.fused) parts ='
plant threshold_side check/thresholds.cpp 'verdicts' \
  '(*there == before ? low : high) = middle;' '(*there == before ? high : low) = middle;'
plant preimage_shift check/preimages.cpp 'check verdicts' \
  'go(k, target << c);' 'go(k, target);'
plant branch_taken check/branches.cpp 'verdicts' \
  'return operands[found->second ? 1 : 2];' 'return operands[found->second ? 2 : 1];'
plant saturated_half semantics/bound/error_interval.h 'interp' \
  'if (traits.saturates && std::fabs(x) >= ' 'if (traits.saturates && std::fabs(x) > '
plant negative_term ir/positive_sizes.cpp 'ir' \
  '[](std::int64_t each) { return each < 0; }' '[](std::int64_t each) { return each < -1; }'
plant assertion_kept frontend/assertions.cpp 'cli' \
  'if (*holds) return true;' 'if (*holds || reason.empty()) return true;'
plant mma_subnormal numerics/mma.cpp 'numerics' \
  'return std::max(std::ilogb(x), traits(format).emin);' 'return std::ilogb(x);'
plant mma_negative_zero codegen/lower/tensor_core_sums.cpp 'codegen' \
  'return b_.select(is_zero, b_.zero(Type::number(Scalar::f64)), nearest);' 'return nearest;'
plant mma_kept numerics/mma.cpp 'numerics' \
  'const int last = largest - unit.kept;' 'const int last = largest - unit.kept + 1;'
plant guess_distance numerics/functions/guessed_exponential.h 'numerics' 'distance = 6' 'distance = 2'
plant tuned_rows codegen/strategies/rows/strategy.cpp 'kernel' \
  'shares = shares_of(rows, kernel, threads);' ''
plant rows_apart codegen/lower/block/block_rows.cpp 'gpu' \
  'b_.add(first, w_.i64(k * rows.step), Fits::always)' 'b_.add(first, w_.i64(k), Fits::always)'
plant rows_slots_apart codegen/strategies/rows/row_steps.cpp 'gpu' \
  'within_row(w_.add(first, w_.i64(k * shares_.step)))' 'within_row(w_.add(first, w_.i64(k)))'
plant rows_copied codegen/strategies/rows/row_steps.cpp 'kernel' \
  'reducer_.barrier();
  for (std::size_t k = 0; k < arrays.size(); ++k) kept_' 'for (std::size_t k = 0; k < arrays.size(); ++k) kept_'
plant tuned_class api/kept_choices.cpp 'api' 'std::gcd(size, exact)' 'std::gcd(size, 2)'
plant rows_not_finite codegen/strategies/tensor_cores/rows_writer.cpp 'kernel' \
  'least = b_.clamped_index(least, columns());' 'least = w_.i64(0);'
plant rows_first_leaf codegen/strategies/tensor_cores/rows_elements.cpp 'kernel' \
  'if (is_first) joined = b_.select(is_first_tile, leaf[0], joined);' ''
plant rows_lane_absent codegen/strategies/tensor_cores/rows_elements.cpp 'kernel' \
  'return b_.select(is_there(first_of_right), joined, left);' 'return joined;'
plant rows_mask_corner codegen/place/box_conditions.cpp 'kernel' \
  'const VariableId side = (*stride >= 0) == greatest ? high : low;' 'const VariableId side = greatest ? high : low;'
plant part_of_outline cli/lsp/analysis.cpp 'lsp' \
  'numbers[*definition].first == k' 'numbers[*definition].first != k'
[ "$copies" != --check ] || exit $((survivors > 0))

copies=$(realpath -m "$copies")
case $copies in "$root" | "$root"/*) echo "planted_bugs.sh: the copies must not be inside the tree" >&2; exit 2 ;; esac

# try INDEX: plants the bug in the worker's tree, builds it there, and runs the folders until one fails.
try() {
  local file=$root/${files[$1]} kept=$copies/kept.$worker log=$copies/log.$worker found= folder status
  cp "$file" "$kept"
  FROM=${originals[$1]} TO=${replacements[$1]} perl -0777 -pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/' "$file"
  if (cd "$root" && ./dev --jobs 1 build) >"$log" 2>&1; then
    for folder in ${folders[$1]}; do
      status=0
      (cd "$root" && timeout 600 build/dev/tests/reckon_tests --folder "$folder" --abort) >"$log" 2>&1 || status=$?
      # A folder that takes too long has found nothing.
      if [ "$status" -ne 0 ] && [ "$status" -ne 124 ]; then
        found="$folder: $(awk '/^-----/ && ++dashes % 2 { getline; name = $0 } / FAILED:/ { exit } END { print name }' "$log")"
        break
      fi
    done
  else
    found="the compiler"
  fi
  cp "$kept" "$file"
  [ -n "$found" ] || echo "${names[$1]}" >>"$copies/survivors"
  printf '%-20s %s\n' "${names[$1]}" "${found:-FOUND BY NO TEST}"
}

# next_bug: the number of a bug that no worker has taken.
next_bug() {
  (
    flock 9
    read -r taken <"$copies/taken"
    echo $((taken + 1)) >"$copies/taken"
    echo "$taken"
  ) 9>"$copies/lock"
}

# This script as a worker (see the end), in its namespace.
if [ -n "${RECKON_WORKER:-}" ]; then
  worker=$RECKON_WORKER
  mount --bind "$copies/$worker" "$root"
  while bug=$(next_bug) && [ "$bug" -lt ${#names[@]} ]; do try "$bug"; done
  exit 0
fi

"$root/dev" build
mkdir -p "$copies"
: >"$copies/survivors"
echo 0 >"$copies/taken"
for ((worker = 1; worker <= workers; worker++)); do
  rm -rf "${copies:?}/$worker"
  mkdir -p "$copies/$worker/build"
  git -C "$root" ls-files -z -co --exclude-standard --deduplicate | (cd "$root" && tar --null -T - -cf - 2>/dev/null) |
    tar -C "$copies/$worker" -xpf -
  cp -a --reflink=auto "$root/build/dev" "$copies/$worker/build/dev"
done
namespace=(unshare --mount)
[ "$(id -u)" -eq 0 ] || namespace+=(--map-root-user)
processes=()
for ((worker = 1; worker <= workers; worker++)); do
  RECKON_WORKER=$worker "${namespace[@]}" "$BASH" "$root/tests/planted_bugs.sh" "$copies" "${chosen[@]}" &
  processes+=("$!")
done
ended=0
for process in "${processes[@]}"; do wait "$process" || ended=1; done
[ "$ended" -eq 0 ] || { echo "a worker ended early" >&2; exit 1; }
survivors=$((survivors + $(wc -l <"$copies/survivors")))
echo "$((${#names[@]} - $(wc -l <"$copies/survivors"))) of ${#names[@]} planted bugs were found"
exit $((survivors > 0))
