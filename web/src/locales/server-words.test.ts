import { describe, expect, it } from 'vitest';
import problems from './en/problems.json';
import validation from './en/validation.json';
import { sentencesOf } from './testing/rule-sentences.ts';

const modules = import.meta.glob<Record<string, unknown>>(
  ['../../../contracts/src/**/*.ts', '!../../../contracts/src/**/*.test.ts'],
  { eager: true },
);
const declared = Object.values(modules).flatMap((module) => Object.values(module));

/** Refusals of calls that no page makes, or whose sentence says what no other can. */
const TO_PROGRAMS = [
  ...['reservation-not-found', 'reservation-settled', 'reservation-expired', 'reservation-differs'],
  ...['charge-not-found', 'purchase-not-found', 'purchase-differs', 'reversal-too-large'],
  ...['credits-not-bought', 'payment-amount-differs', 'webhook-not-signed'],
  ...['not-your-claim', 'step-not-begun'],
  ...['malformed-request', 'unsupported-media-type'],
];

/** Rules about types, which a form keeps by being one: they are told to programs. */
const OF_TYPES =
  /^[a-z]+[A-Z]?\w* must |\b(must be (a text|text|an object|an id|a list|one of|a moment|names with|the token|types of|true|ndjson))|^(Must be|Goes with|Give either|Fax) /;

const codes = declared.flatMap((value) =>
  typeof value === 'function' && 'code' in value && 'status' in value ? [String(value.code)] : [],
);

describe('what the server says', () => {
  it('has words for each refusal, by its code', () => {
    expect(codes.length).toBeGreaterThan(30);
    const told = Object.keys(problems).map((key) => key.split('_')[0]);
    expect(codes.filter((code) => !told.includes(code) && !TO_PROGRAMS.includes(code))).toEqual([]);
  });

  it('has words for each rule of the fields that a form may send', () => {
    const bodies = declared.flatMap((value) =>
      typeof value === 'object' && value !== null && 'body' in value ? [value.body] : [],
    );
    const sentences = sentencesOf(bodies);
    expect(sentences.length).toBeGreaterThan(50);
    const told = sentences.filter((sentence) => !OF_TYPES.test(sentence));
    expect(told.filter((sentence) => !Object.hasOwn(validation, sentence))).toEqual([]);
  });
});
