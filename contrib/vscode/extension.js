// SPDX-License-Identifier: GPL-3.0-or-later
// extension.js - the extension of Visual Studio Code: its commands, the profile that is shown, and
// what makes it be read or drawn anew. profile.js reads, words.js says, heat.js draws.
"use strict";
const fs = require("fs");
const path = require("path");
const vscode = require("vscode");
const { choose, describe } = require("./choose");
const { Heat, wholeLine } = require("./heat");
const { Problem, read, realPath } = require("./profile");
const words = require("./words");

const CALM_MS = 700; // after the last change of a session until it is read again
const EXPLAINED = "cinstr-finding"; // scheme of documents that explain findings

function settings() {
	return vscode.workspace.getConfiguration("cinstr");
}

class Shown {
	constructor(context) {
		this.profile = null;
		this.heat = null;
		this.watched = [];
		this.reading = null; // a promise while the session is read
		this.output = vscode.window.createOutputChannel("cinstr");
		this.findings = vscode.languages.createDiagnosticCollection("cinstr");
		this.status = vscode.window.createStatusBarItem(
			"cinstr",
			vscode.StatusBarAlignment.Right,
			50
		);
		this.status.name = "cinstr";
		this.status.command = "cinstr.show";
		context.subscriptions.push(this.output, this.findings, this.status, {
			dispose: () => this.hide(),
		});
	}

	// ---- the profile ------------------------------------------------------------------------------

	// Returns whether it is shown. isAgain: nobody waits for it, so problems are told in the status bar.
	async show(session, isAgain) {
		const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(session));
		const how = {
			command: settings().get("path") || "cinstr",
			options: settings().get("options") || [],
			session,
			folder: folder ? folder.uri.fsPath : path.dirname(session),
			log: (text) => this.output.appendLine(text),
		};
		const place = {
			location: vscode.ProgressLocation.Window,
			title: `cinstr: reading ${describe(session)}`,
		};
		try {
			this.reading = vscode.window.withProgress(place, () => read(how));
			this.take(await this.reading);
			return true;
		} catch (error) {
			this.tell(error, isAgain);
			return false;
		} finally {
			this.reading = null;
		}
	}

	take(profile) {
		const isOther = !this.profile || this.profile.path !== profile.path;
		this.profile = profile;
		this.heat ??= new Heat();
		vscode.commands.executeCommand("setContext", "cinstr.isShown", true);
		if (isOther) this.watch();
		this.drawAll();
		this.putFindings();
		this.putStatus();
	}

	hide() {
		this.unwatch();
		this.profile = null;
		this.heat?.dispose();
		this.heat = null;
		this.findings.clear();
		this.status.hide();
		vscode.commands.executeCommand("setContext", "cinstr.isShown", false);
	}

	async tell(error, isAgain) {
		this.output.appendLine(error.stack);
		if (isAgain && this.profile) {
			this.status.text = `$(warning) ${this.status.text.replace(/^\$\(\w+\) /, "")}`;
			this.status.tooltip = `It could not be read again: ${error.message}`;
			return;
		}
		const isOurs = error instanceof Problem;
		const buttons =
			isOurs && error.about === "path" ? ["Open the Setting"] : ["Show What Was Run"];
		const chosen = await vscode.window.showErrorMessage(`cinstr: ${error.message}`, ...buttons);
		if (chosen === "Open the Setting")
			vscode.commands.executeCommand("workbench.action.openSettings", "cinstr.path");
		else if (chosen) this.output.show();
	}

	// ---- a session that changes -------------------------------------------------------------------

	watch() {
		this.unwatch();
		const { path: session } = this.profile;
		const pattern = new vscode.RelativePattern(
			vscode.Uri.file(path.dirname(session)),
			`${path.basename(session)}{,/**}`
		);
		const watcher = vscode.workspace.createFileSystemWatcher(pattern);
		const changed = () => {
			clearTimeout(this.timer);
			this.timer = setTimeout(() => this.readAgain(), CALM_MS);
		};
		this.watched = [
			watcher,
			watcher.onDidChange(changed),
			watcher.onDidCreate(changed),
			watcher.onDidDelete(changed),
		];
	}

	unwatch() {
		clearTimeout(this.timer);
		this.watched.forEach((one) => one.dispose());
		this.watched = [];
	}

	async readAgain() {
		await this.reading?.catch(() => null);
		// while it is recorded anew the folder is gone for a moment
		if (this.profile && fs.existsSync(this.profile.path))
			await this.show(this.profile.path, true);
	}

	// ---- editors ----------------------------------------------------------------------------------

	fileOf(document) {
		if (!this.profile || document.uri.scheme !== "file") return null;
		return this.profile.files.get(realPath(document.uri.fsPath)) || null;
	}

	draw(editor) {
		const file = this.fileOf(editor.document);
		if (!file) {
			this.heat?.clear(editor);
			return;
		}
		// what was changed while nobody looked cannot be followed
		if (
			!file.isFollowed &&
			!file.moved &&
			isChanged(editor.document, file.seenAt ?? this.profile.readAt)
		)
			file.moved = "since";
		file.isFollowed = true;
		this.heat.show(editor, this.profile, file, settings().get("heat"));
	}

	drawAll() {
		vscode.window.visibleTextEditors.forEach((editor) => this.draw(editor));
	}

	closed(document) {
		const file = this.fileOf(document);
		if (file) {
			file.isFollowed = false;
			file.seenAt = changedAt(document.uri.fsPath);
		}
	}

	// Lines move with what is typed above them, as what is drawn does.
	edited({ document, contentChanges }) {
		const file = this.fileOf(document);
		if (!file || !contentChanges.length) return;
		const before = file.lines;
		for (const { range, text } of contentChanges) {
			const added = text.split("\n").length - 1 - (range.end.line - range.start.line);
			if (added) file.lines = shifted(file.lines, range, added);
		}
		if (file.lines === before) return;
		for (const editor of vscode.window.visibleTextEditors)
			if (editor.document === document) this.draw(editor);
	}

	hover(document, position) {
		const file = this.fileOf(document);
		const line = file?.lines.get(position.line + 1);
		if (!line) return null;
		const text = new vscode.MarkdownString(words.hover(this.profile, file, line));
		return new vscode.Hover(text, document.lineAt(position.line).range);
	}

	// ---- findings ---------------------------------------------------------------------------------

	putFindings() {
		const byFile = new Map();
		for (const finding of this.profile.findings) {
			const severity =
				finding.level === "warning"
					? vscode.DiagnosticSeverity.Warning
					: vscode.DiagnosticSeverity.Information;
			const moved = this.profile.files.get(finding.file)?.moved;
			const diagnostic = new vscode.Diagnostic(
				wholeLine(finding.line),
				finding.text + (moved ? `. ${words.MOVED[moved]}` : ""),
				severity
			);
			diagnostic.source = "cinstr";
			diagnostic.code = finding.id;
			byFile.set(finding.file, [...(byFile.get(finding.file) || []), diagnostic]);
		}
		this.findings.clear();
		for (const [file, diagnostics] of byFile)
			this.findings.set(vscode.Uri.file(file), diagnostics);
	}

	actions(diagnostics) {
		return diagnostics
			.filter((one) => one.source === "cinstr")
			.map((one) => {
				const action = new vscode.CodeAction(
					`cinstr: What ${one.code} means`,
					vscode.CodeActionKind.QuickFix
				);
				action.diagnostics = [one];
				action.command = {
					command: "cinstr.explain",
					title: action.title,
					arguments: [one.code],
				};
				return action;
			});
	}

	explanation(id) {
		return (
			this.profile?.findings.find((finding) => finding.id === id)?.help ??
			"The profile is not shown any more."
		);
	}

	// ---- the status bar ---------------------------------------------------------------------------

	putStatus() {
		const { session, files, findings, hidden, isSampled } = this.profile;
		const begin = new Date(session.begin_realtime_ns / 1e6);
		const moved = [...files.values()].filter((file) => file.moved).length;
		const lines = [
			`${session.command_line}, ${begin.toLocaleString()}`,
			isSampled
				? `${words.count(session.samples_kept ?? 0)} samples`
				: `${words.duration(session.elapsed_inclusive_ns)} in all threads, ` +
					`${words.percent(session.waiting_percent ?? 0)} waiting`,
			`${words.count(files.size)} sources, ${findings.length} findings`,
		];
		if (hidden)
			lines.push(`${words.count(hidden)} sources with less time are left out (--limit)`);
		if (moved) lines.push(`${moved} sources are newer: lines may have moved`);
		const name = describe(this.profile.path);
		this.status.text = `$(flame) ${name} ${words.duration(session.duration_ns)}`;
		this.status.tooltip = lines.join("\n");
		this.status.show();
	}
}

