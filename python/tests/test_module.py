"""Programs as modules: names, documentation, signatures, expressions, static values, errors."""

import inspect
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from fractions import Fraction
from pathlib import Path

import pytest

import reckon


def test_circuits_are_attributes_with_documentation_and_a_signature(rk):
    assert rk.dot is rk.dot and rk["dot"] is rk.dot and "dot" in dir(rk) and "dot" in rk.circuits
    assert rk.dot.__doc__ == "Sums of products, in pairs.\nThe order is a balanced tree."
    assert repr(rk.dot) == "<circuit dot(x: f32[n], y: f32[n]) -> f32>"
    first = rk.matvec.parameters[0]
    assert (first.name, first.type, first.rank, first.shape, str(first)) == (
        "a",
        "f32",
        2,
        ("m", "k"),
        "a: f32[m, k]",
    )
    assert list(inspect.signature(rk.dot).parameters)[:2] == ["x", "y"]
    assert rk.blocked.static_parameters == ("k",)
    assert rk.dot(y=[1.0], x=[2.0]) == 2


def test_other_names_are_values(rk):
    assert rk.width == 4 and rk.order == reckon.Schedule("lanes(4, tree) then tree") and rk.pairs == "8:1"
    with pytest.raises(AttributeError, match="the program has no `dott`; is `dot` meant?"):
        rk.dott
    with pytest.raises(KeyError):
        rk["1 + 1"]


def test_expressions(rk):
    assert rk.eval("1/3 + 1/6") == Fraction(1, 2)
    assert rk.eval("width * 2") == 8
    assert rk.eval("(2, 3)") == (2, 3) and rk.eval('"text"') == "text" and rk.eval("1 < 2") is True
    assert rk.eval("in_order(v)", v=[1.5, 2.5]) == 4
    assert reckon.eval("2 * 3") == 6
    exact = rk.eval("in_order(v) / 3", semantics="exact", v=[1.0])
    assert exact.fractions == Fraction(1, 3)


def test_run_carries_out_items(rk):
    found = rk.run(
        "show width\ncheck in_order == in_pairs in algebra\nshow in_order([1, 2])\n"
        "show (in_order([1, 2]), in_pairs([1, 2]))"
    )
    assert found[0] == 4 and found[1].verdict == "holds" and found[2] == 3 and found[3] == (3, 3)
    with pytest.raises(reckon.SourceError, match="out of range|outside|subscript") as caught:
        rk.run("show width\nshow [f32(1), 2][5]")
    assert caught.value.partial == (4,)
    module = reckon.loads("fn f(x: f32) -> f32 = x")
    module.run("# Doubles.\nfn g(x: f32) -> f32 = 2 * x")
    assert module.g(3.0) == 6 and module.g.__doc__ == "Doubles."


def test_files(tmp_path):
    path = tmp_path / "sums.rk"
    path.write_text('import "schedules"\n# A sum.\nfn f(x: f32[n]) -> f32 = sum i: x[i] by numpy\n')
    rk = reckon.load(path)
    assert rk.f([1, 2, 3]) == 6 and rk.f.__doc__ == "A sum." and "sums" in repr(rk)
    with pytest.raises(FileNotFoundError, match="missing.rk"):
        reckon.load(tmp_path / "missing.rk")


def test_a_mistake_is_an_exception_with_the_diagnostic(rk):
    with pytest.raises(reckon.SourceError) as caught:
        reckon.loads("fn f(x: f32[n]) -> f32 =\n  sum i: y[i]", "mine.rk")
    error = caught.value
    message = error.messages[0]
    assert str(error).startswith("error[") and "--> mine.rk:2:10" in str(error)
    assert (message.file, message.line, message.column) == ("mine.rk", 2, 10)
    assert message.code == error.code and message.code.startswith("E") and "y" in message.message
    with pytest.raises(reckon.SourceError):
        rk.eval("1 +")
    with pytest.raises(reckon.SourceError, match="null byte"):
        reckon.loads("fn f(x: f32) -> f32 = x\0 nonsense")
    with pytest.raises(reckon.SourceError, match="nonsense"):
        rk.in_order([1.0], semantics="nonsense")


def test_nothing_can_be_pickled(rk):
    for each in (rk, rk.dot):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(each)


def test_compiled_texts(rk):
    assert ".visible .entry" in rk.dot.compile("ptx", n=100)
    assert "reduce" in rk.dot.compile("ir")
    assert rk.in_order.tree(3) == "((0 1) 2)"
    assert rk.blocked.tree(5, k=2) == "(((0 1) (2 3)) 4)"
    assert rk.in_order.draw(3, caption=False) == "0 -+-+\n1 -' |\n2 ---'\n"
    assert "5 leaves" in rk.blocked.draw(5, k=2) and rk.in_order.draw(3, "pdf").startswith("%PDF-1.4")
    with pytest.raises(reckon.Error, match="how many leaves"):
        rk.in_order.draw()
    with pytest.raises(reckon.Error, match="sideways"):
        rk.dot.compile("sideways")


