import type { ScriptError, ScriptLimits, ScriptRequest } from './script-run.ts';
import type { Placeholders } from './script-secrets.ts';

/** The data of a thread. `input` is JSON. Secrets stay outside of the script's engine. */
export type ThreadTask = {
  script: string;
  input: string;
  secrets: Record<string, string>;
  placeholders: Placeholders;
  limits: ScriptLimits;
  /** The compiled WebAssembly of QuickJS. It holds code alone, which threads share. */
  engine: object;
};

/** How a script ended. `json` is its value. */
export type ThreadOutcome = { ok: true; json: string } | { ok: false; error: ScriptError };

/**
 * Messages of a thread, without secrets. `waiting`: the script waits for an answer or in `sleep`, until
 * it receives `continue`; `ready`: it could continue.
 */
export type FromThread =
  | { kind: 'started' }
  | { kind: 'waiting' }
  | { kind: 'ready' }
  | { kind: 'log'; line: string }
  | { kind: 'fetch'; id: number; request: ScriptRequest }
  | { kind: 'ended'; outcome: ThreadOutcome };

/**
 * The script may go on; or the answer to the request with this id, or why there is none. `response`
 * is JSON of one.
 */
export type ToThread =
  | { kind: 'go' }
  | { kind: 'answered'; id: number; response: string }
  | { kind: 'failed'; id: number; message: string };