function isChanged(document, since) {
	return document.isDirty || changedAt(document.uri.fsPath) > since;
}

function changedAt(file) {
	try {
		return fs.statSync(file).mtimeMs;
	} catch {
		return 0;
	}
}

// Lines behind a change. The one where it begins stays, unless what is added stands before all of it.
function shifted(lines, range, added) {
	const first = range.start.line + (range.start.character ? 2 : 1);
	const move = (number) => (number < first ? number : Math.max(1, first - 1, number + added));
	const result = new Map();
	for (const line of lines.values()) {
		if (line.line >= first && line.line <= range.end.line && added < 0) continue; // it is gone
		const ranges = line.ranges.map(({ from, to }) => ({ from: move(from), to: move(to) }));
		if (!result.has(move(line.line)))
			result.set(move(line.line), { ...line, line: move(line.line), ranges });
	}
	return result;
}

function activate(context) {
	const shown = new Shown(context);
	const files = { scheme: "file" };
	const show = async (session) => {
		session = session instanceof vscode.Uri ? session.fsPath : session || (await choose());
		return session ? shown.show(session) : false;
	};
	context.subscriptions.push(
		vscode.commands.registerCommand("cinstr.show", show),
		vscode.commands.registerCommand("cinstr.hide", () => shown.hide()),
		vscode.commands.registerCommand(
			"cinstr.refresh",
			() => shown.profile && shown.show(shown.profile.path)
		),
		vscode.commands.registerCommand("cinstr.explain", (id) =>
			vscode.window.showTextDocument(vscode.Uri.parse(`${EXPLAINED}:${id}`), {
				preview: true,
			})
		),
		vscode.workspace.registerTextDocumentContentProvider(EXPLAINED, {
			provideTextDocumentContent: (uri) => shown.explanation(uri.path),
		}),
		vscode.languages.registerHoverProvider(files, {
			provideHover: (document, position) => shown.hover(document, position),
		}),
		vscode.languages.registerCodeActionsProvider(files, {
			provideCodeActions: (document, range, { diagnostics }) =>
				shown.actions(diagnostics),
		}),
		vscode.window.onDidChangeVisibleTextEditors(() => shown.profile && shown.drawAll()),
		vscode.workspace.onDidChangeTextDocument((event) => shown.edited(event)),
		vscode.workspace.onDidCloseTextDocument((document) => shown.closed(document)),
		vscode.workspace.onDidChangeConfiguration(
			(event) => event.affectsConfiguration("cinstr") && shown.profile && shown.drawAll()
		)
	);
	return { shown };
}

module.exports = { activate, deactivate() {} };
