// SPDX-License-Identifier: GPL-3.0-or-later
// words.js - values of lines for people: shares, heat, times, and the Markdown of a hover.
"use strict";

const LEVELS = [0.1, 1, 5, 10, 25]; // percent from which on a line has heat 1 to 5
const SHOWN = 8; // callees in a hover
const LONG_NAME = 80;
const MOVED = {
	module: "This file is newer than the program: lines may have moved.",
	recording: "This file is newer than the recording: lines may have moved.",
	since: "This file was changed since: lines may have moved.",
	other: "This file is not the one that was recorded: lines may have moved.",
};

function count(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, ",");
}

// As cinstr's tables: three digits, and a unit.
function duration(ns) {
	for (const [unit, size] of [
		["s", 1e9],
		["ms", 1e6],
		["us", 1e3],
	])
		if (ns >= 0.9995 * size) return `${digits(ns / size)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

function digits(value) {
	if (value === 0) return "0";
	return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

function percent(share) {
	return share < 0.05 ? "0 %" : `${share.toFixed(1)} %`;
}

// ---- heat ----------------------------------------------------------------------------------------

// Time of `kind`: elapsed, computing, waiting. Samples: of all kinds.
function timeOf(values, kind, isInclusive) {
	const which = isInclusive ? "inclusive" : "exclusive";
	const elapsed = values[`elapsed_${which}_ns`] || 0;
	const waiting = values[isInclusive ? "off_cpu_ns" : "off_cpu_exclusive_ns"] || 0;
	if (`${which}_samples` in values) return values[`${which}_samples`];
	return kind === "waiting"
		? waiting
		: kind === "computing"
			? Math.max(0, elapsed - waiting)
			: elapsed;
}

function wholeOf(profile, kind) {
	const session = profile.session;
	if (profile.isSampled) return session.samples_kept ?? session.samples;
	return kind === "waiting"
		? session.off_cpu_ns
		: kind === "computing"
			? session.cpu_inclusive_ns
			: session.elapsed_inclusive_ns;
}

// Has it no source here? Then its time can be shown at its calls only.
function isElsewhere(profile, callee) {
	const known = profile.functions.get(callee.name);
	return !profile.isSampled && !(known && known.some((one) => one.source));
}

// {own, calls, share}: percent of a line by itself, of its calls of what has no source here, of both.
function heatOf(profile, line, kind) {
	const whole = wholeOf(profile, kind);
	const of = (time) => (whole ? (100 * time) / whole : 0);
	const own = of(timeOf(line, kind, false));
	const calls = line.callees
		.filter((callee) => isElsewhere(profile, callee))
		.reduce((sum, callee) => sum + of(timeOf(callee, kind, true)), 0);
	const share = own + calls;
	return { own, calls, share, level: LEVELS.filter((least) => share >= least).length };
}

// ---- a hover -------------------------------------------------------------------------------------

function escaped(text) {
	return text.replace(/[\\`*_{}[\]()#+\-.!|<>~&$^]/g, "\\$&").replace(/\s+/g, " ");
}

// A name as Markdown. Of a long one the template arguments are left out.
function named(name) {
	let short = name,
		before = "";
	if (name.length > LONG_NAME)
		for (; before !== short; short = short.replace(/<[^<>]*>/g, "\0")) before = short;
	return `**${escaped(short.replaceAll("\0", "<…>"))}**`;
}

function calls(values) {
	if (typeof values.calls !== "number" || (!values.calls && values.calls_bound === "at least"))
		return "";
	const bound = values.calls_bound === "at least" ? "at least " : "";
	return `${bound}${count(values.calls)} ${values.calls === 1 ? "call" : "calls"}`;
}

function uncertain(time, uncertainty) {
	if (uncertainty > time) return `at most ${duration(time + uncertainty)}`;
	return uncertainty > time / 20 ? `${duration(time)} ± ${duration(uncertainty)}` : duration(time);
}

