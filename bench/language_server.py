#!/usr/bin/env python3
"""How long the language server takes for a text of 10,000 lines: until its first diagnostics, and after edits.

Usage: language_server.py [PROGRAM] [--mistakes]; PROGRAM is build/release/cli/reckon unless given. With --mistakes one line
of ten has a mistake of syntax. Times are in milliseconds, from the first byte that is sent to the last that arrives.
"""
import json
import subprocess
import sys
import time

LINES = 10_000


def text(mistakes):
    end = "" if mistakes else ";"
    lines = []
    k = 0
    while len(lines) < LINES:
        lines += [
            f"# Circuit number {k}, which a reader may look at.",
            f"fn dot{k}(x: f32[n], y: f32[n]) -> f32 = sum i: x[i] * y[i] by lanes(4, tree) then tree",
            f"fn softmax{k}(x: f32[n]) -> f32[n] = {{",
            f"  let m = max i: x[i]{end}",
            "  let e = for i: exp(x[i] - m);",
            "  let s = sum i: e[i] by lanes(8, seq) then tree;",
            "  for i: e[i] / s",
            "}",
            f"let half{k} = 0.5 * {k}",
            f"check dot{k} == dot{k} in algebra" if k % 5 == 0 else "",
        ]
        k += 1
    return "\n".join(lines[:LINES]) + "\n"


class Server:
    def __init__(self, program):
        self.process = subprocess.Popen([program, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def send(self, method, parameters, is_request=False):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if is_request:
            self.last += 1
            message["id"] = self.last
        body = json.dumps(message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self, wanted):
        while True:
            length = 0
            while (line := self.process.stdout.readline().strip()) != b"":
                name, value = line.split(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            message = json.loads(self.process.stdout.read(length))
            if wanted(message):
                return message

    def request(self, method, parameters):
        self.send(method, parameters, is_request=True)
        return self.receive(lambda message: message.get("id") == self.last)

    def diagnostics_after(self, method, parameters):
        begin = time.perf_counter()
        self.send(method, parameters)
        message = self.receive(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        return 1e3 * (time.perf_counter() - begin), len(message["params"]["diagnostics"])


def main():
    words = [word for word in sys.argv[1:] if not word.startswith("--")]
    server = Server(words[0] if words else "build/release/cli/reckon")
    server.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    server.send("initialized", {})
    uri = "file:///tmp/long.rk"
    document = {"uri": uri, "languageId": "reckon", "version": 1, "text": text("--mistakes" in sys.argv)}
    took, count = server.diagnostics_after("textDocument/didOpen", {"textDocument": document})
    print(f"opened: {took:6.0f} ms, {count} diagnostics")
    edits = [(5001, 70, 70, " "), (5003, 2, 2, " "), (11, 70, 70, " "), (5009, 0, 0, "fn z(x: f32) -> f32 = x\n"),
             (4001, 0, 2, "fm"), (4001, 0, 2, "fn")]
    for version, (line, begin, end, new) in enumerate(edits, 2):
        place = {"start": {"line": line, "character": begin}, "end": {"line": line, "character": end}}
        change = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"range": place, "text": new}]}
        took, count = server.diagnostics_after("textDocument/didChange", change)
        print(f"edited: {took:6.0f} ms, {count} diagnostics")
    server.request("shutdown", None)
    server.send("exit", None)


main()
