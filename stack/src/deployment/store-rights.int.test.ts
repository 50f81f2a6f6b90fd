import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openKit } from '@tallyhand/command-service/app/open-kit';
import { authorityFile } from '@tallyhand/event-store/access/tls-files';
import { hasContainerEngine } from '@tallyhand/event-store/conformance/env';
import { newStream, numbered, numbersOf } from '@tallyhand/event-store/conformance/subject';
import { startTestStore, testUsers } from '@tallyhand/event-store/testing/test-store';
import { type EventLog, openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { grantStoreRights } from '@tallyhand/service-kit/event-store/store-rights';
import { CONTAINERS, describeIf } from '@tallyhand/test-kit/needs';
import { GenericContainer, Wait } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeSecrets } from '../../../scripts/secrets.js';
import type { ApplicationConfig } from '../application/start.ts';
import { composeFile } from '../testing/compose-file.ts';
import { startInstances } from '../testing/instances/instances.ts';
import { doMainJob } from '../testing/main-job.ts';
import { runMain } from '../testing/operator.ts';
import { testConfig } from '../testing/product.ts';

const START_MS_MAX = 300_000;
const JOB_MS_MAX = 180_000;
const DENIED = { type: 'access-denied' };

type Store = AsyncDisposable & { readonly host: string; readonly authority: string };

/** Starts one with the certificates and the administrator's password of the folder. */
type Start = (secrets: string) => Promise<Store>;

const contents = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

const embedded: Start = async (secrets) => {
  const dataDir = join(secrets, 'events');
  const admin = contents(secrets, 'event_store_password');
  const server = await startTestStore(dataDir, { ...testUsers(), admin });
  const host = `localhost:${server.port}`;
  return { ...server, host, authority: authorityFile(dataDir) };
};

const real: Start = async (secrets) => {
  const image = composeFile().services['event-store-1']?.image ?? '';
  const copied = (source: string, target: string) => ({
    source: join(secrets, source),
    target: `/certificates/${target}`,
    mode: 0o644,
  });
  const started = await new GenericContainer(image)
    .withEnvironment({
      EVENTSTORE_CLUSTER_SIZE: '1',
      EVENTSTORE_MEM_DB: 'true',
      EVENTSTORE_NODE_IP: '0.0.0.0',
      EVENTSTORE_TRUSTED_ROOT_CERTIFICATES_PATH: '/certificates/authority',
      EVENTSTORE_CERTIFICATE_FILE: '/certificates/node.crt',
      EVENTSTORE_CERTIFICATE_PRIVATE_KEY_FILE: '/certificates/node.key',
      EVENTSTORE_DEFAULT_ADMIN_PASSWORD: contents(secrets, 'event_store_password'),
    })
    .withCopyFilesToContainer([
      copied('event_store_ca.crt', 'authority/ca.crt'),
      copied('event-store-1.crt', 'node.crt'),
      copied('event-store-1.key', 'node.key'),
    ])
    .withExposedPorts(2113)
    .withWaitStrategy(
      Wait.forHttp('/health/live', 2113).usingTls().allowInsecure().forStatusCode(204),
    )
    .start();
  return {
    host: `${started.getHost()}:${started.getMappedPort(2113)}`,
    authority: join(secrets, 'event_store_ca.crt'),
    async [Symbol.asyncDispose]() {
      await started.stop();
    },
  };
};

const well = { code: 0, output: expect.stringContaining('The event store has its users') };

