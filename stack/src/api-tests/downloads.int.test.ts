import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tarballOf } from '../../../scripts/tarball.js';
import { newKey } from '../testing/members.ts';
import { repository, systemNode } from '../testing/packed-project.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const run = promisify(execFile);
/** A registry that answers nothing: all that is installed comes from the product. */
const OFFLINE = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0', '--no-audit'];
const SHOWN_ADDRESS = 'https://tallyhand.example.com';

let product: TestProduct;
let folder: string;
beforeAll(async () => {
  product = await sharedProduct();
  folder = await mkdtemp(join(tmpdir(), 'downloads-'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
});
afterAll(() => rm(folder, { recursive: true }));

const packages = (['client', 'cli'] as const).map(tarballOf);
const addressOf = (file: string) => `${product.url}/downloads/${file}`;

describe.each(packages)('the download $stableFile', ({ file, stableFile, bytes, integrity }) => {
  it.each([file, stableFile])('is served whole, typed and cacheable as %s', async (name) => {
    const whole = await fetch(addressOf(name));
    expect(whole.status).toBe(200);
    expect(whole.headers.get('content-type')).toBe('application/gzip');
    expect(whole.headers.get('content-encoding')).toBeNull();
    const received = Buffer.from(await whole.arrayBuffer());
    expect(received.equals(bytes)).toBe(true);
    expect(`sha512-${createHash('sha512').update(received).digest('base64')}`).toBe(integrity);
    const head = await fetch(addressOf(name), { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, `${bytes.length}`]);
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'));
    expect(head.headers.get('etag')).not.toBeNull();
  });
});

describe('a stranger with the address alone', () => {
  it('installs the client library, and compiles and runs the first guide under strict', async () => {
    await run('npm', ['install', ...OFFLINE, addressOf('tallyhand-client.tgz')], { cwd: folder });
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    const [client] = packages;
    expect(lock.packages['node_modules/@tallyhand/client'].integrity).toBe(client?.integrity);
    const guides = join(repository, 'web/src/features/support/guides');
    const guide = await readFile(join(guides, 'first-agent.js'), 'utf8');
    expect(guide).toContain(`npm install ${SHOWN_ADDRESS}/downloads/tallyhand-client.tgz`);
    await writeFile(join(folder, 'guide.ts'), guide.replaceAll(SHOWN_ADDRESS, product.url));
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023'],
      types: ['node'],
      typeRoots: [join(repository, 'node_modules/@types')],
    };
    const config = join(folder, 'tsconfig.json');
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['guide.ts'] }));
    await run(join(repository, 'node_modules/.bin/tsc'), ['-p', config]).catch(
      ({ stdout }: { stdout: string }) => expect.fail(stdout),
    );
    const { client: admin } = await registerOrganization(product.url);
    const env = { ...process.env, TALLYHAND_API_KEY: (await newKey(admin, 'Admin')).key };
    const { stdout } = await run(systemNode(), [join(folder, 'guide.js')], { env });
    expect(stdout).toContain('30 days');
  });

  it('installs the command line', async () => {
    await run('npm', ['install', ...OFFLINE, addressOf('tallyhand-cli.tgz')], { cwd: folder });
    const program = join(folder, 'node_modules/.bin/tallyhand');
    const env = { ...process.env, PATH: `${join(systemNode(), '..')}:${process.env.PATH}` };
    const { stdout } = await run(program, ['--help'], { env });
    expect(stdout).toContain('tallyhand');
  });
});
