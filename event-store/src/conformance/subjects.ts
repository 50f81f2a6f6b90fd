import { CONTAINERS, describeIf } from '@tallyhand/test-kit/needs';
import { GenericContainer, Wait } from 'testcontainers';
import { describe } from 'vitest';
import { startTestStore, testUsers } from '../testing/test-store.ts';
import { hasContainerEngine, realServerUrl } from './env.ts';
import { type Subject, temporaryFolder } from './subject.ts';

/** A new EventStoreDB's, which the suites name for some appends. */
const ADMIN = { admin: 'changeit' };

const embedded: Subject = {
  name: 'the embedded event store',
  async connect() {
    await using opened = new AsyncDisposableStack();
    const { path } = opened.use(await temporaryFolder());
    const server = opened.use(await startTestStore(path, { ...testUsers(), ...ADMIN }));
    const resources = opened.move();
    return {
      url: server.urlOf('admin'),
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    };
  },
};

const real = (url: string): Subject => ({
  name: 'the server of EVENTSTORE_URL',
  connect: async () => ({ url, [Symbol.asyncDispose]: async () => {} }),
});

const IMAGE = 'eventstore/eventstore:23.10.0-jammy';

const container: Subject = {
  name: IMAGE,
  async connect() {
    const started = await new GenericContainer(IMAGE)
      .withCommand(['--insecure', '--mem-db'])
      .withExposedPorts(2113)
      .withWaitStrategy(Wait.forHttp('/health/live', 2113).forStatusCode(204))
      .start();
    return {
      url: `esdb://${started.getHost()}:${started.getMappedPort(2113)}?tls=false`,
      [Symbol.asyncDispose]: async () => {
        await started.stop();
      },
    };
  },
};

/** Runs the rules against the embedded server, or that of EVENTSTORE_URL, and a real EventStoreDB. */
export function describeSubjects(what: string, rules: (subject: Subject) => void): void {
  const subject = realServerUrl === undefined ? embedded : real(realServerUrl);
  describe(`${what} ${subject.name}`, () => rules(subject));
  describeIf(hasContainerEngine, CONTAINERS)(`${what} ${IMAGE}`, () => rules(container));
}