def python(code, **options):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
        **options
    )


LONG = "fn f(x: f32[n]) -> f32 = sum i: x[i] by seq\nfn g(x: f32[n]) -> f32 = sum i: x[i] by tree"


def test_ctrl_c_ends_a_check_and_leaves_the_session_usable():
    rk = reckon.loads(LONG, budget=60)
    timer = threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    start = time.monotonic()
    with pytest.raises(reckon.Interrupted) as caught:
        while True:
            rk.check("f ~ g within 1e30 in float for n: {300000} trials 100000")
    assert isinstance(caught.value, KeyboardInterrupt) and time.monotonic() - start < 20
    timer.join()
    assert rk.f([1, 2]) == 3 and rk.check("f == g in algebra").verdict == "holds"


def test_the_exception_of_another_signals_handler_goes_through():
    class Late(Exception):
        pass

    def late(*_):
        raise Late

    rk = reckon.loads(LONG, budget=60)
    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(Late):
            while True:
                rk.check("f ~ g within 1e30 in float for n: {300000} trials 100000")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rk.f([1, 2]) == 3


def test_a_handler_that_asks_the_busy_session_gets_an_error():
    rk = reckon.loads(LONG, budget=3)
    seen = []

    def ask(*_):
        try:
            rk.f([1.0, 2.0, 3.0])
        except Exception as error:
            seen.append(error)

    before = signal.signal(signal.SIGALRM, ask)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        rk.check("f ~ g within 1e30 in float for n: {100000} trials 30")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not seen or isinstance(seen[0], reckon.UsageError)


def test_a_forked_child_gets_an_error_and_can_load_again():
    found = python(
        """
        import os, reckon, sys
        rk = reckon.loads("fn f(x: f32[n]) -> f32 = sum i: x[i] by seq")
        f = rk.f
        assert f([1, 2]) == 3
        interval = f([1, 2], semantics="interval")
        reckon.eval("1 + 1")
        child = os.fork()
        if child == 0:
            good = 0
            for use in (lambda: f([1, 2]), lambda: rk.f([3]), lambda: rk.check("f == f in float"), lambda: interval.lo):
                try:
                    use()
                except reckon.ForkError as error:
                    good += "forked" in str(error) and "load the program again" in str(error)
            again = reckon.loads("fn f(x: f32[n]) -> f32 = sum i: x[i] by seq")
            good += again.f([1, 2]) == 3
            good += reckon.eval("1 + 1") == 2
            del rk, f, interval, again
            sys.exit(int(good))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        assert f([1, 2]) == 3
        print(status)
        """
    )
    assert (found.stdout, found.stderr) == ("6\n", "")


def test_without_numpy():
    found = python(
        """
        import sys
        sys.modules["numpy"] = None
        import array, reckon
        rk = reckon.loads("fn f(x: f32[n]) -> f32[n] = for i: 2 * x[i]\\nfn g(x: f32[n]) -> f32 = sum i: x[i] by seq")
        assert rk.f([1, 2.5]).tolist() == [2, 5]
        assert rk.f(array.array("f", [1, 2.5])).tolist() == [2, 5]
        assert rk.g([0.5, 1]) == 1.5
        interval = rk.g([0.1, 0.2], semantics="interval")
        assert interval.lo <= 0.30000000447034836 <= interval.hi
        import functools, operator
        found = reckon.reveal(lambda x: functools.reduce(operator.add, x), n=6, dtype="f64")
        assert found.schedule.text == "seq", found
        try:
            rk.g(array.array("d", [1]))
        except reckon.ArgumentError as error:
            print(error)
        """
    )
    assert found.stderr == "" and "has elements of f32, and this array is of f64" in found.stdout


def test_a_library_that_is_missing_is_told():
    code = "import reckon\nreckon.loads('')"
    environment = {**os.environ, "RECKON_LIBRARY": "/nowhere/libreckon.so", "PYTHONPATH": os.pathsep.join(sys.path)}
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert "libreckon.so cannot be loaded" in found.stderr and "RECKON_LIBRARY names the file" in found.stderr


def test_what_is_no_text_is_refused():
    rk = reckon.loads("fn f(x: f32) -> f32 = x")
    for call in (reckon.loads, rk.check, rk.run, rk.eval):
        with pytest.raises(TypeError, match="a text is wanted, not int"):
            call(3)
        with pytest.raises(TypeError, match="a text is wanted, not PosixPath"):
            call(Path("program.rk"))
    with pytest.raises(TypeError, match="a text is wanted, not int"):
        rk.eval(3, semantics="float")
