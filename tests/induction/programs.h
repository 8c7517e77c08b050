// Circuits that several tests of proofs have.
#pragma once

#include <string>

/// A row of exponentials over their sum: what every online softmax is compared with.
inline const std::string plain_softmax =
    "fn f(x: f64[n]) -> f64[n] { let e = for i: exp(x[i]); let l = sum i: e[i]; for i: e[i] / l }\n";
/// `merge(a, b)`, for states of a maximum and a sum that is scaled by it, with this sum.
inline std::string softmax_merge(const std::string& sum) {
  return "fn merge(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {\n  let (am, al) = a;\n  let (bm, bl) = b;\n"
         "  let m = max(am, bm);\n  (m, " +
         sum + ")\n}\n";
}
/// The online softmax by merges in order.
inline std::string online_softmax(const std::string& sum) {
  return plain_softmax + softmax_merge(sum) +
         "fn g(x: f64[n]) -> f64[n] {\n  let (m, l) = reduce(merge) i: (x[i], f64(1)) by seq;\n  for i: exp(x[i] - m) / l\n}\n";
}
