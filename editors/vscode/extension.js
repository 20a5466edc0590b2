// SPDX-License-Identifier: Apache-2.0
const vscode = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

// Beside the program, what its beginning has made: opened anew each time, and never saved.
async function showModuleHere() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== 'mlc') return;
  const where = { uri: editor.document.uri.toString(), position: { line: editor.selection.active.line, character: 0 } };
  let answer;
  try {
    answer = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: 'mlc: running to here' },
      () => client.sendRequest('workspace/executeCommand', { command: 'mlc.runToHere', arguments: [where] }));
  } catch (error) {
    return vscode.window.showErrorMessage(error.message);
  }
  const content = answer.ok ? answer.module : answer.error;
  const document = await vscode.workspace.openTextDocument({ content, language: answer.ok ? 'mlc' : 'plaintext' });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true, preserveFocus: true });
}

exports.activate = async function (context) {
  const command = vscode.workspace.getConfiguration('mlc').get('path');
  client = new LanguageClient('mlc', 'mlc', { command, args: ['lsp'] }, {
    documentSelector: [{ language: 'mlc' }],
    // The command of the server is offered by the one above, which knows where the cursor is.
    middleware: { executeCommand: () => showModuleHere() },
  });
  context.subscriptions.push(vscode.commands.registerCommand('mlc.showModuleHere', showModuleHere));
  await client.start();
};

exports.deactivate = () => client && client.stop();
