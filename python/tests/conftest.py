import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

PROGRAM = """
# Sums of products, in pairs.
# The order is a balanced tree.
fn dot(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by tree
fn in_order(x: f32[n]) -> f32 = sum i: x[i] by seq
fn in_pairs(x: f32[n]) -> f32 = sum i: x[i] by tree
fn axpy(a: f32, x: f32[n], y: f32[n]) -> f32[n] = for i: a * x[i] + y[i]
fn matvec(a: f32[m, k], x: f32[k]) -> f32[m] = for i: sum j: a[i, j] * x[j] by seq
fn both(x: f32[n]) -> (f32, f32[n]) = (sum i: x[i] by seq, for i: -x[i])
fn twice[T](x: T[n]) -> T[n] = for i: x[i] + x[i]
fn blocked[k](x: f32[n]) -> f32 = sum i: x[i] by tile(k, seq) then tree
fn narrow(x: bf16[n]) -> bf16[n] = for i: x[i]
fn small(x: f8e4m3[n]) -> f8e4m3[n] = for i: x[i]
fn thin(x: tf32[n]) -> tf32[n] = for i: x[i]
fn wrap(x: u32[n]) -> u32[n] = for i: x[i] * 2654435761
fn squares[T](x: T[n], k: T) -> T[n] = for i: x[i] * x[i] // k
fn positive(x: f32[n]) -> bool[n] = for i: x[i] > 0
fn third(x: f64) -> f64 = x / 3
fn total(x: f32[n]) -> f32 = sum i: x[i] by any
fn softmax(x: f32[n]) -> f32[n] {
  let m = max i: x[i];
  let e = for i: exp(x[i] - m);
  let s = sum i: e[i] by tree;
  for i: e[i] / s
}
let width = 4
let order = lanes(4, tree) then tree
let pairs = (2, 4):(1, 2)
"""


@pytest.fixture(scope="session")
def rk():
    import reckon

    return reckon.loads(PROGRAM, "tests.rk")
