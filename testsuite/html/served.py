# SPDX-License-Identifier: GPL-3.0-or-later
"""A running `cinstr serve`, and requests as nobody's browser makes them."""
import contextlib
import json
import re
import signal
import socket

import lab

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/")


class Server:
    def __init__(self, bench, *arguments, env=None):
        self.process = bench.start(lab.COMMAND, "serve", *arguments, env=env)
        line = self.process.stdout.readline()
        found = ADDRESS.fullmatch(line.strip())
        lab.check(found, f"cinstr serve printed {line!r} and said {self.process.stderr.read()[-500:] if not line else ''!r}")
        self.address, self.port, self.token = found[0], int(found[1]), found[2]
        self.host = f"127.0.0.1:{self.port}"

    def raw(self, data, seconds=60):
        """What it answers to these bytes, until it closes: (status, headers, body); status 0:
        nothing."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            got = b""
            with contextlib.suppress(OSError):  # it need not read all
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            with contextlib.suppress(ConnectionResetError):
                while True:
                    more = connection.recv(1 << 16)
                    if not more:
                        break
                    got += more
        return parse(got)

    def get(self, path="", method="GET", host=None, token=None, **headers):
        """path: behind the token. Headers by name, with _ for -."""
        lines = [f"{method} /{self.token if token is None else token}/{path} HTTP/1.1"]
        lines += [f"Host: {self.host if host is None else host}"] if host != "" else []
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()] + ["Connection: close", "", ""]
        return self.raw("\r\n".join(lines).encode())

    def state(self):
        status, _, body = self.get("state")
        lab.equal(status, 200, "status of state")
        return json.loads(body)

    def end(self, number=signal.SIGINT):
        """Its exit status, after a signal."""
        self.process.send_signal(number)
        return self.process.wait(lab.TIMEOUT)


def parse(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    words = lines[0].split(" ", 2)
    if len(words) < 2:
        return 0, {}, b""
    return int(words[1]), {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}, body
