import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eventsByCategory } from '../events.ts';
import type { EventReader } from '../kernel/messages.ts';

type Kind = { readonly type: string; readonly schema: z.ZodObject } & EventReader;

const kinds: readonly Kind[] = Object.values(eventsByCategory).flatMap((stream) =>
  Object.values<Kind>(stream),
);

const files = readdirSync(import.meta.dirname).filter((name) => /\.v\d+\.json$/.test(name));
const jsonOf = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const examplesOf = (file: string): Record<string, unknown>[] => jsonOf(file);

/** Every event as it was written. Stored events never change, so neither does a file here. */
const stored = kinds.flatMap(({ type, version: newest, schema, read }) =>
  Array.from({ length: newest }, (_, index) => {
    const version = index + 1;
    const present = version === newest;
    return { type, schema, read, version, present, file: `${type}.v${version}.json` };
  }),
);
const present = stored.filter((each) => each.present);
const older = stored.filter((each) => !each.present);

describe('every event that was ever written', () => {
  it.each(present)('is read without loss: $file', ({ read, version, file }) => {
    expect(files).toContain(file);
    const examples = examplesOf(file);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) expect(read(example, version)).toEqual(example);
  });

  it('is upcast to the current shape if it is older', () => {
    for (const { read, schema, version, file } of older) {
      for (const example of examplesOf(file)) {
        const data = read(example, version);
        expect(schema.parse(data), file).toEqual(data);
      }
    }
  });

  it.each(present)('shows each of its fields: $file', ({ schema, file }) => {
    const shown = new Set(examplesOf(file).flatMap((example) => Object.keys(example)));
    expect(shown).toEqual(new Set(Object.keys(schema.shape)));
  });

  it.each(present)(
    'may contain fields that a newer release adds: $file',
    ({ read, version, file }) => {
      for (const example of examplesOf(file)) {
        expect(read({ ...example, addedLater: true }, version + 1)).toEqual(example);
      }
    },
  );

  it('has a type that is still declared', () => {
    expect(new Set(files)).toEqual(new Set(stored.map(({ file }) => file)));
  });
});

describe('the shape of an event', () => {
  /** By type and version. A shape that was written once stays here for ever. */
  const shapes: Readonly<Record<string, unknown>> = jsonOf('shapes.json');

  it.each(present)('matches its version: $type', ({ type, version, schema }) => {
    const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: 'input' });
    const said = `${type} has changed: what is stored has not. Add an upcast to its declaration, a
      file ${type}.v${version + 1}.json with examples, and its shape to shapes.json`;
    expect(shapes[`${type}.v${version}`], said).toEqual(shape);
  });

  it('is recorded for every version', () => {
    const names = stored.map(({ type, version }) => `${type}.v${version}`);
    expect(Object.keys(shapes)).toEqual(names.toSorted());
  });
});

describe('the events of all features', () => {
  it('are each in the list of their stream, so that none lacks an example', async () => {
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
