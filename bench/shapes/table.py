"""The table of results, geometric means by group, the worst rows, and a picture of all of them."""

from __future__ import annotations

import math
from html import escape
from typing import Any, Dict, List, Optional

IN_CACHE = 64 << 20  # of fewer bytes no share of a copy's rate is told


def ratio(result: Dict[str, Any]) -> Optional[float]:
    """The best peer's time over ours: above 1 we are faster."""
    if "seconds" not in result or "best" not in result:
        return None
    return float(result["peers"][result["best"]] / max(result["seconds"], 1e-12))


def microseconds(seconds: float) -> str:
    us = seconds * 1e6
    return f"{us:.3g}" if us < 1000 else f"{us:.0f}"


HEADER = f"{'row':44} {'us':>9}  {'peer/ours':>9}  {'best peer':34} {'rate':>18} {'compiled in':>11}"


def line(result: Dict[str, Any], copy_rate: float) -> str:
    name = f"{result['name']:44}"
    if "seconds" not in result:
        return f"{name} {result.get('error') or result.get('skipped')}"
    found, seconds = ratio(result), result["seconds"]
    rate = ""
    if result.get("operations"):
        rate = f"{result['operations'] / seconds / 1e12:.4g} TFLOP/s"
    elif result["memory_bound"] and result.get("bytes"):
        rate = f"{result['bytes'] / seconds / 1e9:.0f} GB/s"
        if result["bytes"] >= IN_CACHE:
            rate += f" {result['bytes'] / seconds / copy_rate:5.0%}"
    best = f"{result['best']} {microseconds(result['peers'][result['best']])}" if found else "no peer"
    compiled = f"{result['compile_ms']:.0f} ms" if "compile_ms" in result else ""
    notes = [f"{peer}: {why[:80]}" for peer, why in result["peers"].items() if isinstance(why, str)]
    if result.get("differs"):
        notes.insert(0, "DIFFERS: " + result["differs"])
    text = f"{name} {microseconds(seconds):>9}  {f'{found:.3f}' if found else '':>9}  {best:34} {rate:>18} {compiled:>11}"
    return "  ".join([text, *notes]).rstrip()


def geometric_mean(values: List[float]) -> float:
    return math.exp(sum(map(math.log, values)) / len(values))


def grouped(results: List[Dict[str, Any]]) -> Dict[str, List[Dict[str, Any]]]:
    groups: Dict[str, List[Dict[str, Any]]] = {}
    for result in results:
        if ratio(result):
            groups.setdefault(result["group"], []).append(result)
    return groups


def summary(data: Dict[str, Any], worst: int = 10) -> str:
    results = data["rows"]
    groups = grouped(results)
    lines = ["", f"{'group':22} {'rows':>5} {'geometric mean':>15} {'least':>8} {'most':>8} {'as fast':>8}"]

    def one(name: str, members: List[Dict[str, Any]]) -> str:
        values = [ratio(each) or 1.0 for each in members]
        fast = sum(value >= 1 for value in values)
        return (f"{name:22} {len(values):5} {geometric_mean(values):15.3f} {min(values):8.3g} {max(values):8.3g} "
                f"{fast / len(values):8.0%}")

    lines += [one(name, members) for name, members in groups.items()]
    beside_others = [each for each in results if ratio(each) and each["semantics"] == "float"]
    if beside_others:
        lines += [one("all beside peers", beside_others), "", f"the worst {worst} beside peers"]
        beside_others.sort(key=lambda each: ratio(each) or 1.0)
        lines += [line(each, data["copy_rate"]) for each in beside_others[:worst]]
    for title, chosen in (
        ("rows with an error", [each for each in results if "error" in each]),
        ("rows whose results differ", [each for each in results if each.get("differs")]),
        ("rows that were skipped", [each for each in results if each.get("skipped") not in (None, "not reached")]),
    ):
        if chosen:
            lines += ["", f"{len(chosen)} {title}", *[line(each, data["copy_rate"]) for each in chosen]]
    missing = [each["name"] for each in results if each.get("skipped") == "not reached"]
    if missing:
        lines += ["", f"{len(missing)} rows were not reached:", "; ".join(missing)]
    times = sorted(each["compile_ms"] for each in results if "compile_ms" in each)
    if times:
        lines += ["", f"from text to a loaded program: median {times[len(times) // 2]:.0f} ms, most {times[-1]:.0f} ms"]
    return "\n".join(lines)


