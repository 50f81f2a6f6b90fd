import { describe, expect, it } from 'vitest';
import { untidy } from './tidy.js';

describe('tidy', () => {
  it.each([
    ['web/src/app/Main.tsx', ''],
    ['web/src/app/index.ts', ''],
    ['web/src/features/gadgets/x.ts', ''],
    ['projector/src/features/credits/credits.manager.ts', ''],
    ['projector/src/start.ts', 'process.env.PORT'],
    ['command-service/src/features/tasks/task.decider.ts', 'Date.now()'],
    ['stack/src/a.test.ts', `describe.${'only'}('x', () => {})`],
    ['stack/src/e2e/a.e2e.test.ts', 'expect(await rows(page).count()).toBe(1);'],
    ['stack/src/e2e/a.e2e.test.ts', 'expect(page.url()).toBe(url);'],
    ['stack/src/a.ts', 'q(`update a set b = 1\nfrom (select id from a\nlimit 1 for update) due`)'],
    ['stack/src/a.ts', `// ${'TO'}${'DO'}: later`],
    ['stack/src/a.ts', '\n'.repeat(401)],
    ['stack/src/a.ts', `// ${'word '.repeat(22)}`],
    ['README.md', 'a\n'.repeat(81)],
    ['docs/decisions/0001-a.md', '## Status\n'],
  ])('finds a fault in %s', (file, text) => {
    expect(untidy(file, text)).not.toEqual([]);
  });

  it.each([
    ['rows that a CTE locks', 'q(`with due as (select id from a\nfor update) update a from due`)'],
    ['a plain file', 'export const a = 1;\n'],
    ['a long name of a module', `import { a } from '${'a'.repeat(120)}';\n`],
    ['an answer of the server', 'expect(await refused.json()).toEqual({});'],
    ['a long literal', `const a = '${'word '.repeat(30)}';\n`],
  ])('finds none in %s', (_, text) => {
    expect(untidy('stack/src/e2e/a.e2e.test.ts', text)).toEqual([]);
  });
});
