import { startTestStore, testUsers } from '../testing/test-store.ts';
import { appendSuite } from './append.suite.ts';
import { realServerUrl } from './env.ts';
import { readSuite } from './read.suite.ts';
import { type Subject, temporaryFolder } from './subject.ts';
import { subscriptionSuite } from './subscription.suite.ts';

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

function real(url: string): Subject {
  return {
    name: 'the server of EVENTSTORE_URL',
    connect: async () => ({ url, [Symbol.asyncDispose]: async () => {} }),
  };
}

const subject = realServerUrl === undefined ? embedded : real(realServerUrl);
appendSuite(subject);
readSuite(subject);
subscriptionSuite(subject);
