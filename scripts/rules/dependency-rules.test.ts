import { describe, expect, it } from 'vitest';
import { brokenRules } from './dependency-rules.js';
import { cyclesIn, importsOf } from './imports.js';

const breaks = (from: string, to: string) => brokenRules([{ from, to }]).length > 0;

describe('the dependency rules', () => {
  it.each([
    ['command-service/src/start.ts', 'query-service/src/start.ts'],
    ['projector/src/start.ts', 'stack/src/main.ts'],
    ['command-service/src/features/a/x.ts', 'command-service/src/features/b/y.ts'],
    ['command-service/src/kit/x.ts', 'command-service/src/features/b/y.ts'],
    ['contracts/src/kernel/ids.ts', 'node:crypto'],
    ['service-kit/src/log.ts', 'read-models/src/database.ts'],
    ['read-models/src/database.ts', 'projector/src/start.ts'],
    ['agent-runtime/src/engine.ts', 'pg'],
    ['web/src/app/main.tsx', 'service-kit/src/log.ts'],
    ['command-service/src/features/a/a.decider.ts', 'node:crypto'],
    ['stack/src/main.ts', 'stack/src/testing/product.ts'],
  ])('forbid %s to import %s', (from, to) => {
    expect(breaks(from, to)).toBe(true);
  });

  it.each([
    ['command-service/src/features/a/x.ts', 'command-service/src/features/a/y.ts'],
    ['command-service/src/app/features.ts', 'command-service/src/features/a/y.ts'],
    ['stack/src/application/start.ts', 'query-service/src/start.ts'],
    ['contracts/src/kernel/ids.ts', 'zod'],
    ['stack/src/main-job.int.test.ts', 'stack/src/testing/product.ts'],
  ])('let %s import %s', (from, to) => {
    expect(breaks(from, to)).toBe(false);
  });

  it('find a cycle', () => {
    const dependencies = [
      { from: 'a.ts', to: 'b.ts' },
      { from: 'b.ts', to: 'a.ts' },
    ];
    expect(cyclesIn(dependencies)).toEqual(['a.ts -> b.ts -> a.ts']);
  });

  it('see every form of import, and none in comments', () => {
    const text = `import a from 'a';\nimport {\n  b,\n} from "b";\nexport * from 'c';\nimport 'd';
      // import e from 'e';\n/* import f from 'f'; */\nawait import('g');`;
    expect(importsOf(text)).toEqual(['a', 'b', 'c', 'd', 'g']);
  });
});
