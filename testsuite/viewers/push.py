# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr push, to a server on this machine that keeps what it gets: profiles are what go tool pprof
reads as csv has it, labels are there, and nothing is lost within the spool while the server is
away."""
import base64
import contextlib
import ctypes
import gzip
import http.server
import json
import os
import re
import ssl
import subprocess
import threading
import time

import golden
import lab


class Store(http.server.ThreadingHTTPServer):
    """status: what the next requests are answered with."""
    daemon_threads = True

    def __init__(self):
        self.requests, self.status, self.delay = [], 200, 0
        super().__init__(("127.0.0.1", 0), Answer)

    def handle_error(self, *_):
        """Of a client that does not trust it."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.delay)
        self.server.requests.append((self.path, dict(self.headers), json.loads(body), self.server.status))
        self.send_response(self.server.status)
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(b'{"message": "as it was told"}')

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def store():
    try:
        ctypes.CDLL("libcurl.so.4")
    except OSError:
        raise lab.Skip("no libcurl.so.4")
    server = Store()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def push(bench, *arguments, status=0):
    done = bench.run(lab.COMMAND, "push", *arguments)
    lab.equal(done.returncode, status, f"push {arguments}: {done.stdout}{done.stderr}")
    return done


def labels_of(body):
    (series,) = body["series"]
    pairs = series["labels"]["labels"] if isinstance(series["labels"], dict) else series["labels"]
    return {pair["name"]: pair["value"] for pair in pairs}


def versions(server):
    """Of what it has taken."""
    return [labels_of(body).get("version") for _, _, body, status in server.requests if status == 200]


def profile_of(bench, body, name="got.pb.gz"):
    (series,) = body["series"]
    (sample,) = series["samples"]
    with open(bench.path(name), "wb") as file:
        file.write(base64.b64decode(sample["rawProfile"], validate=True))
    return bench.path(name)


@lab.test("push/profiles and labels")
def profiles(bench):
    golden.need("go")
    session = golden.record(bench)
    token = bench.write("token", "s3cret\n")
    with store() as server:
        done = push(bench, server.url + "/", session, "--version=1.2 \"x\\", "--label=team=a=b", f"--token={token}")
        lab.equal(done.stdout, f"{server.url}/push.v1.PusherService/Push: 1 sent\n", "what is said")
        push(bench, "--to=parca", server.url, session, "--service=shop")
        (path, headers, body, _), (parca_path, _, parca, _) = server.requests
    lab.equal((path, headers["Content-Type"], headers["Authorization"]),
              ("/push.v1.PusherService/Push", "application/json", "Bearer s3cret"), "the request")
    labels = labels_of(body)
    lab.equal({name: labels[name] for name in labels if name != "host"},
              {"__name__": "cinstr", "service_name": "golden", "method": "probes", "version": "1.2 \"x\\", "team": "a=b"}, "labels")
    lab.check(labels["host"], "a host")
    lab.equal((parca_path, labels_of(parca)["service_name"], "labels" in parca["series"][0]["labels"]), ("/api/profiles/writeraw", "shop", True), "parca")
    rows = golden.csv_rows(bench, session)
    for one, name in (body, "a.pb.gz"), (parca, "b.pb.gz"):
        done = subprocess.run(["go", "tool", "pprof", "-top", "-nodecount=10000", "-nodefraction=0", "-sample_index=calls", profile_of(bench, one, name)],
                              capture_output=True, text=True, timeout=lab.TIMEOUT, env={**os.environ, "HOME": bench.folder})
        lab.equal(done.returncode, 0, done.stderr)
        total = re.search(r"of (\d+) total", done.stdout)
        lab.equal(int(total[1]), sum(int(row["calls"]) for row in rows), f"calls in pprof:\n{done.stdout[:300]}")


@lab.test("push/an outage, a restart, a full spool")
def outage(bench):
    session = golden.record(bench)
    spool = bench.path("spool")

    def kept():
        return sorted(os.listdir(spool))

    with store() as server:
        server.status = 503
        for n in "12":
            done = push(bench, server.url, session, f"--spool={spool}", f"--version={n}", "--retries=0", status=1)
            lab.check("status 503: {\"message\": \"as it was told\"}; it is kept" in done.stderr, done.stderr)
        lab.equal((len(kept()), versions(server)), (2, []), "kept")
        gone = server.url
    done = push(bench, gone, session, f"--spool={spool}", "--version=3", "--retries=0", status=1)
    lab.check("; it is kept" in done.stderr and f", 3 in {spool}" in done.stdout, done.stdout + done.stderr)
    push(bench, gone, session, "--retries=0", status=1)
    with store() as server:
        server.status = 503
        threading.Timer(0.5, setattr, (server, "status", 200)).start()
        push(bench, server.url, session, f"--spool={spool}", "--version=4", "--retries=6")
        lab.equal((versions(server), kept()), (["1", "2", "3", "4"], []), "sent in order, after a restart, and once")
        server.status = 400
        done = push(bench, server.url, session, f"--spool={spool}", "--version=5", status=1)
        lab.check("it will not be sent again, and is kept as *.refused" in done.stderr, done.stderr)
        lab.check(", 1 in " not in done.stdout, f"it does not wait: {done.stdout}")
        (refused,) = kept()
        with open(os.path.join(spool, refused), encoding="utf-8") as file:
            lab.equal((refused.endswith(".parca.refused") or refused.endswith(".pyroscope.refused"), labels_of(json.load(file)).get("version")),
                      (True, "5"), "what was refused")
        os.remove(os.path.join(spool, refused))
        server.requests.clear()
        server.status = 429
        push(bench, server.url, session, f"--spool={spool}", "--version=6", "--retries=0", status=1)
        size = os.path.getsize(os.path.join(spool, kept()[0]))
        done = push(bench, server.url, session, f"--spool={spool}", "--version=7", "--retries=0", f"--spool-size={size + size // 2}", status=1)
        lab.check("the 1 oldest were never sent" in done.stderr and len(kept()) == 1, done.stderr)
        push(bench, server.url, session, f"--spool={spool}", "--spool-size=10", "--retries=0", status=1)
        server.status = 200
        push(bench, server.url, bench.path("nowhere"), f"--spool={spool}", status=1)
        lab.equal((versions(server), kept()), (["7"], []), "what waits goes, though there is no session")


