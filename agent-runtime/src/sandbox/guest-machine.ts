import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import type { CutText } from './guest-messages.ts';
import type { ScriptLimits } from './script-run.ts';

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
export async function makeMachine(limits: ScriptLimits): Promise<Machine> {
  const pages = Math.max(leastPages, Math.floor(limits.memoryBytes / pageBytes));
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  const variant = newVariant(RELEASE_SYNC, { wasmMemory: memory });
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
