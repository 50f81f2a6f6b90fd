import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { eventsByCategory } from '../events.ts';

type Kind = { readonly type: string; readonly schema: z.ZodObject };

const kinds: readonly Kind[] = Object.values(eventsByCategory).flatMap((stream) =>
  Object.values<Kind>(stream),
);

const VERSIONS = ['v1'];
const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'));
const examplesOf = (file: string): Record<string, unknown>[] =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));

/** Every event as it was once written. What is stored is never changed, so neither is a file here. */
const stored = kinds.flatMap(({ type, schema }) =>
  VERSIONS.map((version) => ({ type, schema, file: `${type}.${version}.json` })),
);

describe('every event that was ever written', () => {
  it.each(stored)('is read without a loss: $file', ({ schema, file }) => {
    expect(files).toContain(file);
    const examples = examplesOf(file);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(schema.parse(example)).toEqual(example);
  });

  it.each(stored)('shows each of its fields: $file', ({ schema, file }) => {
    const shown = new Set(examplesOf(file).flatMap((example) => Object.keys(example)));
    expect(shown).toEqual(new Set(Object.keys(schema.shape)));
  });

  it.each(stored)('may hold what a newer writer adds: $file', ({ schema, file }) => {
    for (const example of examplesOf(file)) {
      expect(schema.parse({ ...example, addedLater: true })).toEqual(example);
    }
  });

  it('is of a kind that is still declared', () => {
    expect(new Set(files)).toEqual(new Set(stored.map(({ file }) => file)));
  });
});

describe('the events of all features', () => {
  it('stand each in the list of its stream, so that none is without an example', async () => {
    const features = new URL('../features/', import.meta.url);
    const declared: string[] = [];
    for (const feature of readdirSync(features)) {
      for (const name of readdirSync(new URL(`${feature}/`, features))) {
        if (!name.endsWith('.events.ts')) continue;
        const module: Record<string, unknown> = await import(`${features}${feature}/${name}`);
        for (const value of Object.values(module)) {
          if (typeof value === 'function' && 'type' in value) declared.push(String(value.type));
        }
      }
    }
    expect(declared.toSorted()).toEqual(kinds.map(({ type }) => type).toSorted());
  });
});
