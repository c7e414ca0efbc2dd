// SPDX-License-Identifier: GPL-3.0-or-later
// vscode_fake.js WORKSPACE SETTINGS SOURCE STEP... - runs the extension of contrib/vscode with a module
// that stands for the editor's, and prints after each step what an editor would show, a line of JSON.
// Steps: show[:FOLDER] hide refresh hover:LINE explain:ID set:NAME=VALUE dirty (not all is saved)
// edit:LINE,TEXT (inserted before LINE) remove:FROM,TO (lines) changed:COMMAND (it changes the session)
// What the extension asks for and the module does not have is an error.
"use strict";
const child_process = require("child_process");
const fs = require("fs");
const Module = require("module");
const path = require("path");

const EXTENSION = path.join(__dirname, "../../contrib/vscode");
const [workspace, settingsText, source, ...steps] = process.argv.slice(2);
const settings = JSON.parse(settingsText);
const manifest = JSON.parse(fs.readFileSync(path.join(EXTENSION, "package.json"), "utf8"));
const seen = { messages: [], log: [], context: {}, status: null, picked: null, watched: [] };
const commands = new Map(),
	hovers = [],
	actions = [],
	contents = new Map(),
	diagnostics = new Map();
const events = { editors: [], edited: [], closed: [], configured: [], session: [] };

// Names that are not there are errors, not undefined.
function strict(name, object) {
	return new Proxy(object, {
		get(target, key) {
			if (!(key in target) && typeof key === "string")
				throw new Error(`the editor's module has no ${name}.${key} here`);
			return target[key];
		},
	});
}

function listen(list) {
	return (handler) => {
		list.push(handler);
		return { dispose: () => list.splice(list.indexOf(handler), 1) };
	};
}

class Uri {
	constructor(scheme, where) {
		Object.assign(this, { scheme, path: where, fsPath: where });
	}
	static file(where) {
		return new Uri("file", where);
	}
	static parse(text) {
		return new Uri(text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1));
	}
}

class Range {
	constructor(line, character, endLine, endCharacter) {
		this.start = { line, character };
		this.end = { line: endLine, character: endCharacter };
	}
}

function plain(...names) {
	return class {
		constructor(...values) {
			names.forEach((name, i) => (this[name] = values[i]));
		}
	};
}

// ---- the one editor ------------------------------------------------------------------------------

const document = {
	uri: Uri.file(source),
	lines: fs.readFileSync(source, "utf8").split("\n"),
	isDirty: false,
	get lineCount() {
		return this.lines.length;
	},
	lineAt(line) {
		return { range: new Range(line, 0, line, this.lines[line].length) };
	},
};
const editor = {
	document,
	drawn: new Map(),
	setDecorations(type, ranges) {
		if (type.isDisposed) throw new Error("drawn with a type that was disposed of");
		this.drawn.set(type, ranges);
	},
};

function change(from, to, text) {
	const range = new Range(from - 1, 0, to - 1, 0);
	document.lines.splice(from - 1, to - from, ...text.split("\n").slice(0, -1));
	events.edited.forEach((handler) => handler({ document, contentChanges: [{ range, text }] }));
}

// ---- the module ----------------------------------------------------------------------------------

