// SPDX-License-Identifier: GPL-3.0-or-later
// heat.js - what is drawn in an editor: the heat of lines behind them, in the margin and in the
// overview ruler, shares behind the lines, brackets along lines whose time is known together.
"use strict";
const vscode = require("vscode");
const words = require("./words");

const MARGIN = ["#e0b060", "#e8a040", "#f08020", "#f05020", "#e02020"]; // as the colours cinstr.heat1 ...

// A bar, longer and redder the hotter the line is.
function icon(level) {
	const svg =
		`<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16">` +
		`<rect x="${14 - 2.5 * level}" y="3" width="${2.5 * level}" height="10" rx="1" ` +
		`fill="${MARGIN[level - 1]}"/></svg>`;
	return vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(svg)}`);
}

function heatType(level, isMoved) {
	const mark = new vscode.ThemeColor("cinstr.mark");
	return vscode.window.createTextEditorDecorationType({
		isWholeLine: true,
		gutterIconPath: icon(level),
		gutterIconSize: "contain",
		backgroundColor: isMoved ? undefined : new vscode.ThemeColor(`cinstr.heat${level}`),
		border: isMoved ? "1px dashed" : undefined,
		borderColor: mark,
		overviewRulerColor: level > 1 ? mark : undefined,
		overviewRulerLane: vscode.OverviewRulerLane.Right,
	});
}

function wholeLine(number) {
	return new vscode.Range(number - 1, 0, number - 1, Number.MAX_SAFE_INTEGER);
}

class Heat {
	constructor() {
		this.types = [];
		for (const isMoved of [false, true])
			for (let level = 1; level <= words.LEVELS.length; level++)
				this.types.push(heatType(level, isMoved));
		this.text = vscode.window.createTextEditorDecorationType({
			rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
		});
		this.bracket = vscode.window.createTextEditorDecorationType({
			isWholeLine: true,
			borderWidth: "0 0 0 2px",
			borderStyle: "solid",
			borderColor: new vscode.ThemeColor("cinstr.mark"),
		});
	}

	dispose() {
		for (const type of [...this.types, this.text, this.bracket]) type.dispose();
	}

	clear(editor) {
		for (const type of [...this.types, this.text, this.bracket])
			editor.setDecorations(type, []);
	}

	// file: of the profile; kind: of time
	show(editor, profile, file, kind) {
		const ranges = this.types.map(() => []),
			texts = [],
			brackets = [];
		for (const line of file.lines.values()) {
			const heat = words.heatOf(profile, line, kind);
			if (!heat.level || line.line > editor.document.lineCount) continue;
			ranges[heat.level - 1 + (file.moved ? words.LEVELS.length : 0)].push(
				wholeLine(line.line)
			);
			texts.push(behind(line.line, shown(line, heat)));
			if (heat.own >= words.LEVELS[1])
				brackets.push(
					...line.ranges.map(
						({ from, to }) => new vscode.Range(from - 1, 0, to - 1, 0)
					)
				);
		}
		if (file.moved) texts.push(behind(1, `cinstr: ${words.MOVED[file.moved]}`));
		this.types.forEach((type, i) => editor.setDecorations(type, ranges[i]));
		editor.setDecorations(this.text, texts);
		editor.setDecorations(this.bracket, brackets);
	}
}

function shown(line, heat) {
	const range =
		line.ranges.length && heat.own >= heat.calls
			? ` in ${line.ranges[0].from}–${line.ranges[0].to}`
			: "";
	const at =
		heat.calls > heat.own
			? ` in ${line.callees.length === 1 ? line.callees[0].name : "calls"}`
			: "";
	return words.percent(heat.share) + range + at.slice(0, 60);
}

function behind(number, text) {
	const end = new vscode.Range(
		number - 1,
		Number.MAX_SAFE_INTEGER,
		number - 1,
		Number.MAX_SAFE_INTEGER
	);
	const after = {
		contentText: text,
		margin: "0 0 0 3em",
		color: new vscode.ThemeColor("cinstr.text"),
		fontStyle: "italic",
	};
	return { range: end, renderOptions: { after } };
}

module.exports = { Heat, wholeLine };
