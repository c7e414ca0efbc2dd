# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr mcp, asked by the client of those who publish the protocol, in both of its ways: with each
request's version, and with initialize. What it gets of a report is csv's.

The client is an npm package, which is fetched into the build folder; nothing of it is in the
source.
"""
import json
import os
import shutil
import subprocess

import golden
import lab

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = "@modelcontextprotocol/client@2.4.0"


def client():
    """The script, beside the package."""
    folder = os.path.join(lab.BUILD, "viewers", PACKAGE.replace("/", "-"))
    if not os.path.exists(os.path.join(folder, "node_modules/@modelcontextprotocol/client/package.json")):
        lab.need("npm")
        os.makedirs(folder, exist_ok=True)
        got = subprocess.run(["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, PACKAGE],
                             capture_output=True, text=True, timeout=lab.TIMEOUT)
        if got.returncode:
            raise lab.Skip(f"npm has no {PACKAGE} for us")
    return shutil.copy(os.path.join(HERE, "mcp_client.mjs"), folder)


def asked(bench, mode, version):
    lab.need("node")
    done = bench.run("node", client(), mode, lab.COMMAND, bench.folder, status=0)
    got = json.loads(done.stdout)
    lab.equal((got["server"], got["version"], got["wrong"], got["unknown"]), ("cinstr", version, True, "-32602"), mode)
    lab.equal(len(got["tools"]), 8, f"{mode}: tools")
    lab.equal(got["answers"]["explain"]["text"], bench.cinstr("summary", "--explain=CF0101", "--width=100"), f"{mode}: explain")
    rows = {(row["name"], row.get("file"), row.get("line")): row.get("calls") for row in got["answers"]["report"]["rows"]}
    expected = json.loads(bench.cinstr("report", "--format=json", bench.path("cinstr.data")))["rows"]
    lab.equal(rows, {(row["name"], row["file"], row["line"]): row["calls"] for row in expected}, f"{mode}: calls")
    lab.check(got["answers"]["summary"]["recording"]["reliability"], f"{mode}: summary")


@lab.test("mcp/the client of the protocol")
def of_protocol(bench):
    golden.record(bench)
    asked(bench, "auto", "2026-07-28")
    asked(bench, "legacy", "2025-11-25")
