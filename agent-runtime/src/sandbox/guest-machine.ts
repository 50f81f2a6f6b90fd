import releaseSync from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core';
import type { CutText } from './guest-messages.ts';
import { prelude } from './prelude.ts';
import type { ScriptLimits } from './script-run.ts';
import { basicPlaceholder, hmacOf } from './script-secrets.ts';
import type { ThreadTask } from './thread-messages.ts';

/** The platform's global, which Node's types omit. Sizes are in pages. */
declare const WebAssembly: {
  Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

/** `endsAt` is a time of performance.now; `isLate` says that code was interrupted for it. */
export type GuestClock = { endsAt: number; isLate: boolean };

/** One QuickJS in a separate WebAssembly memory. */
export type Machine = {
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  limits: ScriptLimits;
  clock: GuestClock;
  /** Whether nearly all memory was taken at some time. */
  wasFull: () => boolean;
  /** Reserved memory, to describe an error when there is none left: dispose of it first. */
  reserve: QuickJSHandle;
};

/** The library declares the type of its CommonJS build only. */
const syncBuild = releaseSync as unknown as QuickJSSyncVariant;

const pageBytes = 65_536;
/** The minimum of this build of QuickJS. */
const leastPages = 256;
const reserveBytes = 262_144;

/**
 * Makes a machine whose code is interrupted past `clock.endsAt`; at first it has no end.
 *
 * The size of the WebAssembly memory is what bounds the script's. QuickJS has a memory limit too,
 * but in this build it doesn't add up strings and buffers: with a limit of 8 MB, scripts got 2 GB.
 * The memory has its full size from the start, because the library loses its views of a memory that
 * grows during a call; pages that are never used cost nothing.
 */
export async function makeMachine({
  limits,
  engine,
}: Pick<ThreadTask, 'limits' | 'engine'>): Promise<Machine> {
  const pages = Math.max(leastPages, Math.floor(limits.memoryBytes / pageBytes));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const variant = newVariant(syncBuild, { wasmMemory: memory, wasmModule: engine });
  const module = await newQuickJSWASMModuleFromVariant(variant);
  const clock = { endsAt: Number.POSITIVE_INFINITY, isLate: false };
  const runtime = module.newRuntime({
    maxStackSizeBytes: limits.stackBytes,
    interruptHandler() {
      if (performance.now() < clock.endsAt) return false;
      clock.isLate = true;
      return true;
    },
  });
  const context = runtime.newContext();
  const reserve = context.newArrayBuffer(new ArrayBuffer(reserveBytes));
  return { runtime, context, limits, clock, wasFull: () => isUsedUp(memory.buffer), reserve };
}

/** The heap grows upwards, and what was never used is zero: the last tenth is looked at. */
function isUsedUp(buffer: ArrayBuffer): boolean {
  const start = Math.floor((buffer.byteLength * 0.9) / pageBytes) * pageBytes;
  return new BigUint64Array(buffer, start).some((word) => word !== 0n);
}

/** Takes lines until the first limit; the last one may be cut, and the rest is dropped. */
export function guestLog(
  { logLines, logBytes }: ScriptLimits,
  keep: (line: CutText) => void,
): (text: string) => void {
  let lines = 0;
  let bytesLeft = logBytes;
  return (text) => {
    if (lines >= logLines || bytesLeft <= 0) return;
    const bytes = Buffer.from(text);
    lines += 1;
    bytesLeft -= bytes.length;
    const isCut = bytesLeft < 0;
    keep({ text: isCut ? bytes.toString('utf8', 0, bytes.length + bytesLeft) : text, isCut });
  };
}

/** The thread's functions that the script's globals use. */
type WorldHost = {
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
