import type { QuickJSHandle } from 'quickjs-emscripten';
import type { Machine } from './guest-machine.ts';
import type { GuestOutcome } from './guest-messages.ts';
import type { World } from './guest-world.ts';
import type { Described } from './prelude.ts';
import type { ScriptErrorKind } from './script-run.ts';

/** A machine with the prelude in it. */
export type Furnished = Machine & { world: World };

/** The file name of the script in stack traces. */
export const scriptName = 'script.js';

/** To tell what went wrong, whether the script's own time was used up or not. */
const extraMs = 200;

/** What stands for a thrown value that can't be described. */
const odd = 'something odd was thrown';

export function valueOutcome(machine: Furnished, value: QuickJSHandle): GuestOutcome {
  const { context, world, limits } = machine;
  const written = context.callFunction(world.toJson, context.undefined, value);
  if (written.error) return thrownOutcome(machine, written.error, 'not-json');
  // The length is looked at first, so that what is too large never leaves QuickJS.
  const isTooLong = (context.getLength(written.value) ?? 0) > limits.outputBytes;
  const json = isTooLong ? '' : context.getString(written.value);
  if (!isTooLong && Buffer.byteLength(json) <= limits.outputBytes) return { ok: true, json };
  return failed('output-too-large', `The value has more than ${limits.outputBytes} bytes.`);
}

/** What a thrown value means. `kind` is for what is neither about time nor memory. */
export function thrownOutcome(
  machine: Furnished,
  thrown: QuickJSHandle,
  kind: 'syntax' | 'thrown' | 'not-json',
): GuestOutcome {
  const { isLate } = machine.clock;
  const { name, message, stack, isCut } = described(machine, thrown);
  const line = lineIn(stack);
  if (isLate) return timeOutcome(machine, line);
  // Where not even the error fits into the memory any more, QuickJS throws null.
  const isFull = name === '' && (message === 'null' || message === odd) && machine.wasFull();
  if (isFull || (name === 'InternalError' && message === 'out of memory')) {
    return memoryOutcome(machine, line);
  }
  const text = name === '' ? message : `${name}: ${message}`;
  if (kind === 'not-json') return failed(kind, `The value has no JSON: ${text}`, line, isCut);
  return failed(kind === 'syntax' && name !== 'SyntaxError' ? 'thrown' : kind, text, line, isCut);
}

export function timeOutcome({ limits }: Machine, line?: number): GuestOutcome {
  return failed('timeout', `The script took longer than ${limits.timeMs / 1_000} seconds.`, line);
}

/** The script waits, but neither a request nor a sleep is left that could wake it. */
export function stuckOutcome(): GuestOutcome {
  return failed('timeout', 'The script waits for a promise that nothing settles.');
}

/** For what the machine itself threw. */
export function brokenOutcome(machine: Machine): GuestOutcome {
  if (machine.wasFull()) return memoryOutcome(machine);
  return failed('crashed', 'The sandbox of the script broke down.');
}

function memoryOutcome({ limits }: Machine, line?: number): GuestOutcome {
  const megabytes = Math.round(limits.memoryBytes / 1024 / 1024);
  return failed('memory', `The script needs more than ${megabytes} MB of memory.`, line);
}

function described(machine: Furnished, thrown: QuickJSHandle): Described {
  const { context, world, clock, reserve } = machine;
  clock.endsAt = performance.now() + extraMs;
  if (reserve.alive) reserve.dispose();
  const text = context.callFunction(world.describe, context.undefined, thrown);
  if (text.error) return { name: '', message: odd, stack: '', isCut: false };
  return JSON.parse(context.getString(text.value));
}

function lineIn(stack: string): number | undefined {
  const [, line] = /script\.js:(\d{1,7})/.exec(stack) ?? [];
  return line === undefined ? undefined : Number(line);
}

function failed(kind: ScriptErrorKind, text: string, line?: number, isCut = false): GuestOutcome {
  return { ok: false, error: { kind, message: { text, isCut }, line } };
}
