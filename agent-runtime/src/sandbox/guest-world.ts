import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten';
import { prelude } from './prelude.ts';
import { basicPlaceholder, hmacOf } from './script-secrets.ts';
import type { ThreadTask } from './thread-messages.ts';

/** The thread's functions that the script's globals use. */
export type WorldHost = {
  ask(request: string): QuickJSHandle;
  log(text: string): void;
  sleep(ms: number): QuickJSHandle;
};

/** Functions inside of QuickJS that were made before the script could change anything. */
export type World = { toJson: QuickJSHandle; describe: QuickJSHandle };

/** Gives the script its globals: input, secrets, fetch, sleep, basicAuth, hmac, console, btoa, atob. */
export function makeWorld(context: QuickJSContext, task: ThreadTask, host: WorldHost): World {
  const functions = {
    fetch: (request: QuickJSHandle) => host.ask(context.getString(request)),
    sleep: (ms: QuickJSHandle) => host.sleep(context.getNumber(ms)),
    log: (text: QuickJSHandle) => host.log(textOf(context, text)),
    toBase64: (text: QuickJSHandle) => jsonString(context, toBase64(textOf(context, text))),
    basic: (pair: QuickJSHandle) => {
      const [username, password] = JSON.parse(context.getString(pair));
      const value = basicPlaceholder(task.placeholders, String(username), String(password));
      return jsonString(context, value);
    },
    hmac: (asked: QuickJSHandle) =>
      jsonString(context, hmacOf(Object(JSON.parse(context.getString(asked))), task)),
    fromBase64: (text: QuickJSHandle) => jsonString(context, fromBase64(textOf(context, text))),
  };
  const given = context.newObject();
  for (const [name, act] of Object.entries(functions)) {
    context.newFunction(name, act).consume((handle) => context.setProp(given, name, handle));
  }
  const install = context.unwrapResult(context.evalCode(`(${prelude})`, 'prelude.js'));
  const tools = context.unwrapResult(
    context.callFunction(
      install,
      context.undefined,
      given,
      context.newString(task.input),
      context.newString(JSON.stringify(task.placeholders.secrets)),
      context.newNumber(task.limits.logBytes + 1),
    ),
  );
  return {
    toJson: context.getProp(tools, 'toJson'),
    describe: context.getProp(tools, 'describe'),
  };
}

function textOf(context: QuickJSContext, json: QuickJSHandle): string {
  return JSON.parse(context.getString(json));
}

function jsonString(context: QuickJSContext, text: string): QuickJSHandle {
  return context.newString(JSON.stringify(text));
}

function toBase64(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) {
    throw new RangeError('btoa takes characters up to U+00FF only.');
  }
  return bytes.toString('base64');
}

function fromBase64(text: string): string {
  return Buffer.from(text, 'base64').toString('latin1');
}
