import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composeFile, readFile, root } from '../testing/compose-file.ts';
import { servicesImage } from '../testing/image-files.ts';

const { scripts } = JSON.parse(readFile('package.json'));
const documents = [
  'README.md',
  'docker-compose.yml',
  ...readdirSync(new URL('docs', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].map(readFile);

/** What the documents tell an operator to run, and what compose runs of the image. */
function commands(): string[] {
  const text = documents.join('\n');
  const named = [...text.matchAll(/npm run ([a-z:-]+)/g)].map(([, name = '']) => scripts[name]);
  const written = [
    ...text.matchAll(/\bstack\/src\/(?:operator\.main\.ts [a-z-]+|[a-z-]+\.main\.ts)/g),
  ].map(([path]) => path);
  const run = Object.values(composeFile().services)
    .filter(({ image }) => /^tallyhand\/(services|web)/.test(image))
    .map(({ command }) => command[1]);
  const ofStack = named.map(
    (script) => /^node (stack\/src\/[a-z-]+\.main\.ts( [a-z-]+)?)/.exec(script)?.[1],
  );
  const all = [...ofStack, ...written, ...run, 'command-service/src/main.ts'];
  return [...new Set(all.filter((path) => path !== undefined))].filter((path) => path[0] !== '-');
}

/** The output of each without arguments: its usage, or what is missing. */
const SAYS: Readonly<Record<string, RegExp>> = {
  'stack/src/operator.main.ts': /Name a command: backup, restore/,
  'stack/src/operator.main.ts backup': /npm run backup -- FILE/,
  'stack/src/operator.main.ts restore': /npm run restore -- FILE/,
  'stack/src/operator.main.ts move': /MOVE_EVENTSTORE_URL is missing/,
  'stack/src/operator.main.ts ledger': /npm run ledger -- adjust/,
  'stack/src/operator.main.ts reset-link': /npm run reset-link -- EMAIL/,
  'stack/src/operator.main.ts device-link': /npm run device-link -- EMAIL/,
  'stack/src/operator.main.ts second-factor': /npm run second-factor -- --remove EMAIL/,
  'stack/src/operator.main.ts messages': /npm run messages -- --all/,
  'stack/src/operator.main.ts rebuild': /There is no product in/,
  'stack/src/operator.main.ts events': /There is no product in/,
  'stack/src/audit-verify.main.ts': /npm run audit:verify -- FILE/,
  'stack/src/migrate.main.ts': /MIGRATE_DATABASE_URL is missing/,
  'stack/src/demo.main.ts': /Nothing answers at/,
  'stack/src/web.main.ts': /PUBLIC_URL is missing/,
  'command-service/src/main.ts': /PUBLIC_URL is missing/,
  'command-service/src/worker.main.ts': /PUBLIC_URL is missing/,
  'projector/src/main.ts': /EVENTSTORE_URL is missing/,
  'query-service/src/main.ts': /PUBLIC_URL is missing/,
};

describe('the services image', () => {
  let image: ReturnType<typeof servicesImage>;
  beforeAll(() => {
    image = servicesImage();
  });
  afterAll(() => image?.[Symbol.dispose]());

  const run = (...args: string[]) =>
    spawnSync(process.execPath, args, {
      cwd: image.folder,
      encoding: 'utf8',
      env: { NODE_ENV: 'production', DATA_DIR: '/nonexistent' },
    });

  it.each(commands())('has everything that %s needs', (path) => {
    // Only the demo takes an address; nothing answers at this one.
    const args = path.endsWith('demo.main.ts') ? ['http://127.0.0.1:1'] : [];
    const { stdout, stderr } = run(...path.split(' '), ...args);
    expect(SAYS).toHaveProperty([path]);
    expect(`${stdout}${stderr}`).toMatch(SAYS[path] ?? '');
  });

  it('has the PostgreSQL in it that restore and move start', () => {
    const script = `const { locateBinaries } = await import('./stack/src/postgres/binaries.ts');
      console.log(locateBinaries().version);`;
    const { stdout, stderr } = run('--input-type=module', '--eval', script);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\d+\.\d+/);
  });
});
