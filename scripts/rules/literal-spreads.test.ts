import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));
const RULE = fileURLToPath(new URL('literal-spreads.grit', import.meta.url));

const folder = mkdtempSync(join(tmpdir(), 'tallyhand-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'biome.json'), JSON.stringify({ plugins: [RULE] }));

function isRefused(text: string): boolean {
  writeFileSync(join(folder, 'a.tsx'), text);
  const args = ['lint', `--config-path=${folder}`, join(folder, 'a.tsx')];
  return spawnSync(BIOME, args, { encoding: 'utf8' }).stderr.includes('Write the members');
}

describe('a spread of a literal', () => {
  it.each([
    'export const a = { ...{ b: 1 } };',
    'export const a = [...[1, 2]];',
    "export const a = [...(['x', 'y'] as const)];",
    'export const a = (b: number) => <i {...{ b }} />;',
  ])('is refused: %s', (text) => {
    expect(isRefused(text)).toBe(true);
  });

  it.each([
    'export const a = (b: boolean) => ({ ...(b ? { c: 1 } : {}) });',
    'export const a = [...[1, 2].map(String)];',
    'export const a = (b: number[]) => [...b];',
  ])('is not this: %s', (text) => {
    expect(isRefused(text)).toBe(false);
  });
});
