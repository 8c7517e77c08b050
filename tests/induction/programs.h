// Circuits that several tests of proofs have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/proof.h"

/// The proof of a statement that one formula says.
inline std::optional<reckon::proof::Proof> only(std::vector<reckon::proof::Proof> proofs) {
  if (proofs.size() != 1) return std::nullopt;
  return std::move(proofs.front());
}

/// One level of Strassen's product ("Gaussian elimination is not optimal", 1969) as `f`, and the product as `g`: of
/// matrices of even size, for each block. `last`: what is added to the lower right block.
inline std::string strassen(const std::string& last) {
  return "fn product(a: f64[m, m], b: f64[m, m]) -> f64[m, m] = for i, j: sum p: a[i, p] * b[p, j]\n"
         "fn block[i, j, h](a: f64[n, n]) -> f64[h, h] = for p < h, q < h: a[i * h + p, j * h + q]\n"
         "fn f(a: f64[2 * m, 2 * m], b: f64[2 * m, 2 * m]) -> (f64[m, m], f64[m, m], f64[m, m], f64[m, m]) {\n"
         "  let (a00, a01, a10, a11) = (block[0, 0, m](a), block[0, 1, m](a), block[1, 0, m](a), block[1, 1, m](a));\n"
         "  let (b00, b01, b10, b11) = (block[0, 0, m](b), block[0, 1, m](b), block[1, 0, m](b), block[1, 1, m](b));\n"
         "  let m1 = product(a00 + a11, b00 + b11);\n  let m2 = product(a10 + a11, b00);\n"
         "  let m3 = product(a00, b01 - b11);\n  let m4 = product(a11, b10 - b00);\n"
         "  let m5 = product(a00 + a01, b11);\n  let m6 = product(a10 - a00, b00 + b01);\n"
         "  let m7 = product(a01 - a11, b10 + b11);\n"
         "  (m1 + m4 - m5 + m7, m3 + m5, m2 + m4, m1 - m2 + m3 " +
         last +
         ")\n}\n"
         "fn g(a: f64[2 * m, 2 * m], b: f64[2 * m, 2 * m]) -> (f64[m, m], f64[m, m], f64[m, m], f64[m, m]) {\n"
         "  let c = product(a, b);\n"
         "  (block[0, 0, m](c), block[0, 1, m](c), block[1, 0, m](c), block[1, 1, m](c))\n}\n";
}

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