BUSHY = """
static volatile unsigned sink;
__attribute__((noipa)) static void go(unsigned depth);
""" + "".join(f"__attribute__((noipa)) static void f{n}(unsigned depth) {{ sink += {n}; go(depth); sink += {n}; }}\n" for n in range(8)) + """
static void go(unsigned depth)
{
	if (!depth--)
		return;
""" + "".join(f"\tf{n}(depth);\n" for n in range(8)) + """	sink++;
}
int main(void) { go(5); return 0; }
"""


@lab.test("push/what is large goes as several profiles, each as large as Pyroscope takes")
def several(bench):
    """16,000 samples and 4 MiB before compression; together they are the session."""
    program = bench.compile(bench.write("bushy.c", BUSHY), "bushy", "-O1", "-fplugin-arg-cinstr-small=0")
    bench.run(program, env={"CINSTR_DATA": bench.path("data"), "CINSTR_PATHS": "1000000"}, status=0)
    with store() as server:
        push(bench, server.url, bench.path("data"))
        ((_, _, body, _),) = server.requests
    import push_every  # pylint: disable=import-outside-toplevel
    calls, n = 0, []
    for one in body["series"][0]["samples"]:
        packed = base64.b64decode(one["rawProfile"], validate=True)
        profile = gzip.decompress(packed)
        lab.check(len(profile) <= 4 << 20, f"{len(profile)} bytes")
        n.append([number for number, _ in push_every.fields(profile)].count(2))
        types, stacks = push_every.samples(packed)
        calls += sum(values[types.index("calls")] for values in stacks.values())
    lab.check(max(n) <= 16000 and len(n) > 1 and sum(n) > 16000, f"samples: {n}")
    lab.equal(calls, sum(int(row["calls"]) for row in golden.csv_rows(bench, bench.path("data"))), "calls")


@lab.test("push/several at once send nothing twice")
def at_once(bench):
    session = golden.record(bench)
    spool = bench.path("spool")
    with store() as server:
        server.status = 503
        for n in range(4):
            push(bench, server.url, session, f"--spool={spool}", f"--version={n}", "--retries=0", status=1)
        server.status, server.delay = 200, 0.1
        started = [subprocess.Popen([lab.COMMAND, "push", server.url, session, f"--spool={spool}", f"--version={n}"], stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL) for n in range(4, 8)]
        for process in started:
            process.communicate(timeout=lab.TIMEOUT)
        push(bench, server.url, session, f"--spool={spool}", "--version=8")
        lab.equal((sorted(versions(server)), os.listdir(spool)), ([str(n) for n in range(9)], []), "each once")


@lab.test("push/https, by a certificate that is known")
def encrypted(bench):
    golden.need("openssl")
    session = golden.record(bench)
    key, certificate = bench.path("key.pem"), bench.path("cert.pem")
    done = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                           "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], capture_output=True, timeout=lab.TIMEOUT)
    lab.equal(done.returncode, 0, f"openssl: {done.stderr}")
    with store() as server:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        url = server.url.replace("http:", "https:")
        done = push(bench, url, session, "--retries=0", status=1)
        lab.check("certificate" in done.stderr and not server.requests, done.stderr)
        push(bench, url, session, "--retries=0", f"--ca={certificate}")
        lab.equal(len(server.requests), 1, "requests")


@lab.test("push/wrong use")
def wrong(bench):
    session = golden.record(bench)
    for arguments in ([], ["ftp://localhost", session], ["http://localhost:1", session, "--label=1x=y"], ["http://localhost:1", session, "--label=x"],
                      ["http://localhost:1", session, "--token=" + bench.path("none")], ["http://localhost:1", session, "--spool-size=much"]):
        lab.equal(bench.run(lab.COMMAND, "push", *arguments).returncode, 2, f"push {arguments}")
    with store() as server:
        server.delay = 3
        done = push(bench, server.url, session, "--timeout=1", "--retries=0", status=1)
        lab.check("nothing was sent" in done.stderr, done.stderr)
