import { IMPORT_REASONS } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import problems from './en/problems.json';
import sentences from './en/sentences.json';
import validation from './en/validation.json';
import { baseOf } from './testing/words.ts';

type Checked = { _zod: { def: object } };

const isChecked = (value: unknown): value is Checked =>
  typeof value === 'object' && value !== null && '_zod' in value;

/** What a rule says where it is the same whatever was typed. */
function sentenceOf(def: object): string[] {
  if (!('error' in def) || typeof def.error !== 'function') return [];
  const said: unknown = def.error({ code: 'custom', input: '', path: [] });
  return typeof said === 'string' ? [said] : [];
}

/** The sentences of all rules within schemas, each once. */
function sentencesOf(schemas: readonly unknown[]): string[] {
  const seen = new Set<unknown>();
  const found = new Set<string>();
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    if (isChecked(value)) {
      for (const sentence of sentenceOf(value._zod.def)) found.add(sentence);
      if (value instanceof z.ZodLazy) walk(value.unwrap());
      return walk(value._zod.def);
    }
    for (const child of Object.values(value)) walk(child);
  };
  walk(schemas);
  return [...found].sort();
}

const modules = import.meta.glob<Record<string, unknown>>(
  ['../../../contracts/src/**/*.ts', '!../../../contracts/src/**/*.test.ts'],
  { eager: true },
);
const declared = Object.values(modules).flatMap((module) => Object.values(module));

/** Refusals of calls that no page makes, or whose sentence is never shown. */
const TO_PROGRAMS = [
  'reservation-not-found',
  'reservation-settled',
  'reservation-expired',
  'reservation-differs',
  'charge-not-found',
  'purchase-not-found',
  'purchase-differs',
  'reversal-too-large',
  'credits-not-bought',
  'payment-amount-differs',
  'webhook-not-signed',
  'not-your-claim',
  'step-not-begun',
  'malformed-request',
  'unsupported-content-encoding',
  'unsupported-media-type',
  'too-many-streams',
  'key-reads-only',
  'task-failed',
  'task-waits',
  'several-agents',
  'no-embedding-model',
  'model-not-found',
  'embedding-failed',
];

/** Rules about types, which forms always satisfy: they are for programs. */
const OF_TYPES =
  /^[a-z]+[A-Z]?\w* must |\b(must be (a text|text|an object|an id|a list|one of|a moment|names with|the token|types of|true|ndjson))|^(Must be|Goes with|Give either|Fax) /;

const codes = declared.flatMap((value) =>
  typeof value === 'function' && 'code' in value && 'status' in value ? [String(value.code)] : [],
);

/** Sentences stored with work, or about what an import left out. */
const keys = declared.flatMap((value) =>
  typeof value === 'function' && 'key' in value ? [String(value.key)] : [],
);
/** Failures of tasks stored before parameters were recorded. */
const STORED_BARE = [
  'model-unavailable',
  'model-rejected',
  'model-timeout',
  'model-output-invalid',
  'out-of-steps',
  'out-of-tokens',
  'tool-not-used',
  'tool-failed',
  'cancelled',
  'deadline-passed',
  'agent-deleted',
  'playbook-deleted',
  'tool-gone',
  'internal-fault',
];

describe('the sentences of the server', () => {
  it('have words for each sentence that it names, and for no others', () => {
    expect(keys.length).toBeGreaterThan(40);
    const told = new Set(Object.keys(sentences).map(baseOf));
    expect([...told].sort()).toEqual([...new Set(keys)].sort());
  });

  it('have words with nothing to fill in, or none, where only the code was stored', () => {
    const words: Readonly<Record<string, string>> = sentences;
    expect(STORED_BARE.filter((code) => words[code]?.includes('{{'))).toEqual([]);
  });

  it('have words for each reason why an import is refused', () => {
    const told = Object.keys(problems);
    expect(IMPORT_REASONS.filter((one) => !told.includes(`import-refused_${one}`))).toEqual([]);
  });

  it('have words for each refusal, by its code', () => {
    expect(codes.length).toBeGreaterThan(30);
    const told = Object.keys(problems).map((key) => key.split('_')[0]);
    expect(codes.filter((code) => !told.includes(code) && !TO_PROGRAMS.includes(code))).toEqual([]);
  });

  it('have words for each rule of the fields that a form may send', () => {
    const bodies = declared.flatMap((value) =>
      typeof value === 'object' && value !== null && 'body' in value ? [value.body] : [],
    );
    const sentences = sentencesOf(bodies);
    expect(sentences.length).toBeGreaterThan(50);
    const told = sentences.filter((sentence) => !OF_TYPES.test(sentence));
    expect(told.filter((sentence) => !Object.hasOwn(validation, sentence))).toEqual([]);
  });
});
