import type { ScriptError, ScriptLimits, ScriptRequest } from './script-run.ts';

/** What a thread is started with. `input` is JSON. */
export type ThreadTask = {
  script: string;
  input: string;
  secrets: Record<string, string>;
  limits: ScriptLimits;
};

/** How a script ended. `json` is its value. */
export type ThreadOutcome = { ok: true; json: string } | { ok: false; error: ScriptError };

/** What a thread tells. Only requests hold secrets, because the peers need them. */
export type FromThread =
  | { kind: 'started' }
  | { kind: 'log'; line: string }
  | { kind: 'fetch'; id: number; request: ScriptRequest }
  | { kind: 'ended'; outcome: ThreadOutcome };

/** The answer to the request with this id, or why there is none; `response` is JSON of one. */
export type ToThread =
  | { kind: 'answered'; id: number; response: string }
  | { kind: 'failed'; id: number; message: string };
