/** A request of a script: untrusted. */
export type ScriptRequest = {
  url: string;
  /** As written by the script; GET by default. */
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
};

export type ScriptResponse = {
  status: number;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
};

export type ScriptLimits = {
  /** From the script's first line to its value, requests included; waiting for a place is not. */
  timeMs: number;
  /** For the script and its engine together; at least 16 MiB. */
  memoryBytes: number;
  /** Of the script's own stack; above 1,000,000 the thread's stack would end first. */
  stackBytes: number;
  /** Of the value as JSON. */
  outputBytes: number;
  /** Requests in the whole run. */
  fetches: number;
  /** Concurrent requests; further ones wait. */
  fetchesAtOnce: number;
  requestBytes: number;
  responseBytes: number;
  logLines: number;
  /** Of all lines together. */
  logBytes: number;
};

export const defaultScriptLimits: ScriptLimits = {
  timeMs: 10_000,
  memoryBytes: 32 * 1024 * 1024,
  stackBytes: 512 * 1024,
  outputBytes: 256 * 1024,
  fetches: 20,
  fetchesAtOnce: 5,
  requestBytes: 1_000_000,
  responseBytes: 2_000_000,
  logLines: 200,
  logBytes: 32 * 1024,
};

export type ScriptRun = {
  organizationId: string;
  /** The body of an async function: `return` gives the value, `await` works. */
  script: string;
  /** Any JSON value; the script sees a copy. */
  input: unknown;
  /**
   * The script sees a placeholder for each. They are filled in outside of the script, in header
   * values for the allowed hosts, and masked in all answers.
   */
  secrets: Record<string, string>;
  /** As in the config of tools: `api.example.com` for https, `http://10.1.2.3:8080`. */
  allowedHosts: readonly string[];
  /**
   * Makes a request for the script. Its headers may contain secrets, which a redirect to another
   * origin must drop. Error messages are shown to the script's author. The signal aborts when the
   * run ends.
   */
  fetch: (request: ScriptRequest, signal: AbortSignal) => Promise<ScriptResponse>;
  limits?: Partial<ScriptLimits>;
  /** Aborting it ends the run with the error `aborted`. */
  signal: AbortSignal;
};

export type ScriptErrorKind =
  | 'syntax'
  | 'thrown'
  | 'timeout'
  | 'memory'
  | 'output-too-large'
  | 'not-json'
  | 'aborted'
  | 'crashed';

/** The message is for the script's author; `line` counts the script's lines from 1. */
export type ScriptError = { kind: ScriptErrorKind; message: string; line?: number };

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** `ms` is the time that counts for the limit: without waiting for a place. */
export type ScriptResult =
  | { ok: true; value: Json; logs: string[]; ms: number }
  | { ok: false; error: ScriptError; logs: string[]; ms: number };
