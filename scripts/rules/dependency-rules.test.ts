import { describe, expect, it } from 'vitest';
import { brokenRules, featuresOfContracts, undeclaredPackages } from './dependency-rules.js';
import { cyclesIn, importsOf } from './imports.js';

const breaks = (from: string, to: string) => brokenRules([{ from, to }]).length > 0;

describe('the dependency rules', () => {
  it.each([
    ['command-service/src/start.ts', 'query-service/src/start.ts'],
    ['projector/src/start.ts', 'stack/src/main.ts'],
    ['command-service/src/features/a/x.ts', 'command-service/src/features/b/y.ts'],
    ['command-service/src/kit/x.ts', 'command-service/src/features/b/y.ts'],
    ['web/src/features/a/a.page.tsx', 'web/src/features/b/b.page.tsx'],
    ['web/src/ui/button.tsx', 'web/src/app/store.ts'],
    ['contracts/src/kernel/ids.ts', 'node:crypto'],
    ['contracts/src/features/a/a.events.ts', 'contracts/src/features/b/b.endpoints.ts'],
    ['contracts/src/features/a/a.refusals.ts', 'contracts/src/features/b/b.fields.ts'],
    ['event-store/src/server.ts', 'service-kit/src/log.ts'],
    ['command-service/src/worker.ts', 'read-models/src/database.ts'],
    ['service-kit/src/log.ts', 'read-models/src/database.ts'],
    ['read-models/src/database.ts', 'projector/src/start.ts'],
    ['agent-runtime/src/engine.ts', 'pg'],
    ['web/src/app/main.tsx', 'service-kit/src/log.ts'],
    ['command-service/src/features/a/a.decider.ts', 'node:crypto'],
    ['stack/src/main.ts', 'stack/src/testing/product.ts'],
    ['test-kit/src/backends.ts', 'stack/src/application/migrate.ts'],
    ['event-store/src/server.ts', 'vitest'],
    ['event-store/src/server.ts', 'event-store/src/faults/child-server.ts'],
    ['service-kit/src/log.ts', 'contracts/src/features/agents/agents.events.ts'],
    ['read-models/src/features/a/a.tables.ts', 'read-models/src/features/b/b.tables.ts'],
  ])('forbid %s to import %s', (from, to) => {
    expect(breaks(from, to)).toBe(true);
  });

  it.each([
    ['command-service/src/features/a/x.ts', 'command-service/src/features/a/y.ts'],
    ['command-service/src/app/features.ts', 'command-service/src/features/a/y.ts'],
    ['stack/src/application/start.ts', 'query-service/src/start.ts'],
    ['web/src/features/a/a.page.tsx', 'web/src/features/b/b.api.ts'],
    ['contracts/src/kernel/ids.ts', 'zod'],
    ['contracts/src/features/a/a.events.ts', 'contracts/src/features/b/b.fields.ts'],
    ['stack/src/main-job.int.test.ts', 'stack/src/testing/product.ts'],
    ['test-kit/src/backends.ts', 'event-store/src/testing/test-store.ts'],
    ['projector/src/kernel/runner.int.test.ts', 'test-kit/src/backends.ts'],
  ])('let %s import %s', (from, to) => {
    expect(breaks(from, to)).toBe(false);
  });

  it('let production code import what its package.json lists, and no development package', () => {
    const manifest = {
      dependencies: { '@tallyhand/contracts': '0.1.0', '@a/b': '1.0.0' },
      devDependencies: { vite: '1.0.0' },
    };
    const undeclared = (from: string, to: string) =>
      undeclaredPackages([{ from, to }], () => manifest).length > 0;
    expect(undeclared('web/src/a.ts', 'vite')).toBe(true);
    expect(undeclared('web/src/a.ts', '@a/c/part')).toBe(true);
    expect(undeclared('web/src/a.ts', 'service-kit/src/log.ts')).toBe(true);
    expect(undeclared('web/src/a.ts', '@a/b/part')).toBe(false);
    expect(undeclared('web/src/a.ts', 'contracts/src/kernel/ids.ts')).toBe(false);
    expect(undeclared('web/src/a.ts', 'web/src/b.ts')).toBe(false);
    expect(undeclared('web/src/a.ts', 'node:fs')).toBe(false);
    expect(undeclared('web/src/a.test.ts', 'vite')).toBe(false);
  });

  it('find a cycle', () => {
    const dependencies = [
      { from: 'a.ts', to: 'b.ts' },
      { from: 'b.ts', to: 'a.ts' },
    ];
    expect(cyclesIn(dependencies)).toEqual(['a.ts -> b.ts -> a.ts']);
  });

  it('find a circle of features in contracts', () => {
    const of = (from: string, to: string) => ({
      from: `contracts/src/features/${from}`,
      to: `contracts/src/features/${to}`,
    });
    const circle = [of('a/one.ts', 'b/one.ts'), of('b/two.ts', 'a/two.ts')];
    expect(cyclesIn(circle)).toEqual([]);
    expect(cyclesIn(featuresOfContracts(circle))).toEqual(['a -> b -> a']);
    const named = [of('a/one.ts', 'b/one.ts'), of('b/two.ts', 'a/a.refusals.ts')];
    expect(cyclesIn(featuresOfContracts(named))).toEqual([]);
  });

  it('see imports below a glob', () => {
    expect(importsOf(`const glob = 'src/*';\nawait import('a'); /* end */`)).toEqual(['a']);
  });

  it('see every form of import, and none in comments', () => {
    const text = `import a from 'a';\nimport {\n  b,\n} from "b";\nexport * from 'c';\nimport 'd';
      // import e from 'e';\n/* import f from 'f'; */\nawait import('g');`;
    expect(importsOf(text)).toEqual(['a', 'b', 'c', 'd', 'g']);
  });
});
