// SPDX-License-Identifier: GPL-3.0-or-later
// profile.js - a session as the editor needs it: lines with their values by file, functions by name,
// findings. Runs the command cinstr and reads its JSON; knows nothing of the editor.
"use strict";
const child_process = require("child_process");
const fs = require("fs");
const path = require("path");

const MAX_BYTES = 512 << 20; // of one command's output
const SUMS = [
	"calls",
	"elapsed_inclusive_ns",
	"elapsed_exclusive_ns",
	"application_inclusive_ns",
	"application_exclusive_ns",
	"off_cpu_ns",
	"off_cpu_exclusive_ns",
	"elapsed_inclusive_uncertainty_ns",
	"elapsed_exclusive_uncertainty_ns",
	"inclusive_samples",
	"exclusive_samples",
];
const FUNCTION_COLUMNS = "name,file,line,calls,elapsed_inclusive,elapsed_exclusive,off_cpu,avg,p50,p99,max";

// What went wrong, as a sentence for people. about: "path" where the setting cinstr.path is to blame.
class Problem extends Error {
	constructor(text, about) {
		super(text);
		this.about = about;
	}
}

function said(stderr) {
	const lines = stderr.split("\n").filter((line) => line.trim());
	const error =
		lines.find((line) => line.startsWith("cinstr: error: ")) || lines[lines.length - 1] || "";
	return error.replace(/^cinstr: (error: )?/, "");
}

function whyNotRun(command, error) {
	if (error.code === "ENOENT")
		return new Problem(
			`There is no program '${command}'. Install cinstr, or set cinstr.path.`,
			"path"
		);
	if (error.code === "EACCES")
		return new Problem(
			`'${command}' cannot be executed. The setting cinstr.path says what is run.`,
			"path"
		);
	if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
		return new Problem(
			"The session has too many lines. --limit=N in the setting cinstr.options: less."
		);
	return null;
}

function whyFailed(command, error, stderr) {
	if (stderr.includes("unknown option '--files'"))
		return new Problem(
			`'${command}' is too old for this extension: it does not know 'annotate --files'.`,
			"path"
		);
	return new Problem(
		said(stderr) || `'${command}' failed: ${error.signal || `status ${error.code}`}`
	);
}

// What `cinstr ARGUMENTS` prints. log gets what is run, and what is said beside it.
function run(how, args) {
	return new Promise((resolve, reject) => {
		how.log(`${how.command} ${args.join(" ")}`);
		const options = {
			cwd: how.folder,
			maxBuffer: MAX_BYTES,
			env: { ...process.env, LC_ALL: "C" },
		};
		child_process.execFile(how.command, args, options, (error, stdout, stderr) => {
			if (stderr.trim()) how.log(stderr.trimEnd());
			if (!error) resolve(stdout);
			else reject(whyNotRun(how.command, error) || whyFailed(how.command, error, stderr));
		});
	});
}

async function json(how, args) {
	const text = await run(how, args);
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new Problem(
			`'${how.command} ${args[0]}' wrote no JSON: is it cinstr? (${error.message})`,
			"path"
		);
	}
}

// The same file has one name, whatever links lead to it.
function realPath(file) {
	try {
		return fs.realpathSync(file);
	} catch {
		return path.resolve(file);
	}
}

// ---- lines -------------------------------------------------------------------------------------

// Of several modules: their sum. What is not known of both is not known.
function addValues(to, values) {
	for (const name of SUMS)
		if (typeof values[name] === "number") to[name] = (to[name] || 0) + values[name];
	if (values.calls_bound && values.calls_bound !== "exact") to.calls_bound = values.calls_bound;
}

function addCallees(line, callees) {
	for (const callee of callees) {
		let known = line.callees.find((other) => other.name === callee.callee);
		if (!known) line.callees.push((known = { name: callee.callee }));
		addValues(known, callee);
	}
}

function addLine(lines, row) {
	let line = lines.get(row.line);
	if (!line) lines.set(row.line, (line = { line: row.line, callees: [], functions: [], ranges: [] }));
	addValues(line, row);
	addCallees(line, row.callees);
	for (const name of (row.function || "").split("; "))
		if (name && !line.functions.includes(name)) line.functions.push(name);
	if (row.line_from) line.ranges.push({ from: row.line_from, to: row.line_to });
}

