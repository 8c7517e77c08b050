// Starts `reckon lsp` for programs of Reckon.
const {workspace} = require('vscode');
const {LanguageClient} = require('vscode-languageclient/node');

let client;

exports.activate = function (context) {
  const command = workspace.getConfiguration('reckon').get('path') || 'reckon';
  client = new LanguageClient('reckon', 'Reckon', {command, args: ['lsp']}, {documentSelector: [{language: 'reckon'}]});
  context.subscriptions.push(client);
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