function rightsSuite(start: Start) {
  const opened = new AsyncDisposableStack();
  let config: ApplicationConfig;
  let urls: { administratorUrl: string; writerUrl: string; readerUrl: string };

  const open = (url: string): EventLog => opened.adopt(openEventLog(url), (log) => log.close());
  const migrated = () =>
    runMain('migrate.main.ts', {
      MIGRATE_DATABASE_URL: config.migrateDatabaseUrl,
      MASTER_KEY: config.masterKey,
      MIGRATE_EVENTSTORE_URL: urls.administratorUrl,
      EVENTSTORE_URL: urls.writerUrl,
      EVENTSTORE_READER_URL: urls.readerUrl,
    });

  beforeAll(async () => {
    const secrets = mkdtempSync(join(tmpdir(), 'store-rights-'));
    opened.defer(() => rmSync(secrets, { recursive: true }));
    makeSecrets(secrets, { cluster: true });
    const { host, authority } = opened.use(await start(secrets));
    const url = (name: string) =>
      contents(secrets, name)
        .replace(/@[^?]+/, `@${host}`)
        .replace('/run/secrets/event_store_ca.crt', authority);
    urls = {
      administratorUrl: url('migrate_event_store_url'),
      writerUrl: url('event_store_url'),
      readerUrl: url('event_store_reader_url'),
    };
    const { writerUrl: eventStoreUrl, readerUrl: eventStoreReaderUrl } = urls;
    config = opened.use(await testConfig({ eventStoreUrl, eventStoreReaderUrl }));
    expect(await migrated()).toEqual(well);
  }, START_MS_MAX);
  afterAll(() => opened.disposeAsync(), START_MS_MAX);

  it('are enough for the product, whose projector has a read-only user', {
    timeout: JOB_MS_MAX,
  }, async () => {
    await using instances = await startInstances(config);
    await doMainJob(instances?.url ?? '');
  });

  it('let the reader read all, and append nothing', async () => {
    const [writer, reader] = [open(urls.writerUrl), open(urls.readerUrl)];
    const [old, unknown] = [newStream(), newStream()];
    await writer.client.appendToStream(old, numbered(0, 2));
    const head = await writer.head();
    for (const stream of [old, unknown]) {
      const append = reader.client.appendToStream(stream, numbered(2, 1));
      await expect(append).rejects.toMatchObject(DENIED);
    }
    expect(await numbersOf(reader.client.readStream(old))).toEqual([0, 1]);
    expect(await reader.head()).toEqual(head);
    expect(await Array.fromAsync(writer.read(unknown, 0n))).toEqual([]);
  });

  it("let neither of them change rights, or see the server's own data", async () => {
    for (const url of [urls.writerUrl, urls.readerUrl]) {
      const { client } = open(url);
      const rights = { acl: { writeRoles: ['$all'] } };
      await expect(client.setStreamMetadata(newStream(), rights)).rejects.toMatchObject(DENIED);
      const settings = client.appendToStream('$settings', numbered(0, 1));
      await expect(settings).rejects.toMatchObject(DENIED);
      const read = Array.fromAsync(client.readStream('$settings'));
      await expect(read).rejects.toMatchObject(DENIED);
      const grant = grantStoreRights({ ...urls, administratorUrl: url }, 0);
      await expect(grant).rejects.toThrow('MIGRATE_EVENTSTORE_URL');
    }
  });

  it('refuse access without a name, or with a wrong password', async () => {
    const password = /:[^:@]+@/;
    for (const url of [
      urls.readerUrl.replace(/\/\/[^@]+@/, '//'),
      urls.readerUrl.replace(password, ':wrong@'),
      urls.administratorUrl.replace(password, ':changeit@'),
    ]) {
      const { client } = open(url);
      await expect(Array.fromAsync(client.readAll())).rejects.toMatchObject(DENIED);
      const append = client.appendToStream(newStream(), numbered(0, 1));
      await expect(append).rejects.toMatchObject(DENIED);
    }
  });

  it('keep a service from starting that has a wrong password, with a sentence', async () => {
    const eventStoreUrl = urls.writerUrl.replace(/:[^:@]+@/, ':wrong@');
    const started = openKit({ ...config, eventStoreUrl });
    await expect(started).rejects.toThrow('does not know the user of EVENTSTORE_URL');
  });

  it('are unchanged when they are granted again, and accept new passwords', async () => {
    const { client } = open(urls.administratorUrl);
    const granted = async () => {
      const settings = await Array.fromAsync(client.readStream('$settings'));
      const ofAll = await Array.fromAsync(client.readStream('$$$all'));
      return settings.length + ofAll.length;
    };
    expect(await granted()).toBe(2);
    const changed = urls.readerUrl.replace(/:[^:@]+@/, ':another-password@');
    urls = { ...urls, readerUrl: changed };
    expect(await migrated()).toEqual(well);
    expect(await granted()).toBe(2);
    await expect(open(changed).head()).resolves.toBeDefined();
  });

  it('are not granted to one user twice, and not to an empty name', async () => {
    const message = 'must each name a separate user';
    const same = { ...urls, readerUrl: urls.writerUrl };
    await expect(grantStoreRights(same, 0)).rejects.toThrow(message);
    const withoutUser = { ...urls, writerUrl: urls.writerUrl.replace(/\/\/[^@]+@/, '//') };
    await expect(grantStoreRights(withoutUser, 0)).rejects.toThrow(message);
  });
}

describe('rights on the embedded event store', () => rightsSuite(embedded));

describeIf(hasContainerEngine, CONTAINERS)('rights on a real EventStoreDB', () =>
  rightsSuite(real),
);