function timeRow(profile, title, values, which) {
	const elapsed = values[`elapsed_${which}_ns`];
	if (typeof elapsed !== "number") return "";
	const share = (100 * elapsed) / wholeOf(profile, "elapsed");
	const waiting = values[which === "inclusive" ? "off_cpu_ns" : "off_cpu_exclusive_ns"] || 0;
	const cells = [
		title,
		uncertain(elapsed, values[`elapsed_${which}_uncertainty_ns`] || 0),
		percent(share),
		waiting ? duration(waiting) : "–",
		duration(values[`application_${which}_ns`] || 0),
	];
	return `| ${cells.join(" | ")} |\n`;
}

function table(profile, line) {
	if (profile.isSampled) {
		const whole = wholeOf(profile);
		const row = (title, n) => `| ${title} | ${count(n)} | ${percent((100 * n) / whole)} |\n`;
		return (
			"| | samples | share |\n|:--|--:|--:|\n" +
			row("by itself", line.exclusive_samples || 0) +
			row("with its calls", line.inclusive_samples || 0)
		);
	}
	return (
		"| | time | share | waiting | application |\n|:--|--:|--:|--:|--:|\n" +
		timeRow(profile, "by itself", line, "exclusive") +
		timeRow(profile, "with its calls", line, "inclusive")
	);
}

function calleeText(profile, callee) {
	const parts = [calls(callee)],
		known = profile.functions.get(callee.name) || [];
	if (typeof callee.elapsed_inclusive_ns === "number")
		parts.push(duration(callee.elapsed_inclusive_ns));
	if (callee.off_cpu_ns) parts.push(`${duration(callee.off_cpu_ns)} of it waiting`);
	if (callee.inclusive_samples) parts.push(`${count(callee.inclusive_samples)} samples`);
	// of several of its name it is not known which one it is
	const p99 = known.length === 1 ? known[0].p99_elapsed_inclusive_ns : null;
	if (typeof p99 === "number") parts.push(`99 % of all its calls take up to ${duration(p99)}`);
	return `- → ${named(callee.name)}: ${parts.filter(Boolean).join(", ")}\n`;
}

function functionText(one) {
	const parts = [calls(one)];
	for (const [title, column] of [
		["mean", "avg"],
		["half take up to", "p50"],
		["99 % up to", "p99"],
		["longest", "max"],
	]) {
		const value = one[`${column}_elapsed_inclusive_ns`];
		if (typeof value === "number") parts.push(`${title} ${duration(value)}`);
	}
	parts.push(`${duration(one.elapsed_inclusive_ns)} in all`);
	if (one.off_cpu_ns) parts.push(`${duration(one.off_cpu_ns)} of it waiting`);
	return `${named(one.name)}: ${parts.filter(Boolean).join(", ")}\n\n`;
}

// The Markdown of a line's hover.
function hover(profile, file, line) {
	let text = `**cinstr** ${calls(line)}\n\n${table(profile, line)}\n`;
	for (const { from, to } of line.ranges)
		text += `The time by itself is known of the lines ${from} to ${to} together.\n\n`;
	const callees = [...line.callees].sort(
		(a, b) => timeOf(b, "elapsed", true) - timeOf(a, "elapsed", true)
	);
	for (const callee of callees.slice(0, SHOWN)) text += calleeText(profile, callee);
	text += callees.length > SHOWN ? `- ${callees.length - SHOWN} more\n\n` : "\n";
	for (const name of line.functions.slice(0, 2)) {
		const known = profile.functions.get(name) || [];
		const here = known.filter((one) => one.source === file.path);
		if (here.length === 1 || known.length === 1)
			text += functionText((here.length ? here : known)[0]);
	}
	return text + (file.moved ? `⚠ ${MOVED[file.moved]}\n` : "");
}

module.exports = { LEVELS, MOVED, count, duration, percent, heatOf, hover };
