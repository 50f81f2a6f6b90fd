import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readModels, reads, tables } from './read-models.ts';

const features = join(import.meta.dirname, 'features');
const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);

describe('the lists of read models and reads', () => {
  it.each(files)('have what %s declares', async (file) => {
    const listed: readonly unknown[] = [...readModels, ...reads];
    const exported = Object.values<unknown>(await import(join(features, file)));
    const declared = exported.filter(
      (value) => value instanceof Object && ('tables' in value || 'statements' in value),
    );
    for (const each of declared) expect(listed).toContain(each);
  });

  it('have each table and each read once', () => {
    const names = readModels.flatMap((model) => Object.keys(model.tables));
    expect(Object.keys(tables)).toHaveLength(names.length);
    expect(new Set(reads.map(({ name }) => name)).size).toBe(reads.length);
  });
});