def title(data: Dict[str, Any]) -> str:
    return f"{data['machine']}; {data['software']}; a copy has {data['copy_rate'] / 1e9:.0f} GB/s"


def text(data: Dict[str, Any]) -> str:
    lines = [title(data), HEADER, *[line(each, data["copy_rate"]) for each in data["rows"]]]
    return "\n".join(lines) + "\n" + summary(data)


def picture(data: Dict[str, Any]) -> str:
    """An SVG: a strip for each group, a point for each row at peer/ours on a logarithmic axis, a bar at the mean."""
    groups = grouped(data["rows"])
    values = [ratio(each) or 1.0 for members in groups.values() for each in members] or [1.0]
    low = math.floor(math.log10(min(min(values), 0.5)) * 2) / 2
    high = math.ceil(math.log10(max(max(values), 2.0)) * 2) / 2
    left, right, top, strip = 190, 60, 58, 34
    wide = 900
    height = top + strip * max(1, len(groups)) + 44

    def x(value: float) -> float:
        return left + (math.log10(value) - low) / (high - low) * (wide - left - right)

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{height}" viewBox="0 0 {wide} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{wide}" height="{height}" fill="white"/>',
        f'<text x="16" y="22" font-size="14">The best peer\'s time over Reckon\'s, {len(values)} rows</text>',
        f'<text x="16" y="40" fill="#666">{escape(title(data))}</text>',
    ]
    bottom = top + strip * max(1, len(groups))
    for decade in range(math.floor(low), math.ceil(high) + 1):
        for step in (1, 2, 5):
            at = step * 10.0**decade
            if not low - 1e-9 <= math.log10(at) <= high + 1e-9:
                continue
            colour = "#333" if at == 1 else "#ddd" if step == 1 else "#f0f0f0"
            out.append(f'<line x1="{x(at):.1f}" x2="{x(at):.1f}" y1="{top}" y2="{bottom}" stroke="{colour}"/>')
            if step == 1 or high - low < 3:
                out.append(f'<text x="{x(at):.1f}" y="{bottom + 16}" text-anchor="middle">{at:g}</text>')
    out.append(f'<text x="{x(1):.1f}" y="{bottom + 34}" text-anchor="middle" fill="#666">slower | faster</text>')
    for number, (name, members) in enumerate(groups.items()):
        middle = top + strip * (number + 0.5)
        found = [ratio(each) or 1.0 for each in members]
        mean = geometric_mean(found)
        out.append(f'<text x="{left - 10}" y="{middle + 4:.1f}" text-anchor="end">{escape(name)}</text>')
        for place, (each, value) in enumerate(zip(members, found)):
            y = middle + (place * 7 % 19 - 9) * 0.9  # apart, in a fixed way
            colour = "#1f77b4" if value >= 1 else "#d62728"
            out.append(f'<circle cx="{x(value):.1f}" cy="{y:.1f}" r="2.6" fill="{colour}" fill-opacity="0.6">'
                       f"<title>{escape(each['name'])}: {value:.3f}</title></circle>")
        out.append(f'<line x1="{x(mean):.1f}" x2="{x(mean):.1f}" y1="{middle - 13:.1f}" y2="{middle + 13:.1f}" '
                   'stroke="black" stroke-width="2"/>')
        out.append(f'<text x="{wide - right + 8}" y="{middle + 4:.1f}">{mean:.2f}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"
