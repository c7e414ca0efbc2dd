# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr mcp: the Model Context Protocol as a client speaks it. What tools answer is what the verbs
print with --format=json; wrong messages get their errors; nothing outside of the folders is read;
whatever happens to a session or to who answers, the server goes on."""
import json
import os
import shutil
import signal
import subprocess

import lab

MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
BYTES = 20000  # of an answer, unless more is asked for
WHOLE = {"limit": 1000, "max_bytes": 1000000}


class Client:
    def __init__(self, bench, *args, version="2025-11-25", cwd=None):
        self.process = bench.start(lab.COMMAND, "mcp", *args, cwd=cwd, stdin=subprocess.PIPE)
        self.number = 0
        if version:
            self.hello = self.ask("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def raw(self, text):
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def send(self, message):
        self.raw(json.dumps(message) + "\n")

    def receive(self):
        line = self.process.stdout.readline()
        lab.check(line.endswith("\n"), f"the server ended: {self.process.poll()}")
        message = json.loads(line)
        lab.equal(message["jsonrpc"], "2.0", "jsonrpc")
        return message

    def request(self, method, **params):
        """Sends it; returns its id."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def whole(self, method, **params):
        number = self.request(method, **params)
        message = self.receive()
        lab.equal(message["id"], number, "id of the answer")
        return message

    def ask(self, method, **params):
        message = self.whole(method, **params)
        lab.check("result" in message, f"{method}: {message}")
        return message["result"]

    def call(self, tool, **arguments):
        return self.ask("tools/call", name=tool, arguments=arguments)

    def tool(self, name, **arguments):
        """What the tool has answered; its text says the same."""
        result = self.call(name, **arguments)
        lab.check(not result.get("isError"), f"{name} {arguments}: {result['content'][0]['text']}")
        lab.equal(json.loads(result["content"][0]["text"]), result["structuredContent"], f"{name}: text and structure")
        return result["structuredContent"]

    def fails(self, name, **arguments):
        """Why it has not."""
        result = self.call(name, **arguments)
        lab.check(result.get("isError") and "structuredContent" not in result, f"{name} {arguments}: {result}")
        return result["content"][0]["text"]

    def end(self, status=0):
        self.process.stdin.close()
        lab.equal(self.process.wait(lab.TIMEOUT), status, "exit status")
        lab.equal(self.process.stdout.read(), "", "what it says at its end")


def recorded(bench, session="cinstr.data", name="objects"):
    program = bench.compile("programs/objects.c", name, "-O2", "-g", "-pthread")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path(session)})


def verb(bench, *args):
    return json.loads(bench.cinstr(args[0], "--format=json", *args[1:]))


def is_part(part, whole):
    """What is left out is no value, or a list of nothing, or known from around."""
    return all(name in whole and (whole[name] == value or isinstance(value, list)) for name, value in part.items())


def same_rows(got, expected, what):
    lab.equal(len(got), len(expected), f"{what}: rows")
    for one, other in zip(got, expected):
        lab.check(one and is_part(one, other), f"{what}: {one}, expected {other}")


def steps(client, answer, what):
    """What it says to ask next can be asked as it is; lines only where calls were recorded."""
    for step in answer["answer"]["next"]:
        if "if its calls were recorded" in step["why"]:
            result = client.call(step["tool"], **step["arguments"])
            lab.check("structuredContent" in result or "with a known source" in result["content"][0]["text"], f"{step}: {result}")
        else:
            client.tool(step["tool"], **step["arguments"])
    return [step["tool"] for step in answer["answer"]["next"]] or lab.check(False, f"{what}: nothing is next")


