import { FairQueue } from '@tallyhand/service-kit/fair-queue';

/**
 * The queues of this process whose callers wait. Organizations take turns in each. Work that is
 * stored in the database waits there instead, and is claimed in turns.
 */
export type SharedQueues = Readonly<
  Record<'scripts' | 'imports' | 'retrieval' | 'embeddings' | 'chat', FairQueue>
>;

export const sharedQueues = (): SharedQueues => ({
  /** Tool scripts. A started one has a thread; a running one has a processor too. */
  scripts: new FairQueue('scripts', {
    concurrency: 4,
    concurrencyPerOrganization: 2,
    startedMax: 16,
    startedPerOrganizationMax: 4,
    waitingMax: 512,
    waitingPerOrganizationMax: 64,
  }),
  /** Files and pages that are read in threads. Started ones that do not run are being fetched. */
  imports: new FairQueue('imports', {
    concurrency: 3,
    concurrencyPerOrganization: 2,
    startedMax: 24,
    startedPerOrganizationMax: 6,
    waitingMax: 64,
    waitingPerOrganizationMax: 16,
  }),
  /** Searches for passages, with the request for their embeddings. */
  retrieval: new FairQueue('retrieval', {
    concurrency: 12,
    concurrencyPerOrganization: 8,
    waitingMax: 512,
    waitingPerOrganizationMax: 64,
  }),
  /** Calls of the API for embeddings, which may take as long as their endpoints. */
  embeddings: new FairQueue('embeddings', {
    concurrency: 24,
    concurrencyPerOrganization: 4,
    waitingMax: 256,
    waitingPerOrganizationMax: 32,
  }),
  /** Replies that are being written. */
  chat: new FairQueue('chat', {
    concurrency: 48,
    concurrencyPerOrganization: 16,
    waitingMax: 256,
    waitingPerOrganizationMax: 32,
  }),
});
