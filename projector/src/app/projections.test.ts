import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projections } from './projections.ts';

const features = join(import.meta.dirname, '../features');
const files = readdirSync(features, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.projection.ts'),
);

describe('the list of projections', () => {
  it.each(files)('has that of %s', async (file) => {
    const exported = Object.entries<unknown>(await import(join(features, file)));
    const declared = exported.filter(([name]) => name.endsWith('Projection'));
    expect(declared).not.toEqual([]);
    for (const [, each] of declared) expect(projections).toContain(each);
  });
});
