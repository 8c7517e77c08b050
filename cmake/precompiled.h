// The headers that most sources include, parsed once for each build (ReckonTarget.cmake). Sources include what they use
// all the same: the preset `clang` builds without this file and says what a source lacks.
#pragma once

#include <fmt/format.h>
#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
