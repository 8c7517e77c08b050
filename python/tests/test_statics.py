"""Trees, schedules, layouts, against what they mean."""

import xml.dom.minidom

import pytest

import reckon
from reckon import Layout, Schedule, Tree


def test_trees():
    found = reckon.tree("lanes(4, tree) then tree", 6)
    assert found == "(((0 4) (1 5)) (2 3))" and found.nested == (((0, 4), (1, 5)), (2, 3)) and found.depth == 3
    assert found.leaves == (0, 4, 1, 5, 2, 3) and hash(found) == hash(Tree(str(found)))
    assert reckon.tree("seq", 1).nested == 0
    for n in (1, 2, 5, 17):
        tree = 0
        for k in range(1, n):
            tree = (tree, k)
        assert Schedule("seq").tree(n).nested == tree


def test_schedules():
    order = Schedule("lanes( 4,tree ) then tree")
    assert order.text == "lanes(4, tree) then tree" and repr(order) == "Schedule('lanes(4, tree) then tree')"
    assert (
        order == Schedule(order) == "lanes(4, tree) then tree"
        and order != Schedule("tree")
        and len({order, order}) == 1
    )
    composed = Schedule("tile(2, seq)").then("tree") if stage_is_a_schedule() else Schedule("tile(2, seq) then tree")
    assert composed.tree(4) == "((0 1) (2 3))"
    assert order.same("lanes(4, seq) then tree", 8) and not order.same("seq", 8)
    assert Schedule("numpy").depth(1000) == reckon.eval("depth(numpy, 1000)")
    with pytest.raises(reckon.SourceError, match="is a layout, not a schedule"):
        Schedule("8:1")
    with pytest.raises(reckon.SourceError):
        Schedule("lanes(4")


def stage_is_a_schedule():
    try:
        Schedule("tile(2, seq)")
        return True
    except reckon.Error:
        return False


def test_pictures():
    for drawn in (Schedule("tree"), Layout("(2, 4):(1, 2)"), reckon.tree("seq", 5)):
        assert xml.dom.minidom.parseString(drawn._repr_svg_()).documentElement.tagName == "svg"
    assert "15" in str(Schedule("tree")) and "15" not in Schedule("tree").draw(8)
    assert "7" in str(Layout("(2, 4):(1, 2)"))
    assert Layout("2:1").draw(caption=False) == "    0 1\n  +----\n0 | 0 1\n"
    assert Schedule("seq").draw(2, "pdf").endswith("%%EOF\n")
    with pytest.raises(reckon.Error, match="`png` is no form of pictures"):
        reckon.tree("seq", 2).draw("png")


def test_layouts():
    layout = Layout("(2, 4):(4, 1)")
    assert [layout(k) for k in range(8)] == [(k % 2) * 4 + k // 2 for k in range(8)]
    assert layout(1, 3) == 7 and layout.size == 8 and layout.cosize == 8
    assert Layout("(2, 4):(1, 2)") == Layout("8:1") == "8:1" and layout != Layout("8:1")
    assert Layout("(2, 4):(1, 2)").coalesce().text == "8:1"
    composed = layout.compose(Layout("4:2"))
    assert [composed(k) for k in range(4)] == [layout(2 * k) for k in range(4)]
    with pytest.raises(TypeError):
        hash(layout)
