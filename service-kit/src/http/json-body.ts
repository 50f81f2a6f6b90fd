import { MalformedRequest, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { FastifyInstance } from 'fastify';
import { RefusalError } from './problem.ts';

const DEPTH_MAX = 16;
const VALUES_MAX = 20_000;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * JSON only; an empty body counts as absent. Values that no field may have are refused here, by
 * path.
 */
export function addJsonBody(app: FastifyInstance) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseJson(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RefusalError(MalformedRequest({ reason: 'The body is not valid JSON.' }));
  }
  checkHygiene(value);
  return value;
}

/** Throws when a text can't be stored, a key is one that no field has, or the nesting is too deep. */
export function checkHygiene(value: unknown) {
  const waiting: { value: unknown; path: string; depth: number }[] = [
    { value, path: '', depth: 0 },
  ];
  let values = 0;
  for (let at = waiting.pop(); at; at = waiting.pop()) {
    if (at.depth > DEPTH_MAX) {
      throw new RefusalError(MalformedRequest({ reason: 'The body is nested too deeply.' }));
    }
    if (typeof at.value === 'string') checkText(at.value, at.path);
    if (typeof at.value !== 'object' || at.value === null) continue;
    for (const key in at.value) {
      values += 1;
      if (values > VALUES_MAX) {
        throw new RefusalError(MalformedRequest({ reason: 'The body holds too many values.' }));
      }
      const child = (at.value as Record<string, unknown>)[key];
      if (FORBIDDEN_KEYS.has(key)) refuseField(at.path, `The key ${key} is not allowed`);
      checkText(key, at.path);
      const path = at.path === '' ? key : `${at.path}.${key}`;
      waiting.push({ value: child, path, depth: at.depth + 1 });
    }
  }
}

function checkText(text: string, path: string) {
  if (text.includes('\u0000')) refuseField(path, 'Must not contain null characters');
  if (!text.isWellFormed()) refuseField(path, 'Must be valid Unicode text');
}

function refuseField(path: string, message: string): never {
  throw new RefusalError(
    ValidationFailed({ summary: `${path === '' ? 'The body' : path}: ${message}.` }, [
      { path, message },
    ]),
  );
}
