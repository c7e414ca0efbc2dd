# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr serve: who gets in (doc/security.md), and how it begins and ends."""
import os
import re
import signal
import socket
import stat
import time

import lab
import served
import sessions


def start(bench, *arguments, **more):
    return served.Server(bench, *arguments, sessions.golden(bench, "pool"), **more)


@lab.test("serve/begin and end")
def begin_and_end(bench):
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        server = start(bench, env={"TMPDIR": bench.folder})
        lab.equal(server.get()[0], 200, "status of the page")
        lab.equal(server.end(number), 0, f"exit status after {number.name}")
        lab.equal(server.process.stderr.read(), "", "on stderr")
        with socket.socket() as probe:
            lab.check(probe.connect_ex(("127.0.0.1", server.port)) != 0, "the port is still open")
    lab.equal([name for name in os.listdir(bench.folder) if name.startswith("cinstr-serve")], [], "folders left behind")


@lab.test("serve/port")
def port(bench):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        done = bench.run(lab.COMMAND, "serve", f"--port={number}", sessions.golden(bench, "pool"), status=1)
        lab.equal(done.stderr, f"cinstr: error: serve: 127.0.0.1, port {number}: Address already in use\n", "a port that is taken")
    server = start(bench, f"--port={number}")
    lab.equal(server.port, number, "the port that was asked for")
    lab.equal(server.end(), 0, "exit status")
    lab.check("ports are 1 to 65535" in bench.run(lab.COMMAND, "serve", "--port=65536", status=2).stderr, "port 65536 is taken")
    done = bench.run(lab.COMMAND, "serve", bench.path("nothing"), status=1)
    lab.check("nothing" in done.stderr and not done.stdout, f"a session that is not there: {done.stdout!r}, {done.stderr!r}")


@lab.test("serve/on this machine only")
def here_only(bench):
    server = start(bench)
    number = f"{server.port:04X}"
    listening = set()
    for name in "tcp", "tcp6":
        with open("/proc/net/" + name) as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[1].endswith(":" + number) and fields[3] == "0A":
                    listening.add(fields[1])
    lab.equal(listening, {"0100007F:" + number}, "where it listens")
    server.end()


@lab.test("serve/headers")
def headers(bench):
    server = start(bench)
    edition = server.state()["edition"]
    for path, kind in (("", "text/html; charset=utf-8"), ("state", "application/json"),
                       (f"{edition}/index", "application/octet-stream"), ("no such", "text/plain; charset=utf-8")):
        status, head, _ = server.get(path)
        lab.equal(status, 404 if path == "no such" else 200, f"status of {path!r}")
        lab.equal(head.get("content-type"), kind, f"type of {path!r}")
        for name, value in (("cache-control", "no-store"), ("x-content-type-options", "nosniff"), ("x-frame-options", "DENY"),
                            ("referrer-policy", "no-referrer"), ("cross-origin-resource-policy", "same-origin")):
            lab.equal(head.get(name), value, f"{name} of {path!r}")
        policy = head.get("content-security-policy", "")
        for word in "default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'":
            lab.check(word in policy, f"the policy of {path!r} lacks {word}: {policy}")
        lab.equal([name for name in head if name.startswith("access-control")], [], "CORS")
    status, head, body = server.get("", method="HEAD")
    lab.equal((status, body), (200, b""), "HEAD")
    lab.equal(int(head["content-length"]), len(server.get()[2]), "length that HEAD tells")
    server.end()


@lab.test("serve/refused")
def refused(bench):
    server = start(bench)
    for host in ("evil.example", f"evil.example:{server.port}", f"127.0.0.1.evil.example:{server.port}", "127.0.0.1", "localhost",
                 f"127.0.0.1:{server.port + 1}", f"[::1]:{server.port}", ""):
        status, _, body = server.get(host=host)
        # Without any Host the library itself says that it is no HTTP/1.1.
        lab.check(status in (400, 403) and b"<html" not in body.lower().replace(b"<html><head><title>", b""), f"host {host!r}: {status}")
    lab.equal(server.get(host=f"localhost:{server.port}")[0], 200, "localhost")
    two = f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    lab.check(server.raw(two.encode())[0] in (400, 403), "two hosts")
    for token in "", "0" * 32, server.token[:-1], server.token + "0", server.token.upper() if server.token.upper() != server.token else "x":
        for path in "", "state", "1/index":
            status, _, body = server.get(path, token=token)
            lab.equal(status, 403, f"token {token!r}, {path!r}")
            lab.check(server.token.encode() not in body, "the token is in the refusal")
    for method in "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "NONSENSE":
        status, head, _ = server.get(method=method, Content_Length="0")
        lab.check(status in (400, 405), f"{method}: {status}")
        lab.equal([name for name in head if name.startswith("access-control")], [], f"{method}: CORS")
    body = f"POST /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\nContent-Length: 1000000\r\n\r\n".encode() + b"x" * 1000000
    lab.check(server.raw(body)[0] in (0, 405), "a body")
    for origin in "http://evil.example", "null", f"http://127.0.0.1:{server.port + 1}", f"https://{server.host}":
        lab.equal(server.get("state", Origin=origin)[0], 403, f"origin {origin}")
    lab.equal(server.get("state", Origin=f"http://{server.host}")[0], 200, "its own origin")
    lab.equal(server.get("state", Sec_Fetch_Site="cross-site")[0], 403, "another site")
    lab.equal(server.end(), 0, "exit status after all that")


