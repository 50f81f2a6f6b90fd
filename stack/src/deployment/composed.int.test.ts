import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { fileURLToPath } from 'node:url';
import { hasContainerEngine } from '@tallyhand/event-store/conformance/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { CONTAINERS, describeIf } from '@tallyhand/test-kit/needs';
import { DockerComposeEnvironment, Wait } from 'testcontainers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeSecrets } from '../../../scripts/secrets.js';
import { root } from '../testing/compose-file.ts';
import { doMainJob } from '../testing/main-job.ts';

/** With all images to be built and fetched. */
const START_MS_MAX = 30 * 60_000;
const AUTHORITY = '/var/lib/caddy/data/caddy/pki/authorities/local/root.crt';

if (!hasContainerEngine) {
  console.warn('the composed product was not started: there is no container engine');
}

const opened = new AsyncDisposableStack();
let url: string;

describeIf(hasContainerEngine, CONTAINERS)('the product of docker-compose.yml', () => {
  beforeAll(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'composed-'));
    opened.defer(() => rmSync(folder, { recursive: true }));
    makeSecrets(folder, { cluster: false });
    const [http, https] = [await freePort(), await freePort()];
    const composed = new DockerComposeEnvironment(fileURLToPath(root), 'docker-compose.yml')
      .withBuild()
      .withProfiles('single')
      .withEnvironment({
        SECRETS: folder,
        DOMAIN: 'localhost',
        RATE_LIMIT_SCALE: '100',
        HTTP_PORT: String(http),
        HTTPS_PORT: String(https),
      })
      .withDefaultWaitStrategy(Wait.forHealthCheck())
      .withWaitStrategy('migrate-1', Wait.forOneShotStartup());
    const running = await composed.up();
    opened.defer(async () => {
      await running.down({ removeVolumes: true });
    });
    const read = await running.getContainer('proxy-1').exec(['cat', AUTHORITY]);
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, read.stdout]);
    opened.defer(() => tls.setDefaultCACertificates(trusted));
    url = `https://localhost:${https}`;
  }, START_MS_MAX);
  afterAll(() => opened[Symbol.asyncDispose](), START_MS_MAX);

  it('does the main job', { timeout: 120_000 }, () => doMainJob(url));

  it('hides everything internal', async () => {
    const statuses = ['/internal', '/metrics', '/healthz'].map(async (path) => {
      const { status } = await fetch(`${url}${path}`);
      return status;
    });
    expect(await Promise.all(statuses)).toEqual([404, 404, 404]);
  });
});