@lab.test("mcp/every tool")
def every_tool(bench):
    recorded(bench)
    recorded(bench, "b.data")
    shutil.copytree(bench.path("cinstr.data"), bench.path("a.data"))
    client = Client(bench)
    lab.equal(client.hello["protocolVersion"], "2025-11-25", "version")
    listed = [tool["name"] for tool in client.ask("tools/list")["tools"]]
    lab.equal(listed, ["summary", "findings", "report", "callers", "annotate", "waits", "diff", "explain"], "tools")

    expected = verb(bench, "summary", "--limit=5", bench.path("cinstr.data"))
    summary = client.tool("summary")
    lab.equal(summary["recording"], expected["recording"], "summary: recording")
    same_rows(summary["cpu_exclusive"], expected["cpu_exclusive"], "summary")
    lab.check("processes" not in summary, "summary has too much")
    steps(client, summary, "summary")

    report = client.tool("report", **WHOLE)
    same_rows(report["rows"], verb(bench, "report", bench.path("cinstr.data"))["rows"], "report")
    lab.check(not any("probe_overhead_inclusive_ns" in row for row in report["rows"]), "report has all columns")
    lab.equal(steps(client, report, "report"), ["annotate", "callers"], "after a report")
    rows = client.tool("report", columns="all", by="site", sort="calls", **WHOLE)["rows"]
    lab.check("probe_overhead_inclusive_ns" in rows[0], f"all columns: {rows[0]}")
    same_rows(rows, verb(bench, "report", "--columns=all", "--by=site", "--sort=calls", bench.path("cinstr.data"))["rows"], "by site")

    for sites in (False, True):
        callers = client.tool("callers", function="wants_*", sites=sites, **WHOLE)
        options = ["--sites"] if sites else []
        same_rows(callers["rows"], verb(bench, "callers", *options, "wants_*", bench.path("cinstr.data"))["rows"], "callers")
        steps(client, callers, "callers")

    lines = client.tool("annotate", function="wants_mutex", **WHOLE)["sources"]
    expected = verb(bench, "annotate", "wants_mutex", bench.path("cinstr.data"))["sources"]
    lab.equal([source["function"] for source in lines], [source["function"] for source in expected], "annotate")
    same_rows(lines[0]["lines"], expected[0]["lines"], "annotate")
    lab.check("file" not in lines[0]["lines"][0], "a line tells its file")

    waits = client.tool("waits", **WHOLE)
    same_rows(waits["waits"], verb(bench, "waits", bench.path("cinstr.data"))["waits"], "waits")
    steps(client, waits, "waits")

    diff = client.tool("diff", a=["a.data"], b=["cinstr.data"], column="calls", **WHOLE)
    expected = verb(bench, "diff", "--column=calls", bench.path("a.data"), bench.path("cinstr.data"))
    lab.equal(diff["session"]["total_change"] if "total_change" in diff["session"] else 0, 0, "diff of the same")
    same_rows(diff["rows"], expected["rows"], "diff")
    several = client.tool("diff", a=["a.data", "cinstr.data"], b=["b.data", "cinstr.data"])
    lab.equal([len(several["session"][side]) for side in "ab"], [2, 2], "sessions of each side")

    findings = client.tool("findings")
    same_rows(findings["findings"], verb(bench, "summary", "--findings", bench.path("cinstr.data"))["findings"], "findings")
    lab.equal(findings["answer"]["command"],
              f"cinstr summary --format=json --findings {os.path.realpath(bench.path('cinstr.data'))}", "command")
    text = client.tool("explain", id="CF0102")["text"]
    lab.equal(text, bench.cinstr("summary", "--explain=CF0102", "--width=100"), "explain")
    client.end()


