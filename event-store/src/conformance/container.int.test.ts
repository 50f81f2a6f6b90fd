import { CONTAINERS, describeIf } from '@tallyhand/test-kit/needs';
import { GenericContainer, Wait } from 'testcontainers';
import { appendSuite } from './append.suite.ts';
import { hasContainerEngine } from './env.ts';
import { readSuite } from './read.suite.ts';
import type { Subject } from './subject.ts';
import { subscriptionSuite } from './subscription.suite.ts';

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

describeIf(hasContainerEngine, CONTAINERS)('a real EventStoreDB', () => {
  appendSuite(container);
  readSuite(container);
  subscriptionSuite(container);
});
