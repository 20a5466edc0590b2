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

// The server marks the step that was refused; what would work in its place are quick fixes there.
async function tryWaysOut(command, args, next) {
  const answer = await next(command, args);
  if (!answer) return;
  if (answer.ok) vscode.window.showInformationMessage('mlc: no step up to here is refused');
  else if (answer.ways.length === 0) vscode.window.showWarningMessage(`mlc: ${answer.error}`);
  return answer;
}

exports.activate = async function (context) {
  const command = vscode.workspace.getConfiguration('mlc').get('path');
  client = new LanguageClient('mlc', 'mlc', { command, args: ['lsp'] }, {
    documentSelector: [{ language: 'mlc' }],
    // The command of the server is offered by the one above, which knows where the cursor is.
    middleware: { executeCommand: (command, args, next) => command === 'mlc.runToHere' ? showModuleHere() : tryWaysOut(command, args, next) },
  });
  context.subscriptions.push(vscode.commands.registerCommand('mlc.showModuleHere', showModuleHere));
  await client.start();
};

exports.deactivate = () => client && client.stop();
