# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages of npm that read Parquet files: DuckDB, whose package holds the engine, and hyparquet,
which is written in JavaScript and shares nothing with it. They are fetched into the build folder
once."""
import fcntl
import json
import os
import re
import subprocess

import lab

PACKAGES = ("@duckdb/node-api@1.5.6-r.1", "hyparquet@1.31.5")

DUCKDB = """
import { DuckDBInstance } from '@duckdb/node-api';
let text = '';
for await (const part of process.stdin) text += part;
const connection = await (await DuckDBInstance.create(':memory:')).connect();
const results = [];
for (const sql of JSON.parse(text)) {
  const reader = await connection.runAndReadAll(sql);
  results.push(reader.getRowObjectsJson());
}
console.log(JSON.stringify(results));
"""

HYPARQUET = """
import { parquetReadObjects, asyncBufferFromFile } from 'hyparquet';
import { gunzipSync } from 'node:zlib';
const compressors = { GZIP: (input) => new Uint8Array(gunzipSync(input)) };
let text = '';
for await (const part of process.stdin) text += part;
const tables = [];
for (const path of JSON.parse(text))
  tables.push(await parquetReadObjects({ file: await asyncBufferFromFile(path), compressors }));
console.log(JSON.stringify(tables, (key, value) => typeof value === 'bigint' ? value.toString() : value));
"""


def packages():
    """The folder that they are in."""
    lab.need("npm")
    lab.need("node")
    folder = os.path.join(lab.BUILD, "viewers", "tables-" + re.sub(r"[^\w.]+", "-", "-".join(PACKAGES)))
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(folder, "done")):
            got = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, *PACKAGES],
                                 cwd=folder, capture_output=True, text=True, timeout=lab.TIMEOUT)
            if got.returncode:
                raise lab.Skip(f"npm has not {' '.join(PACKAGES)} for us")
            with open(os.path.join(folder, "done"), "w"):
                pass
    return folder


def ask(script, question):
    done = subprocess.run(["node", "--input-type=module", "-e", script], cwd=packages(), input=json.dumps(question),
                          capture_output=True, text=True, timeout=lab.TIMEOUT)
    lab.equal((done.returncode, done.stderr), (0, ""), f"{question}")
    return json.loads(done.stdout)


def duckdb(*statements):
    """A list of rows of each."""
    return ask(DUCKDB, statements)


def hyparquet(paths):
    """The rows of each file; numbers of 64 bits are strings."""
    return ask(HYPARQUET, paths)