@lab.test("serve/paths that mean files")
def traversal(bench):
    server = start(bench)
    bench.write("secret", "secret words")
    ways = ["..", "../..", "%2e%2e/%2e%2e", "..%2f..%2f", "....//", "/etc/passwd", "1/../../../etc/passwd", "1/%2e%2e/secret",
            "file:///etc/passwd", "1//etc/passwd", "state/../../secret", "..\\..\\secret", "1/page%00.html", "0/page", "-1/page",
            "99999999999999999999/page", "1", "1/", "2/page", "1/page/", "1/PAGE", "%00", "state%00x/../secret"]
    # Up to the NUL these are names that there are.
    known = {"1/page%00.html", "state%00x/../secret", "%00"}
    for way in ways:
        status, _, body = server.get(way)
        lab.check(status == 404 or way in known and status in (200, 400, 404), f"{way}: {status}")
        lab.check(b"secret words" not in body and b"root:" not in body, f"{way}: a file was read")
    for path in f"/{server.token}/../{server.token}/", f"/x/../{server.token}/", "/etc/passwd", f"http://evil.example/{server.token}/", "*":
        answer = server.raw(f"GET {path} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode())
        lab.check(answer[0] in (400, 403, 404), f"{path}: {answer[0]}")
    server.end()


@lab.test("serve/long and broken requests")
def broken(bench):
    server = start(bench)
    lab.check(server.get("x" * 100000)[0] in (0, 400, 403, 404, 413, 414, 431), "a long address")
    lab.check(server.get("", X="y" * 100000)[0] in (0, 400, 413, 431), "a long header")
    many = "".join(f"X-{i}: y\r\n" for i in range(5000))
    lab.check(server.raw(f"GET /{server.token}/ HTTP/1.1\r\nHost: {server.host}\r\n{many}\r\n".encode())[0] in (0, 400, 413, 431), "many headers")
    for data in b"", b"\r\n\r\n", b"\0" * 1000, b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/9.9\r\n\r\n", os.urandom(5000):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
            connection.sendall(data)
    lab.equal(server.get()[0], 200, "a request after all that")
    lab.equal(server.end(), 0, "exit status")


@lab.test("serve/slow clients")
def slow(bench):
    server = start(bench)
    begun = []
    for i in range(50):
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        connection.sendall(b"GET /" if i % 2 else b"")
        begun.append(connection)
    lab.equal(server.get()[0], 200, "a request beside 50 that do not go on")
    last = socket.create_connection(("127.0.0.1", server.port), timeout=120)
    last.sendall(f"GET /{server.token}/".encode())
    lab.equal(server.end(), 0, "exit status with clients that wait")
    for connection in begun + [last]:
        connection.close()


@lab.test("serve/--open")
def opens(bench):
    os.mkdir(bench.path("bin"))
    bench.write("bin/xdg-open", "#!/bin/sh\nls -lnd \"$(dirname \"$1\")\" \"$1\" > opened.tmp\ncat \"$1\" >> opened.tmp; mv opened.tmp opened\n")
    os.chmod(bench.path("bin/xdg-open"), 0o755)
    server = start(bench, "--open", env={"PATH": bench.path("bin") + ":" + os.environ["PATH"], "TMPDIR": bench.folder})
    lab.wait_for(lambda: os.path.exists(bench.path("opened")), "the browser is not opened")
    with open(bench.path("opened")) as file:
        lines = file.read().splitlines()
    lab.check(lines[0].startswith("drwx------") and lines[1].startswith("-rw-------"), f"others may read it: {lines[:2]}")
    lab.check(any(f"url={server.address}" in line for line in lines), f"what it opens: {lines}")
    with open(f"/proc/{server.process.pid}/cmdline") as file:
        lab.check(server.token not in file.read(), "the token is in the command line")
    server.end()
    lab.equal([name for name in os.listdir(bench.folder) if name.startswith("cinstr-serve")], [], "folders left behind")
    os.mkdir(bench.path("none"))
    server = start(bench, "--open", env={"PATH": bench.path("none"), "TMPDIR": bench.folder})
    server.end()
    lab.check("needs xdg-open" in server.process.stderr.read(), "nothing is said when there is no xdg-open")


@lab.test("serve/without libmicrohttpd")
def without_library(bench):
    # A library of that name that is none.
    os.mkdir(bench.path("lib"))
    bench.write("lib/libmicrohttpd.so.12", "none")
    done = bench.run(lab.COMMAND, "serve", sessions.golden(bench, "pool"), env={"LD_LIBRARY_PATH": bench.path("lib")}, status=1)
    lab.check(re.search(r"needs libmicrohttpd\.so\.12, .*Debian 12: libmicrohttpd12,", done.stderr), f"what it says: {done.stderr}")
