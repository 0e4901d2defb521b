// Runs pieces of code that come as lines of JSON on descriptor 3, and answers each with one on descriptor 4. What the code
// itself writes goes to descriptors 1 and 2, and there is nothing to read on 0.
'use strict';
{
  const fs = require('fs');
  const net = require('net');
  const path = require('path');
  const util = require('util');
  const vm = require('vm');
  const { createRequire } = require('module');

  const VALUE_CHARS_MAX = 100_000;
  const cut = (text) =>
    text.length <= VALUE_CHARS_MAX
      ? text
      : `${text.slice(0, VALUE_CHARS_MAX)}… ${text.length - VALUE_CHARS_MAX} more characters`;
  const { stringify, parse } = JSON;
  const writeSync = fs.writeSync;
  const load = vm.constants && vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER;

  globalThis.require = createRequire(path.join(process.cwd(), 'cell.js'));
  let number = 0;
  let interrupt = null;
  process.on('SIGINT', () => interrupt && interrupt(new Error('interrupted')));
  process.on('uncaughtException', (error) => console.error('Uncaught', error));
  process.on('unhandledRejection', (error) => console.error('Unhandled rejection', error));

  const evaluate = (code, filename) => {
    const options = { filename, breakOnSigint: true };
    if (load) options.importModuleDynamically = load;
    const first = (...texts) => {
      for (const text of texts) {
        try {
          new vm.Script(text, { filename });
        } catch (error) {
          continue;
        }
        return text;
      }
      return null;
    };
    const run = (text) => vm.runInThisContext(text, { ...options, displayErrors: text === code && first(code) === null });
    const trimmed = code.trim();
    const object = trimmed.startsWith('{') && !trimmed.endsWith(';') ? first(`(${trimmed}\n)`) : null;
    const plain = object || first(code);
    if (plain !== null) return run(plain);
    const waiting = first(`(async () => (${code}\n))()`, `(async () => {${code}\n})()`);
    // What is no code either way is told as it was given.
    return run(waiting === null ? code : waiting);
  };

  const told = (error) => {
    if (!(error instanceof Error) || typeof error.stack !== 'string') return `Uncaught ${util.inspect(error)}`;
    const ours = (line) => /^ {4}at .*(\[eval\]|node:)/.test(line);
    return error.stack.split('\n').filter((line) => !ours(line)).join('\n');
  };

  const tell = (answer) => {
    const bytes = Buffer.from(stringify(answer) + '\n');
    for (let at = 0; at < bytes.length; ) at += writeSync(4, bytes, at);
  };

  const serve = async ({ nonce, code }) => {
    const answer = { nonce };
    try {
      const stopped = new Promise((_, reject) => (interrupt = reject));
      stopped.catch(() => {});
      const value = await Promise.race([evaluate(code, `cell${++number}`), stopped]);
      if (value !== undefined) {
        globalThis._ = value;
        answer.value = cut(util.inspect(value, { depth: 4, maxArrayLength: 200, maxStringLength: 20_000 }));
      }
    } catch (error) {
      try {
        answer.error = cut(told(error));
      } catch {
        answer.error = 'Uncaught exception that cannot be shown';
      }
    }
    interrupt = null;
    tell(answer);
  };

  let waiting = '';
  let serving = Promise.resolve();
  const requests = new net.Socket({ fd: 3, readable: true, writable: false });
  requests.setEncoding('utf8');
  requests.on('data', (text) => {
    const lines = (waiting + text).split('\n');
    waiting = lines.pop();
    for (const line of lines) serving = serving.then(() => serve(parse(line)));
  });
  requests.on('end', () => process.exit(0));
  tell({ nonce: 'ready' });
}