@lab.test("mcp/schemas of answers")
def of_answers(bench):
    """Answers are as `cinstr schema` says of the verb, but members may be missing; and as the tool
    itself says."""
    try:
        import jsonschema
    except ImportError:
        raise lab.Skip("jsonschema is not installed")
    recorded(bench)
    client = Client(bench)
    tools = {tool["name"]: tool.get("outputSchema") for tool in client.ask("tools/list")["tools"]}
    lab.equal([name for name, schema in tools.items() if not schema], ["explain"], "tools without a schema of answers")
    for name, arguments in {"summary": {}, "findings": {}, "report": {"columns": "all"}, "callers": {"function": "wants_*"},
                            "annotate": {"function": "wants_mutex"}, "waits": {}, "diff": {"a": ["cinstr.data"], "b": ["cinstr.data"]}}.items():
        answer = client.tool(name, **arguments)
        jsonschema.Draft202012Validator(tools[name]).validate(answer)
        schema = json.loads(bench.cinstr("schema", "summary" if name == "findings" else name))
        for one in schema["$defs"].values():
            one.pop("required", None)
        del answer["answer"]
        validator = jsonschema.Draft202012Validator(schema)
        validator.validate(answer)
        lab.check(not validator.is_valid({**answer, "unexpected": 1}), f"{name}: anything is taken")
    client.end()


@lab.test("mcp/schemas tell what is taken")
def schemas(bench):
    """Each argument of a schema is taken, and others are not."""
    recorded(bench)
    client = Client(bench, "--allow-record")
    values = {"string": "x", "integer": 1, "boolean": True, "array": ["cinstr.data"]}
    for tool in client.ask("tools/list")["tools"]:
        schema = tool["inputSchema"]
        lab.equal((schema["type"], schema["additionalProperties"]), ("object", False), tool["name"])
        lab.check(set(schema["required"]) <= set(schema["properties"]), f"{tool['name']}: required")
        lab.equal(tool["annotations"]["readOnlyHint"], tool["name"] != "record", f"{tool['name']}: hints")
        lab.check("takes" in client.fails(tool["name"], nonsense=1), f"{tool['name']}: an argument that there is not")
        if schema["required"]:
            lab.check(schema["required"][0] in client.fails(tool["name"]), f"{tool['name']}: without {schema['required']}")
        for name, kind in schema["properties"].items():
            lab.check(kind["description"], f"{tool['name']}: {name} says nothing")
            others = {other: values[schema["properties"][other]["type"]] for other in schema["required"] if other != name}
            wrong = 1 if kind["type"] != "integer" else "1"
            said = client.fails(tool["name"], **others, **{name: wrong})
            lab.check(said.startswith(name), f"{tool['name']}: {name}={wrong!r}: {said}")
            if kind["type"] == "integer":
                said = client.fails(tool["name"], **others, **{name: kind["maximum"] + 1})
                lab.check(str(kind["maximum"]) in said, f"{tool['name']}: {name}: {said}")
            if "enum" in kind:
                said = client.fails(tool["name"], **others, **{name: "nonsense"})
                lab.check(kind["enum"][-1] in said, f"{tool['name']}: {name}: {said}")
    lab.check("by is not a text" in client.fails("report", by="line\0"), "a NUL in a text")
    lab.check("there is no such finding" in client.fails("explain", id="CF9999"), "an id that there is not")
    lab.check("nosuchfunction" in client.fails("callers", function="nosuchfunction"), "a function that there is not")
    client.end()