// Sources that are somewhere, by path: {path, lines: Map of number to line, moved}
function readSources(annotated, folder) {
	const files = new Map();
	for (const source of annotated.sources) {
		if (!source.path) continue;
		const name = realPath(path.resolve(folder, source.path));
		let file = files.get(name);
		if (!file) files.set(name, (file = { path: name, lines: new Map(), moved: null }));
		if (source.newer_than) file.moved = source.newer_than;
		else if (source.note && !file.moved) file.moved = "other"; // it has fewer lines, or the like
		for (const row of source.lines) addLine(file.lines, row);
	}
	return files;
}

// ---- functions and findings ----------------------------------------------------------------------

// Lists by name. source: where that is here; null: nowhere.
function readFunctions(report, annotated, folder) {
	const here = new Map();
	for (const { file, path: now } of annotated.sources)
		here.set(file, now && realPath(path.resolve(folder, now)));
	const functions = new Map();
	for (const row of report.rows) {
		if (row.file && !here.has(row.file))
			// left out, or it has no lines with values
			here.set(row.file, fs.existsSync(row.file) ? realPath(row.file) : null);
		const one = { ...row, source: here.get(row.file) || null };
		functions.set(row.name, [...(functions.get(row.name) || []), one]);
	}
	return functions;
}

function readFindings(sarif, folder) {
	const run = sarif.runs[0];
	return run.results
		.filter((result) => result.locations && result.locations.length)
		.map((result) => {
			const place = result.locations[0].physicalLocation;
			const base = place.artifactLocation.uriBaseId ? folder : "/";
			const uri = place.artifactLocation.uri.replace(/^file:\/\//, "");
			const rule = run.tool.driver.rules[result.ruleIndex];
			return {
				id: result.ruleId,
				text: result.message.text,
				level: result.level,
				title: rule.shortDescription.text,
				help: rule.help.text,
				file: realPath(path.resolve(base, decodeURIComponent(uri))),
				line: place.region ? place.region.startLine : 1,
			};
		});
}

// how: {command, options, folder (where it is run), session, log}
async function read(how) {
	const operands = (verb, ...more) => [
		verb,
		...more,
		...how.options,
		"--",
		...(verb === "annotate" ? [""] : []),
		how.session,
	];
	const annotated = await json(how, operands("annotate", "--files", "--format=json"));
	const isSampled = !("elapsed_inclusive_ns" in annotated.session);
	// --limit is of lines
	how = { ...how, options: how.options.filter((option) => !/^(-n|--limit)/.test(option)) };
	const [report, sarif] = await Promise.all([
		isSampled
			? { rows: [] }
			: json(how, operands("report", "--format=json", `--columns=${FUNCTION_COLUMNS}`)),
		json(how, operands("summary", "--format=sarif")),
	]);
	return {
		session: annotated.session,
		isSampled,
		path: how.session,
		readAt: Date.now(),
		hidden: annotated.sources_hidden,
		files: readSources(annotated, how.folder),
		functions: readFunctions(report, annotated, how.folder),
		findings: readFindings(sarif, how.folder),
	};
}

// ---- sessions ------------------------------------------------------------------------------------

const DEPTH = 3,
	MOST_FOLDERS = 3000;

// Folders with data files below `root`: [{path, changed}], cinstr.data of the root first, then the newest.
async function findSessions(root) {
	const found = [],
		queue = [{ folder: root, depth: 0 }];
	for (let i = 0; i < queue.length && i < MOST_FOLDERS; i++) {
		const { folder, depth } = queue[i];
		const entries = await fs.promises.readdir(folder, { withFileTypes: true }).catch(() => []);
		if (entries.some((entry) => entry.isFile() && entry.name.endsWith(".cinstr")))
			found.push({ path: folder, changed: (await fs.promises.stat(folder)).mtimeMs });
		else if (depth < DEPTH)
			for (const entry of entries)
				if (
					entry.isDirectory() &&
					entry.name !== "node_modules" &&
					entry.name !== ".git"
				)
					queue.push({
						folder: path.join(folder, entry.name),
						depth: depth + 1,
					});
	}
	const isDefault = (session) => session.path === path.join(root, "cinstr.data");
	return found.sort((a, b) => isDefault(b) - isDefault(a) || b.changed - a.changed);
}

module.exports = { Problem, read, findSessions, realPath };
