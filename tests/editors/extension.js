// SPDX-License-Identifier: Apache-2.0
// The extension of VS Code with stand-ins for the editor and for its client of language servers.
const assert = require('assert');
const Module = require('module');
const path = require('path');

const registered = {};
const shown = [];
let started, made, answer;

const vscode = {
  ProgressLocation: { Window: 10 },
  ViewColumn: { Beside: -2 },
  window: {
    activeTextEditor: { document: { languageId: 'mlc', uri: { toString: () => 'file:///p.mlc' } }, selection: { active: { line: 3 } } },
    withProgress: (options, task) => task(),
    showErrorMessage: (text) => shown.push(['error', text]),
    showWarningMessage: (text) => shown.push(['warning', text]),
    showInformationMessage: (text) => shown.push(['information', text]),
    showTextDocument: async (document) => shown.push(['document', document]),
  },
  workspace: {
    getConfiguration: () => ({ get: () => '/opt/mlc' }),
    openTextDocument: async (document) => document,
  },
  commands: { registerCommand: (name, run) => { registered[name] = run; return {}; } },
};
class LanguageClient {
  constructor(id, name, server, client) { made = { server, client }; }
  async start() { started = true; }
  async stop() { started = false; }
  async sendRequest(method, params) {
    assert.strictEqual(method, 'workspace/executeCommand');
    assert.deepStrictEqual(params, { command: 'mlc.runToHere', arguments: [{ uri: 'file:///p.mlc', position: { line: 3, character: 0 } }] });
    return answer;
  }
}

const load = Module._load;
Module._load = (name, ...more) =>
  name === 'vscode' ? vscode : name === 'vscode-languageclient/node' ? { LanguageClient } : load(name, ...more);
const extension = require(path.resolve(process.argv[2]));

(async () => {
  await extension.activate({ subscriptions: [] });
  assert.deepStrictEqual(made.server, { command: '/opt/mlc', args: ['lsp'] });
  assert.strictEqual(started, true);
  answer = { ok: true, module: 'the module' };
  await registered['mlc.showModuleHere']();
  assert.deepStrictEqual(shown.pop(), ['document', { content: 'the module', language: 'mlc' }]);
  answer = { ok: false, error: 'refused' };
  await registered['mlc.showModuleHere']();
  assert.deepStrictEqual(shown.pop(), ['document', { content: 'refused', language: 'plaintext' }]);

  const { executeCommand } = made.client.middleware;
  answer = { ok: true, module: 'again' };
  await executeCommand('mlc.runToHere', [], () => assert.fail('it is the command of the extension'));
  assert.strictEqual(shown.pop()[1].content, 'again');
  const handed = (result) => async (command, args) => { assert.deepStrictEqual([command, args], ['mlc.waysOut', [1]]); return result; };
  await executeCommand('mlc.waysOut', [1], handed({ ok: false, error: 'the step', ways: ['sch.split(i)'] }));
  assert.strictEqual(shown.length, 0);  // the quick fixes say it
  await executeCommand('mlc.waysOut', [1], handed({ ok: false, error: 'the step', ways: [] }));
  assert.deepStrictEqual(shown.pop(), ['warning', 'mlc: the step']);
  await executeCommand('mlc.waysOut', [1], handed({ ok: true, error: '', ways: [] }));
  assert.strictEqual(shown.pop()[0], 'information');

  await extension.deactivate();
  assert.strictEqual(started, false);
})().catch((error) => { console.error(error); process.exit(1); });
