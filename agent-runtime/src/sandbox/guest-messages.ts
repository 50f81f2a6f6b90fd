import { longestForm, secretMask } from '../tools/api-secret-mask.ts';
import type { Json, ScriptError, ScriptResponse } from './script-run.ts';
import type { FromThread, ThreadOutcome, ToThread } from './thread-messages.ts';

/** `isCut` says that more text followed: what stands at its end may be the half of a secret. */
export type CutText = { text: string; isCut: boolean };

export type GuestError = Omit<ScriptError, 'message'> & { message: CutText };

export type GuestOutcome = { ok: true; json: string } | { ok: false; error: GuestError };

/** What a script did. */
export type GuestMessage =
  | Extract<FromThread, { kind: 'started' | 'waiting' | 'ready' | 'fetch' }>
  | { kind: 'log'; line: CutText }
  | { kind: 'ended'; outcome: GuestOutcome };

type Mask = (text: string) => string;

/** A deeper value would break readers that call themselves for each level, here and later. */
const depthMax = 100;

/** Hides the secrets that an answer repeats, so that the script never sees them. */
export function forGuest(secrets: Record<string, string>): (message: ToThread) => ToThread {
  const mask = secretMask(knownForms(secrets));
  return (message) => {
    if (message.kind === 'go') return message;
    if (message.kind === 'failed') return { ...message, message: mask(message.message) };
    const { status, headers, body }: ScriptResponse = JSON.parse(message.response);
    const fields = Object.entries(headers).map(([name, value]) => [mask(name), mask(value)]);
    const shown = { status, headers: Object.fromEntries(fields), body: mask(body) };
    return { ...message, response: JSON.stringify(shown) };
  };
}

/** Texts in JSON are often JSON themselves, and what is in them is escaped more than once. */
function knownForms(secrets: Record<string, string>): string[] {
  const once = Object.values(secrets);
  const twice = once.map(inJson);
  return [...once, ...twice, ...twice.map(inJson)];
}

/**
 * Makes a script's results safe: without secrets, lone surrogates and NUL (which databases refuse),
 * and without the key `__proto__`. It runs in the script's thread, so that a large value delays no
 * other work.
 */
export function forOthers(secrets: Record<string, string>): (message: GuestMessage) => FromThread {
  const known = knownForms(secrets);
  const hide = secretMask(known);
  const mask: Mask = (text) => hide(text.toWellFormed().replaceAll('\0', '\ufffd'));
  // The half of a secret at the end of a cut text has no form that the mask could know.
  const doubtful = longestForm(known);
  const maskCut = ({ text, isCut }: CutText) =>
    isCut ? `${mask(text).slice(0, -doubtful || undefined)} …` : mask(text);

  return (message) => {
    if (message.kind === 'log') return { kind: 'log', line: maskCut(message.line) };
    if (message.kind !== 'ended') return message;
    return { kind: 'ended', outcome: maskedOutcome(message.outcome, mask, maskCut) };
  };
}

function maskedOutcome(
  outcome: GuestOutcome,
  mask: Mask,
  maskCut: (text: CutText) => string,
): ThreadOutcome {
  if (!outcome.ok) {
    const { kind, message, line } = outcome.error;
    return { ok: false, error: { kind, message: maskCut(message), line } };
  }
  const value: Json = JSON.parse(outcome.json);
  if (!isDeeper(value, depthMax)) return { ok: true, json: JSON.stringify(masked(value, mask)) };
  const message = `The value is nested more than ${depthMax} levels deep.`;
  return { ok: false, error: { kind: 'not-json', message } };
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

function masked(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') return maskedNumber(value, mask);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  const entries = Object.entries(value)
    .filter(([key]) => key !== '__proto__')
    .map(([key, item]) => [mask(key), masked(item, mask)] as const);
  return Object.fromEntries(entries);
}

/** A secret of digits can come out as a number, too. */
function maskedNumber(value: number, mask: Mask): Json {
  const text = String(value);
  const shown = mask(text);
  return shown === text ? value : shown;
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