@lab.test("mcp/wrong messages")
def wrong_messages(bench):
    client = Client(bench, version=None)

    def error(text, code, number=None):
        client.raw(text + "\n")
        message = client.receive()
        lab.equal((message["id"], message["error"]["code"]), (number, code), text[:80])
        lab.check(message["error"]["message"], text[:80])
        return message["error"]

    error("{", -32700)
    error("nonsense", -32700)
    error('{"jsonrpc": "2.0", "id": 1, "method": "ping"} more', -32700)
    error('{"jsonrpc": "2.0", "id": 1, "method": "\udcff"}'.encode("utf-8", "surrogateescape").decode("latin-1"), -32601, 1)
    error("[" * 100000, -32700)
    error("x" * (3 << 20), -32700)
    error("null", -32700)
    error("1", -32600)
    error("[]", -32600)
    error('[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600)
    error("{}", -32600)
    error('{"id": 1, "method": "ping"}', -32600, 1)
    error('{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600, 1)
    error('{"jsonrpc": "2.0", "id": 1}', -32600, 1)
    error('{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600, 1)
    error('{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600)
    error('{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600)
    error('{"jsonrpc": "2.0", "id": "a", "method": "ping", "params": [1]}', -32602, "a")
    error('{"jsonrpc": "2.0", "id": 2, "method": "nonsense"}', -32601, 2)
    error('{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}', -32602, 3)  # before initialize
    error('{"jsonrpc": "2.0", "id": 4, "method": "initialize"}', -32602, 4)
    # Nothing of these is answered: notifications, answers, empty lines.
    client.raw('{"jsonrpc": "2.0", "method": "nonsense"}\n{"jsonrpc": "2.0", "method": "notifications/x", "params": 1}\n'
               '{"jsonrpc": "2.0", "id": 9, "result": {}}\n\n  \r\n'
               '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}}\n')
    lab.equal(client.ask("ping"), {}, "ping")
    client.ask("initialize", protocolVersion="2025-06-18", capabilities={})
    error('{"jsonrpc": "2.0", "id": 5, "method": "tools/call"}', -32602, 5)
    error('{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "nonsense"}}', -32602, 5)
    error('{"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "report", "arguments": []}}', -32602, 5)
    error('{"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"cursor": "x"}}', -32602, 5)
    error('{"jsonrpc": "2.0", "id": 5, "method": "server/discover"}', -32601, 5)
    lab.equal(len(client.ask("tools/list")["tools"]), 8, "tools")
    client.end()


@lab.test("mcp/versions")
def versions(bench):
    recorded(bench)
    for asked, answered in (("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"),
                            ("2025-03-26", "2025-11-25"), ("1999-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25")):
        client = Client(bench, version=asked)
        lab.equal(client.hello["protocolVersion"], answered, f"version for {asked}")
        lab.check("tools" in client.hello["capabilities"] and client.hello["instructions"], f"{client.hello}")
        lab.check("resultType" not in client.ask("tools/list"), "what older versions do not have")
        client.end()
    client = Client(bench, version=None)  # each request says its version
    found = client.ask("server/discover", _meta=MODERN)
    lab.equal((found["resultType"], found["supportedVersions"][0], found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]),
              ("complete", "2026-07-28", "cinstr"), "discover")
    tools = client.ask("tools/list", _meta=MODERN)
    lab.check(tools["ttlMs"] > 0 and tools["cacheScope"] == "private" and tools["resultType"] == "complete", f"{tools}")
    result = client.ask("tools/call", name="report", arguments={}, _meta=MODERN)
    lab.check(result["resultType"] == "complete" and result["structuredContent"]["rows"], "a call")
    refused = client.whole("tools/list", _meta={**MODERN, "io.modelcontextprotocol/protocolVersion": "1900-01-01"})["error"]
    lab.equal((refused["code"], refused["data"]["requested"]), (-32022, "1900-01-01"), "another version")
    lab.check("2026-07-28" in refused["data"]["supported"], f"{refused}")
    without = {name: value for name, value in MODERN.items() if "Capabilities" not in name}
    lab.equal(client.whole("tools/list", _meta=without)["error"]["code"], -32602, "without capabilities")
    lab.equal(client.whole("ping", _meta=MODERN)["error"]["code"], -32601, "ping, which is no more")
    lab.equal(client.whole("tools/list")["error"]["code"], -32602, "no version at all")
    client.end()


@lab.test("mcp/only its folders")
def folders(bench):
    os.makedirs(bench.path("in/sub"))
    os.makedirs(bench.path("other"))
    recorded(bench, "outside.data")
    for place in ("in/cinstr.data", "in/sub/deep.data", "in/mixed.data", "other/x.data"):
        shutil.copytree(bench.path("outside.data"), bench.path(place))
    os.symlink("../outside.data", bench.path("in/link.data"))
    os.symlink("sub/deep.data", bench.path("in/inner.data"))
    os.symlink(bench.path("other"), bench.path("in/way"))
    file = lab.data_files(bench.path("in/mixed.data"))[0]
    os.remove(file)
    os.symlink(lab.data_files(bench.path("outside.data"))[0], file)
    client = Client(bench, "in", "--allow-record")
    for session in ("cinstr.data", "sub/deep.data", "inner.data", "sub/../cinstr.data", bench.path("in/cinstr.data")):
        lab.check(client.tool("report", session=session)["rows"], session)
    for session in ("link.data", "../outside.data", bench.path("outside.data"), "way/x.data", "sub/../../outside.data", "mixed.data",
                    "/etc/passwd", "/"):
        for tool, arguments in (("report", {"session": session}), ("diff", {"a": ["cinstr.data"], "b": [session]})):
            said = client.fails(tool, **arguments)
            lab.check("out of the folders" in said or "outside of the folders" in said, f"{session}: {said}")
    lab.check("; there is " in client.fails("report", session="nonsense"), "what there is")
    for name in ("../new.data", "way/new.data", bench.path("new.data"), "link.data", "..", "sub/.", "a/b/c", "%p.data", ""):
        said = client.fails("record", program="/bin/true", session=name)
        lab.check("outside of the folders" in said or "not a name" in said, f"{name}: {said}")
    lab.equal(sorted(os.listdir(bench.folder)), ["in", "objects", "other", "outside.data"], "what was made")
    client.end()
    both = Client(bench, "in", "other")
    lab.check(both.tool("report", session="x.data")["rows"] and both.tool("report", session="way/x.data")["rows"], "the second folder")
    both.end()
    done = bench.run(lab.COMMAND, "mcp", "nonsense", status=2, input="")
    lab.check("nonsense: No such file" in done.stderr, done.stderr)


def many_functions(bench):
    """A program of 150 functions with names of 300 letters."""
    names = [f"f{number:03}_" + "x" * 300 for number in range(150)]
    text = "".join(f"__attribute__((noipa)) int {name}(int x) {{ return x + 1; }}\n" for name in names)
    calls = "".join(f"\tx = {name}(x);\n" for name in names)
    program = bench.compile(bench.write("many.c", f"{text}int main(void)\n{{\n\tint x = 0;\n{calls}\treturn x != 150;\n}}\n"), "many")
    bench.run(program, status=0)
    return names


@lab.test("mcp/huge answers")
def huge(bench):
    names = many_functions(bench)
    client = Client(bench)

    def pages(tool, rows_of, **arguments):
        rows, offset = [], 0
        while True:
            answer = client.tool(tool, offset=offset, **arguments)
            lab.check(len(json.dumps(answer, separators=(",", ":"))) <= arguments.get("max_bytes", BYTES), f"{tool}: bytes of a page")
            page = answer["answer"]["page"]
            lab.equal((page["offset"], page["shown"]), (offset, len(rows_of(answer))), f"{tool}: page")
            rows += rows_of(answer)
            if "next_offset" not in page:
                lab.equal(page["total"], len(rows), f"{tool}: rows of all pages")
                return rows
            lab.check(0 < page["shown"] <= arguments.get("limit", 50), f"{tool}: rows of a page")
            lab.equal(answer["answer"]["next"][-1]["arguments"]["offset"], offset + page["shown"], f"{tool}: the next page")
            offset = page["next_offset"]

    def rows(answer):
        return answer["rows"]

    got = [row["name"] for row in pages("report", rows, function="f*")]
    lab.check(sorted(got) == names, f"report: {len(got)} names")
    got = [row["name"] for row in pages("report", rows, function="f*", limit=7)]
    lab.check(sorted(got) == names, f"report: {len(got)} names in pages of 7")
    pages("report", rows, function="f*", columns="all", max_bytes=5000)
    pages("report", rows, by="site", limit=1000, max_bytes=100000)
    lab.equal(len([row for row in pages("callers", rows, function="main") if row["type"] == "callee"]), 150, "callees")
    lines = pages("annotate", lambda answer: [line for source in answer["sources"] for line in source["lines"]], function="main")
    lab.equal(len([line for line in lines if line.get("callees")]), 150, "lines that call")
    lab.equal(client.tool("report", offset=5000)["rows"], [], "behind the end")
    lab.check(len(json.dumps(client.tool("summary", max_bytes=4000))) < 5000, "a small summary")
    text = client.tool("explain", id="all", max_bytes=4000)
    lab.check(text["text_is_cut"] and len(text["text"]) < 4000, "all findings")
    client.end()


@lab.test("mcp/sessions that change")
def changes(bench):
    recorded(bench)
    client = Client(bench)

    def calls(name):
        found = {row["name"]: row.get("calls") for row in client.tool("report", **WHOLE)["rows"]}
        return found.get(name)

    lab.equal(calls("sem_post"), 2, "calls")
    program = bench.compile(bench.write("other.c", "__attribute__((noipa)) void other(void) {}\n"
                                        "int main(void) { for (int i = 0; i < 7; i++) other(); return 0; }\n"), "other")
    bench.run(program, status=0)  # the session is another one now
    lab.equal((calls("other"), calls("sem_post")), (7, None), "calls of the new session")
    file = lab.data_files(bench.path("cinstr.data"))[0]
    with open(file, "r+b") as data:
        data.truncate(100)  # damaged
    lab.check(len(client.fails("report")) > 10, "why a damaged session is not shown")
    with open(file, "wb") as data:
        data.write(b"x" * 100000)
    client.fails("report")
    client.fails("summary")
    shutil.rmtree(bench.path("cinstr.data"))
    lab.check("there is no such session; there is cinstr.data.old" in client.fails("report"), "where it was")
    lab.check(client.tool("report", session="cinstr.data.old")["rows"], "the older one")
    os.mkdir(bench.path("cinstr.data"))
    lab.check("no data" in client.fails("report"), "an empty folder")
    client.end()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(word) for word in file.read().split()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@lab.test("mcp/who answers is killed")
def killed(bench):
    recorded(bench)
    client = Client(bench)
    expected = client.tool("report")
    for number in (signal.SIGKILL, signal.SIGSEGV, signal.SIGSTOP):
        worker, = children(client.process.pid)
        os.kill(worker, number)
        if number == signal.SIGSTOP:  # a call that takes long, which the client takes back
            late = client.request("tools/call", name="report", arguments={})
            client.ask("ping")  # it has begun
            client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": late}})
        lab.equal(client.tool("report"), expected, f"after {number.name}")
    worker, = children(client.process.pid)  # it ends while it has a call, which another one answers
    os.kill(worker, signal.SIGSTOP)
    number = client.request("tools/call", name="report", arguments={})
    client.ask("ping")
    client.ask("ping")  # it has begun: what comes with the first one may be read with the call
    os.kill(worker, signal.SIGKILL)
    message = client.receive()
    lab.equal((message["id"], message["result"].get("structuredContent")), (number, expected), "after the end in a call")
    client.end()


@lab.test("mcp/stdin and stdout end")
def ends(bench):
    recorded(bench)
    for last in ("", '{"jsonrpc": "2.0", "id"', "x"):  # in the middle of a line
        client = Client(bench)
        client.raw(last)
        client.end()
    client = Client(bench)  # what was asked is answered
    first, second = client.request("tools/call", name="report", arguments={}), client.request("tools/call", name="waits", arguments={})
    client.process.stdin.close()
    lab.equal([client.receive()["id"] for _ in range(2)], [first, second], "answers to what was asked")
    lab.equal(client.process.wait(lab.TIMEOUT), 0, "exit status")
    client = Client(bench)  # nobody reads
    client.process.stdout.close()
    client.request("ping")
    client.process.wait(lab.TIMEOUT)
    client = Client(bench)  # the server is killed: nothing of it is left
    client.tool("report")
    worker, = children(client.process.pid)
    os.kill(worker, signal.SIGSTOP)
    client.process.kill()
    lab.wait_for(lambda: not is_running(worker), "the end of the worker")
    done = bench.run("script", "-qec", f"{lab.COMMAND} mcp", "/dev/null", status=2)
    lab.check("terminal" in done.stdout, f"at a terminal: {done.stdout}")


@lab.test("mcp/record")
def record(bench):
    program = bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread")
    client = Client(bench)
    lab.check("--allow-record" in client.fails("record", program=program), "not allowed")
    lab.check(not os.path.exists(bench.path("cinstr.data")), "it was recorded all the same")
    client.end()
    client = Client(bench, "--allow-record")
    lab.check("record" in [tool["name"] for tool in client.ask("tools/list")["tools"]], "tools")
    answer = client.tool("record", program="./objects", session="new.data")
    lab.equal((answer["exit_status"], answer["session"]), (0, os.path.realpath(bench.path("new.data"))), "what was recorded")
    steps(client, answer, "record")
    lab.check(client.tool("report", session="new.data")["rows"], "what was recorded")
    answer = client.tool("record", program="sh", args=["-c", "echo 'a  \033b'; echo c >&2; cat; exit 3", "--output=x"], sample=True)
    lab.equal(answer["exit_status"], 3, "exit status")
    lab.check("a  \\x1bb\n" in answer["printed"] and "c\n" in answer["printed"], f"what it printed: {answer['printed']}")
    answer = client.tool("record", program="sh", args=["-c", "yes | head -c 10000000; kill -9 $$"], sample=True)
    lab.check(answer["signal"] == "Killed" and len(answer["printed"]) < BYTES, f"{answer}"[:500])
    lab.check(client.tool("record", program="/nonsense", sample=True)["exit_status"], "a program that there is not")
    answer = client.tool("record", program="sleep", args=["1000"], sample=True, time_limit_s=1)
    lab.check(answer["was_stopped_at_time_limit"] and answer["signal"] == "Terminated", f"{answer}")
    # ... and one that does not want to end, with what it has started
    answer = client.tool("record", program="sh", args=["-c", "trap '' TERM; sleep 1000 & echo $$ $!; while :; do sleep 1; done"],
                         sample=True, time_limit_s=1)
    lab.equal((answer["was_stopped_at_time_limit"], answer["signal"]), (True, "Killed"), "a stubborn program")
    for pid in answer["printed"].split()[:2]:
        lab.wait_for(lambda pid=pid: not is_running(pid), f"the end of {answer['printed']}")
    answer = client.tool("record", program="sh", args=["-c", "sleep 1000 > /dev/null 2>&1 & echo $!"], sample=True, time_limit_s=100)
    lab.check("was_stopped_at_time_limit" not in answer and answer["exit_status"] == 0, f"{answer}")
    lab.wait_for(lambda: not is_running(answer["printed"].split()[0]), "the end of what it left running")
    # A call that is taken back is not answered; others go on meanwhile.
    number = client.request("tools/call", name="record", arguments={"program": "sleep", "args": ["1000"], "sample": True})
    lab.equal(client.ask("ping"), {}, "ping meanwhile")
    waits = client.request("tools/call", name="explain", arguments={"id": "CF0101"})
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
    lab.equal(client.receive()["id"], waits, "the next answer")
    client.request("tools/call", name="record", arguments={"program": "sleep", "args": ["1000"], "sample": True})
    lab.equal(client.ask("ping"), {}, "ping meanwhile")
    client.process.stdin.close()  # it is not waited for
    lab.check(client.receive()["result"]["structuredContent"]["was_stopped_at_time_limit"], "stopped at the end")
    lab.equal(client.process.wait(lab.TIMEOUT), 0, "exit status")
