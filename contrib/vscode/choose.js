// SPDX-License-Identifier: GPL-3.0-or-later
// choose.js - which session: a list of those in the workspace, or any folder.
"use strict";
const path = require("path");
const vscode = require("vscode");
const { findSessions } = require("./profile");

// How the session is called: its path in the workspace.
function describe(session) {
	const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(session));
	return folder ? path.relative(folder.uri.fsPath, session) || "." : session;
}

// Returns the folder that was chosen; undefined: none was.
async function choose() {
	const roots = (vscode.workspace.workspaceFolders || []).filter(
		(folder) => folder.uri.scheme === "file"
	);
	const sessions = (await Promise.all(roots.map((folder) => findSessions(folder.uri.fsPath)))).flat();
	const other = { label: "$(folder-opened) Another folder..." };
	const items = sessions.map((session) => ({
		label: describe(session.path),
		description: new Date(session.changed).toLocaleString(),
		session: session.path,
	}));
	if (!items.length) {
		const chosen = await vscode.window.showErrorMessage(
			"cinstr: There is no recorded session in this workspace. " +
				"Record one with 'cinstr record -- ./program', or choose a folder.",
			"Choose a Folder"
		);
		return chosen ? ask() : undefined;
	}
	const picked = await vscode.window.showQuickPick([...items, other], {
		placeHolder: "The session to show",
	});
	return picked === other ? ask() : picked?.session;
}

async function ask() {
	const chosen = await vscode.window.showOpenDialog({
		canSelectFolders: true,
		canSelectFiles: false,
		openLabel: "Show the Profile",
	});
	return chosen?.[0].fsPath;
}

module.exports = { choose, describe };