const window = strict("window", {
	visibleTextEditors: [editor],
	onDidChangeVisibleTextEditors: listen(events.editors),
	createOutputChannel: () => ({ appendLine: (text) => seen.log.push(text), show() {}, dispose() {} }),
	createStatusBarItem: () => ({
		show() {
			seen.status = this;
		},
		hide() {
			seen.status = null;
		},
		dispose() {},
	}),
	createTextEditorDecorationType: (options) => ({
		options,
		dispose() {
			this.isDisposed = true;
			editor.drawn.delete(this);
		},
	}),
	withProgress: (where, work) => work(),
	showErrorMessage: async (text) => void seen.messages.push(text),
	showQuickPick: async (items) => {
		seen.picked = items.map((item) => item.label);
		return items[0];
	},
	showTextDocument: async (uri) => void seen.messages.push(contents.get(uri.scheme)(uri)),
});
const folder = { uri: Uri.file(workspace) };
const workspaceModule = strict("workspace", {
	workspaceFolders: [folder],
	getWorkspaceFolder: (uri) => (uri.fsPath.startsWith(workspace + "/") ? folder : undefined),
	getConfiguration: (section) => ({
		get(name) {
			const known = manifest.contributes.configuration.properties[`${section}.${name}`];
			if (!known) throw new Error(`package.json has no setting ${section}.${name}`);
			return settings[name] ?? known.default;
		},
	}),
	createFileSystemWatcher: (pattern) => {
		const handlers = events.session;
		seen.watched = [pattern.base.fsPath, pattern.pattern];
		return {
			onDidChange: listen(handlers),
			onDidCreate: listen(handlers),
			onDidDelete: listen(handlers),
			dispose: () => (seen.watched = []),
		};
	},
	registerTextDocumentContentProvider: (scheme, provider) => {
		contents.set(scheme, (uri) => provider.provideTextDocumentContent(uri));
		return { dispose() {} };
	},
	onDidChangeTextDocument: listen(events.edited),
	onDidCloseTextDocument: listen(events.closed),
	onDidChangeConfiguration: listen(events.configured),
});
const module_ = strict("vscode", {
	window,
	workspace: workspaceModule,
	Uri,
	Range,
	commands: strict("commands", {
		registerCommand: (name, run) => {
			commands.set(name, run);
			return { dispose() {} };
		},
		executeCommand: async (name, key, value) => {
			if (name === "setContext") seen.context[key] = value;
		},
	}),
	languages: strict("languages", {
		createDiagnosticCollection: () => ({
			set: (uri, list) => diagnostics.set(uri.fsPath, list),
			clear: () => diagnostics.clear(),
			dispose() {},
		}),
		registerHoverProvider: (selector, provider) => (hovers.push(provider), { dispose() {} }),
		registerCodeActionsProvider: (selector, provider) => (
			actions.push(provider),
			{ dispose() {} }
		),
	}),
	ThemeColor: class {
		constructor(id) {
			if (!manifest.contributes.colors.some((color) => color.id === id))
				throw new Error(`package.json has no colour ${id}`);
			this.id = id;
		}
	},
	RelativePattern: plain("base", "pattern"),
	Diagnostic: plain("range", "message", "severity"),
	MarkdownString: plain("value"),
	Hover: plain("contents", "range"),
	CodeAction: plain("title", "kind"),
	CodeActionKind: { QuickFix: "quickfix" },
	DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2 },
	ProgressLocation: { Window: 10 },
	StatusBarAlignment: { Right: 2 },
	OverviewRulerLane: { Right: 4 },
	DecorationRangeBehavior: { ClosedClosed: 1 },
});

// ---- steps ---------------------------------------------------------------------------------------

function state() {
	const drawn = [...editor.drawn].flatMap(([{ options }, ranges]) =>
		ranges.map((one) => {
			const range = one.range || one;
			return {
				color: options.backgroundColor?.id ?? null,
				border: options.border || options.borderWidth || null,
				hasIcon: Boolean(options.gutterIconPath),
				text: one.renderOptions?.after.contentText ?? null,
				from: range.start.line + 1,
				to: range.end.line + 1,
			};
		})
	);
	const found = [...diagnostics].flatMap(([file, list]) =>
		list.map((one) => ({
			file,
			line: one.range.start.line + 1,
			text: one.message,
			id: one.code,
			severity: one.severity,
			actions: actions[0]
				.provideCodeActions(document, one.range, { diagnostics: [one] })
				.map((action) => action.title),
		}))
	);
	const { status, ...rest } = seen;
	return {
		drawn,
		diagnostics: found,
		status: status && { text: status.text, tooltip: status.tooltip },
		...rest,
	};
}

async function changed(command) {
	const before = seen.log.length;
	child_process.execSync(command, {
		cwd: workspace,
		stdio: "ignore",
		env: { ...process.env, CINSTR_DATA: "" },
	});
	events.session.forEach((handler) => handler());
	const end = Date.now() + 120000;
	while (Date.now() < end && !(seen.log.length >= before + 3 && !extension.shown.reading))
		await new Promise((resolve) => setTimeout(resolve, 20));
}

async function step(text) {
	const [verb, argument = ""] = text.split(/:(.*)/s);
	const [first, second] = argument.split(",");
	let hover = null;
	if (["show", "hide", "refresh"].includes(verb))
		await commands.get(`cinstr.${verb}`)(argument || undefined);
	else if (verb === "explain") await commands.get("cinstr.explain")(argument);
	else if (verb === "edit") change(Number(first), Number(first), `${second}\n`);
	else if (verb === "remove") change(Number(first), Number(second) + 1, "");
	else if (verb === "dirty") document.isDirty = true;
	else if (verb === "changed") await changed(argument);
	else if (verb === "hover")
		hover =
			hovers[0].provideHover(document, { line: Number(first) - 1 })?.contents.value ??
			null;
	else if (verb === "set") {
		settings[argument.split("=")[0]] = argument.split("=")[1];
		events.configured.forEach((handler) => handler({ affectsConfiguration: () => true }));
	} else throw new Error(`no step ${verb}`);
	return hover;
}

const load = Module._load;
Module._load = (name, ...more) => (name === "vscode" ? module_ : load(name, ...more));
const extension = require(path.join(EXTENSION, manifest.main)).activate({ subscriptions: [] });

(async () => {
	for (const { command } of manifest.contributes.commands)
		if (!commands.has(command)) throw new Error(`nobody does ${command}`);
	for (const text of steps) {
		seen.messages.length = 0;
		const hover = await step(text);
		console.log(JSON.stringify({ step: text, hover, ...state() }));
	}
	await step("hide"); // nothing keeps the process alive
})().catch((error) => {
	console.error(error.stack);
	process.exitCode = 1;
});
