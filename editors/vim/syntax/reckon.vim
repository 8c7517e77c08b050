" Vim syntax file of Reckon (.rk), written by `reckon generate vim`.
if exists('b:current_syntax')
  finish
endif

syntax iskeyword @,48-57,_
syntax keyword reckonKeyword all and approximates assert at_most blocks bound builtin
syntax keyword reckonKeyword by check contract else evaluate everywhere flush fn
syntax keyword reckonKeyword fold for formats if import in kernel length
syntax keyword reckonKeyword let max min not or orders overflow prod
syntax keyword reckonKeyword profile reassociate reduce relative save scan seed show
syntax keyword reckonKeyword sum then threads tile trials type ulp values
syntax keyword reckonKeyword where with within xor
syntax keyword reckonConstant e false inf ln2 log2e nan pi true
syntax keyword reckonSemantics accept algebra count exact float fpsan interval padic
syntax match reckonFunction /\<approx\.cos\>/
syntax match reckonFunction /\<approx\.div\>/
syntax match reckonFunction /\<approx\.exp2\>/
syntax match reckonFunction /\<approx\.log2\>/
syntax match reckonFunction /\<approx\.rcp\>/
syntax match reckonFunction /\<approx\.rsqrt\>/
syntax match reckonFunction /\<approx\.sin\>/
syntax match reckonFunction /\<approx\.sqrt\>/
syntax match reckonFunction /\<approx\.tanh\>/
syntax keyword reckonFunction abs acos acosh add any any_seq any_tree append
syntax keyword reckonFunction arrange asin asinh atan atan2 atanh attains binned
syntax keyword reckonFunction bit_and bit_matrix bit_or bit_xor bits blelloch blocked_product bound_dot
syntax keyword reckonFunction bounds cbrt ceil ceil_div clamp coalesce column_major compatible
syntax keyword reckonFunction complement complement_loose compose concat congruent copy copysign cos
syntax keyword reckonFunction cosh cosize cospi crd2crd crd2idx depth dice diff
syntax keyword reckonFunction disjoint div domain_distribute downcast erf erfc error_growth evenly_divides
syntax keyword reckonFunction exp exp10 exp2 explain expm1 extent filter filter_zeros
syntax keyword reckonFunction fit flat_divide flat_product flatten floor floor_div floor_mod fma
syntax keyword reckonFunction frexp from_bits fused gamma get gmma_layout group halving
syntax keyword reckonFunction hash hull hypot identity idx2crd injective intersection inverse
syntax keyword reckonFunction isfinite isinf isnan iterate kahan lanes layout_of lcg
syntax keyword reckonFunction ldexp leaf_order leaves left_inverse left_inverse_loose lgamma load local_partition
syntax keyword reckonFunction local_tile log log10 log1p log2 logical_divide logical_product mag
syntax keyword reckonFunction make_fragment_like make_layout_like make_ordered_layout make_swizzle max_alignment max_common_layout max_common_vector maxnum
syntax keyword reckonFunction mend mid mig minnum mma mma_shape mma_threads mul
syntax keyword reckonFunction neg neumaier nextafter normal nullspace parens partition_A partition_B
syntax keyword reckonFunction partition_C partition_D partition_S pow prepend ptx rad raked_product
syntax keyword reckonFunction random rank recast rem replace report rewrites right_inverse
syntax keyword reckonFunction right_inverse_whole rootn round round_away rounded_once row_major rsqrt same
syntax keyword reckonFunction select seq shape shape_div shared_atom shift_left shift_right sigmoid
syntax keyword reckonFunction sign sin sinh sinpi size slice split spread
syntax keyword reckonFunction sqrt stride sub subset swizzle take tan tanh
syntax keyword reckonFunction tanpi thrfrg_A thrfrg_B thrfrg_C tidfrg_D tidfrg_S tile_shape tile_to_shape
syntax keyword reckonFunction tiled_copy tiled_divide tiled_mma tiled_product tree trunc tune unflatten
syntax keyword reckonFunction until upcast upcast_loose view weakly_congruent width with_shape zip
syntax keyword reckonFunction zipped_divide zipped_product
syntax match reckonType /\<\(bf16\|bool\|f16\|f32\|f4e2m1\|f64\|f6e2m3\|f6e3m2\|f8e4m3\|f8e5m2\|i16\|i32\|i64\|i8\|number\|tf32\|u16\|u32\|u64\|u8\)\>/
syntax match reckonNumber /\<\d[0-9_]*\(\.\d[0-9_]*\)\?\([eE][+-]\?\d\+\)\?s\?\>/
syntax match reckonNumber /\<0x[0-9a-fA-F_]\+\(\.[0-9a-fA-F_]\+\)\?\([pP][+-]\?\d\+\)\?/
syntax match reckonComment /#.*$/ contains=reckonTodo,@Spell
syntax match reckonNumber /\<\(bf16\|bool\|f16\|f32\|f4e2m1\|f64\|f6e2m3\|f6e3m2\|f8e4m3\|f8e5m2\|i16\|i32\|i64\|i8\|number\|tf32\|u16\|u32\|u64\|u8\)#\x\{2,16}\>/
syntax keyword reckonTodo TODO FIXME contained
syntax region reckonString start=/"/ skip=/\\./ end=/"/ oneline

highlight default link reckonKeyword Keyword
highlight default link reckonConstant Constant
highlight default link reckonType Type
highlight default link reckonSemantics Special
highlight default link reckonFunction Function
highlight default link reckonNumber Number
highlight default link reckonComment Comment
highlight default link reckonTodo Todo
highlight default link reckonString String

let b:current_syntax = 'reckon'
