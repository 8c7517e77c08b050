#!/usr/bin/env python3
"""The ring `padic` by its definitions (docs/algebra.md), with Python's integers, slowly: powers instead of series, tables
of powers instead of logarithms. Writes padic_vectors.txt:  python3 padic_reference.py > padic_vectors.txt

A value is `a,b,c,digits,exp_b,exp_c,k` (`?`: unknown), `undefined`, or `-inf`; a line is `operation operands -> result`."""
import random
from fractions import Fraction

p, q, r = 39119, 19559, 163
M = p**4

def legendre(x, m):
    x %= m
    return 0 if x == 0 else 1 if pow(x, (m - 1) // 2, m) == 1 else -1

def residue(x, m):
    x = Fraction(x)
    return x.numerator * pow(x.denominator, -1, m) % m

# The choices that the ring leaves open.
g = residue(1 + p + Fraction(p**2, 2) + Fraction(p**3, 6), M)         # exp(p)
zeta = pow(12345, 2 * p**3, M)                                         # of order q
def cmul(x, y): return ((x[0] * y[0] - x[1] * y[1]) % M, (x[0] * y[1] + x[1] * y[0]) % M)
def cpow(x, n):
    out = (1, 0)
    while n:
        if n & 1: out = cmul(out, x)
        x, n = cmul(x, x), n >> 1
    return out
fine = (residue(1 - Fraction(p**2, 2), M), residue(p - Fraction(p**3, 6), M))  # exp(p i), modulo p^4
eta = cpow((residue(Fraction(-3, 5), M), residue(Fraction(4, 5), M)), (p + 1) // r * p**3)
assert pow(zeta, q, M) == 1 != zeta and cpow(eta, r) == (1, 0) != eta
assert (fine[0]**2 + fine[1]**2) % M == 1

index = {}
x = 1
for w in range(q):
    index[x % p] = w
    x = x * zeta % M

class V:
    def __init__(s, a, b, c, d=4, eb=1, ec=1, k=0):
        s.a, s.b, s.c, s.d, s.eb, s.ec, s.k = a % p**d, b, c, d, eb, ec, k
    def text(s):
        part = lambda v: '?' if v is None else str(v)
        return f'{s.a},{part(s.b)},{part(s.c)},{s.d},{part(s.eb)},{part(s.ec)},{s.k}'
    def plain_tags(s): return s.eb == 1 and s.ec == 1
    def zero(s): return s.d == 4 and s.a == 0 and s.b == 0
U, I = 'undefined', '-inf'
def text(x): return x if isinstance(x, str) else x.text()

def lift(f, *xs): return None if any(x is None for x in xs) else f(*xs)
def rational(x):
    x = Fraction(x)
    if x.denominator % p == 0: return U
    return V(residue(x, M), residue(x, q) if x.denominator % q else (None if x.numerator else 0),
             residue(x, r) if x.denominator % r else None)
NOTHING = (None, None, 0)

def add(x, y):
    if U in (x, y): return U
    if I in (x, y): return I
    if x.zero(): tags = (y.eb, y.ec, y.k)
    elif y.zero(): tags = (x.eb, x.ec, x.k)
    elif x.k != y.k: tags = NOTHING
    else: tags = (lift(lambda s, t: s * t % q, x.eb, y.eb), lift(lambda s, t: s * t % r, x.ec, y.ec), x.k)
    return V(x.a + y.a, lift(lambda s, t: (s + t) % q, x.b, y.b), lift(lambda s, t: (s + t) % r, x.c, y.c), min(x.d, y.d), *tags)
def neg(x):
    if x == U or x == I: return U
    return V(-x.a, lift(lambda s: -s % q, x.b), lift(lambda s: -s % r, x.c), x.d, lift(lambda s: pow(s, -1, q), x.eb),
             lift(lambda s: pow(s, -1, r), x.ec), x.k)
def sub(x, y): return add(x, neg(y))
def half_integer(x):
    """The Fraction with denominator 1 or 2, at most 2^11 in size, that x is."""
    if x.d < 4 or not x.plain_tags() or x.k or None in (x.b, x.c): return None
    twice = 2 * x.a % M
    twice = twice if twice < M // 2 else twice - M
    n = Fraction(twice, 2)
    if abs(twice) > 4096 or residue(n, q) != x.b or residue(n, r) != x.c: return None
    return n
def square_root(b, m):
    """The root that is a square itself."""
    if b == 0: return 0
    if legendre(b, m) < 0: return None
    s = pow(b, (m + 1) // 4, m)
    return s if legendre(s, m) == 1 else m - s
def tag_power(x, n):
    if x.plain_tags() and x.k == 0: return (1, 1, 0)
    if x.k: return NOTHING
    eb, ec, m = x.eb, x.ec, n.numerator
    if n.denominator == 2:
        eb, ec = lift(lambda s: square_root(s, q), eb), None
    return (lift(lambda s: pow(s, m, q), eb), lift(lambda s: pow(s, m, r), ec), 0)
def product_tags(x, y, direction):
    if x.plain_tags() and y.plain_tags(): return (1, 1, x.k + direction * y.k)
    if direction > 0:
        for u, v in ((x, y), (y, x)):
            n = half_integer(u)
            if n is not None: return tag_power(v, n)
    else:
        n = half_integer(y)
        if n and (2 / n).denominator == 1: return tag_power(x, 1 / n)
    return NOTHING
def sign(x):
    """1, 0, -1, or None: not known."""
    if x == U: return None
    if x == I: return -1
    for k in range(min(2, x.d)):
        s = legendre(x.a // p**k, p)
        if s: return s
    return 0 if x.a == 0 and x.d > 1 else None
def mul(x, y):
    if U in (x, y): return U
    if I in (x, y):
        other = y if x == I else x
        return I if other != I and sign(other) == 1 else U
    if x.zero() or y.zero(): return rational(0)
    return V(x.a * y.a, lift(lambda s, t: s * t % q, x.b, y.b), lift(lambda s, t: s * t % r, x.c, y.c), min(x.d, y.d),
             *product_tags(x, y, 1))
def div(x, y):
    if U in (x, y) or y == I or y.a % p == 0: return U
    if x == I: return I if sign(y) == 1 else U
    if x.zero(): return x
    return V(x.a * pow(y.a, -1, M), lift(lambda s, t: s * pow(t, -1, q) % q, x.b, y.b or None),
             lift(lambda s, t: s * pow(t, -1, r) % r, x.c, y.c or None), min(x.d, y.d), *product_tags(x, y, -1))
def exp(x):
    if x == U: return U
    if x == I: return rational(0)
    if x.b is None: return U
    return V(pow(g, x.a, M) * pow(zeta, x.b, M), None if x.k else x.eb, None if x.k else x.ec, min(x.d + 1, 4))
def discrete_log(u):
    """t with g^t = u modulo p^4, digit by digit."""
    t = 0
    for k in range(3):
        rest = u * pow(g, -t, M) % M
        t += (rest - 1) // p**(k + 1) % p * p**k
    assert pow(g, t, M) == u
    return t
def log(x):
    if x == U or x == I or x.d == 1 or x.a % p not in index: return U
    w = index[x.a % p]
    b = x.b if x.b and legendre(x.b, q) == 1 else None
    return V(discrete_log(x.a * pow(zeta, -w, M) % M), w, None, x.d - 1, b, x.c or None, 0)
def root(x, n, m):
    """x^(n/m) in the group of x: H, of order q p^3, or for odd m all units."""
    if x == U or x == I or x.a % p == 0 or (m == 2 and legendre(x.a, p) < 0): return U
    group = q * p**3 if m == 2 else (p - 1) * p**3
    b = lift(lambda s: square_root(s, q), x.b) if m == 2 else lift(lambda s: pow(s, pow(3, -1, q - 1), q), x.b)
    if n < 0: b = pow(b, -1, q) if b else None
    tags = (1, 1, 0) if x.plain_tags() and x.k == 0 else NOTHING
    return V(pow(x.a, n * pow(m, -1, group) % group, M), b, None, x.d, *tags)
def sqrt(x): return x if x not in (U, I) and x.zero() else root(x, 1, 2)
def rsqrt(x): return root(x, -1, 2)
def cbrt(x): return x if x not in (U, I) and x.zero() else root(x, 1, 3)
def circle(x):
    return cmul(cpow(fine, x.a), cpow(eta, x.c))
def cos(x): return U if x == U or x == I or x.c is None else V(circle(x)[0], 1, 1, min(x.d + 1, 4))
def sin(x): return U if x == U or x == I or x.c is None else V(circle(x)[1], 0, 0, min(x.d + 1, 4))

ln2 = log(rational(2))
ln2 = V(ln2.a, ln2.b, None, 3, 1, 1, 1)
log2e = div(rational(1), ln2)
def exp2(x): return exp(mul(x, ln2))
def log2(x): return mul(log(x), log2e)
def absolute(x):
    s = None if x == I else sign(x)
    if s is None: return U
    out = neg(x) if s < 0 else x
    b = None if out.b and legendre(out.b, q) < 0 else out.b
    return V(out.a, b, out.c, out.d, out.eb, out.ec, out.k)
def pow_(x, y):
    if U in (x, y) or y == I: return U
    n = half_integer(y)
    if n is not None:
        base, m = (x, n.numerator) if n.denominator == 1 else (sqrt(x), n.numerator)
        if base == U or base == I: return base if base == I and m == 1 else U
        out = rational(1)
        for _ in range(min(abs(m), 60)): out = mul(out, base)
        return div(rational(1), out) if m < 0 else out
    return exp(mul(y, log(x)))
def ranks():
    """Residues in H by the fraction n/m with the least n m up to 20,000 that they are, but for the sign, modulo p; or by
    their own digits in base 197."""
    least = {}
    for m in range(1, 20001):
        for n in range(1, 20000 // m + 1):
            x = n * pow(m, -1, p) % p if n == 1 else (x + least_inverse) % p
            if n == 1: least_inverse = x
            for y in (x, p - x):
                if y not in least or n * m < least[y][0]: least[y] = (n * m, Fraction(n, m))
    value = lambda x: least[x][1] if x in least else Fraction(1 + x % 197, 1 + x // 197)
    order = sorted((x for x in range(1, p) if legendre(x, p) > 0), key=lambda x: (value(x), x))
    return {x: k + 1 for k, x in enumerate(order)} | {0: 0}
rank = ranks()
def place(x, first_only):
    """Where x stands in the order: larger is greater."""
    if x == I: return (-2, 0, 0)
    s = sign(x)
    if s is None: return None
    low = s * x.a % p**2
    digits = [rank[low % p], 0 if first_only else low // p]
    return (s, s * digits[0], s * digits[1])
def compare(x, y):
    """-1, 0, 1, or 2: not known."""
    if U in (x, y): return 2
    one = any(v != I and v.d == 1 for v in (x, y))
    s, t = place(x, one), place(y, one)
    if s is None or t is None: return 2
    if s != t: return -1 if s < t else 1
    if I in (x, y): return 0
    return 0 if not one and (x.a - y.a) % p**min(x.d, y.d) == 0 else 2

UNARY = dict(neg=neg, exp=exp, log=log, sqrt=sqrt, rsqrt=rsqrt, cbrt=cbrt, sin=sin, cos=cos, exp2=exp2, log2=log2, abs=absolute)
BINARY = dict(add=add, sub=sub, mul=mul, div=div, pow=pow_)

def draw(rng):
    kind = rng.randrange(10)
    if kind < 3: return V(rng.randrange(M), rng.randrange(q), rng.randrange(r))
    if kind < 5: return V(rng.randrange(M)**2, rng.randrange(q)**2 % q, rng.randrange(r))
    if kind == 5: return rational(rng.randrange(-12, 13))
    if kind == 6: return rational(Fraction(rng.randrange(-9, 10), 2))
    if kind == 7: return rational(Fraction(rng.randrange(-10**6, 10**6), rng.choice([3, 10, 2**20, q, r, 7 * q, 1000])))
    if kind == 8: return V(p**rng.randrange(5) * rng.randrange(M), rng.choice([0, rng.randrange(q)]), rng.choice([0, 1, None]))
    return rng.choice([I, U, ln2, log2e, rational(0), rational(1), rational(Fraction(1, p)), rational(p), rational(p**2)])

if __name__ == '__main__':
    rng = random.Random(5)
    print('# Vectors of the ring `padic`, by padic_reference.py. A value is a,b,c,digits,exp_b,exp_c,k.')
    pool = [draw(rng) for _ in range(60)]
    for _ in range(2400):
        if rng.randrange(3) == 0: pool[rng.randrange(60)] = draw(rng)
        choose = lambda: rng.choice(pool) if rng.randrange(8) else draw(rng)
        kind = rng.randrange(20)
        if kind < 9:
            name = rng.choice(list(UNARY))
            args = [choose()]
            out = UNARY[name](*args)
        elif kind < 18:
            name = rng.choice(list(BINARY) + ['mul', 'add'])
            args = [choose(), choose()]
            if name == 'pow' and rng.randrange(2): args[1] = rational(Fraction(rng.randrange(-12, 13), 2))
            if name == 'pow' and args[1] not in (U, I) and abs(half_integer(args[1]) or 0) > 25: continue
            out = BINARY[name](*args)
        else:
            name, args = 'compare', [choose(), choose()]
            if rng.randrange(6) == 0: args[1] = args[0]
            print(name, *map(text, args), '->', compare(*args))
            continue
        print(name, *map(text, args), '->', text(out))
        if out != U or rng.randrange(8) == 0: pool[rng.randrange(60)] = out
