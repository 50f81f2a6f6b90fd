/**
 * What breaks on purpose, and the tests that break it: files, of which `test` takes those whose
 * name holds it.
 *
 * @typedef {{ file: string, test?: string }} Suite
 * @typedef {{ fault: string, invariant: string, suites: Suite[], topology?: 'instances' }} Row
 */

const credits = 'command-service/src/features/credits';
const eventStore = 'event-store/src/faults';
const projector = 'projector/src/kernel';
const faults = 'stack/src/faults';
const api = 'stack/src/api-tests';

/** @type {Row[]} */
export const faultRows = [
  {
    fault: 'thousands of executes at once on 100 credits; the last credit wanted by many processes',
    invariant: 'exactly 100 charged, the rest 402, balance 0; one winner',
    suites: [{ file: `${faults}/shortage.int.test.ts` }],
  },
  {
    fault:
      'one idempotency key 100 times, with a restart in between; a call cut off after its effect',
    invariant: 'one effect, the same answer',
    suites: [
      { file: `${api}/idempotency.int.test.ts` },
      { file: `${api}/idempotency-recovery.int.test.ts` },
      { file: 'command-service/src/kit/idempotency.int.test.ts' },
      { file: `${faults}/boundaries.int.test.ts`, test: 'under its key again' },
    ],
  },
  {
    fault: 'kill -9 of each process, at random points and at each event of an execute',
    invariant:
      'what was acknowledged is there; no open reservation past its expiry; back in seconds',
    suites: [
      { file: `${faults}/kill.int.test.ts` },
      { file: `${faults}/boundaries.int.test.ts` },
      { file: `${faults}/invitation-links.int.test.ts` },
      { file: `${faults}/mail.int.test.ts` },
      { file: `${faults}/mail-kill.int.test.ts` },
      { file: `${api}/recovery.int.test.ts` },
      { file: `${api}/erasure-recovery.int.test.ts` },
      { file: `${eventStore}/crash.int.test.ts`, test: 'has every acknowledged event' },
    ],
  },
  {
    fault: 'instances of each service restarted and killed while calls are made',
    invariant: 'no call fails by a restart; nothing is lost by a kill; others take over',
    suites: [{ file: `${faults}/instances.int.test.ts` }],
  },
  {
    fault: 'power loss: the tail of the log torn, or gone',
    invariant:
      'what was acknowledged is there; damage in the middle stops loudly with its position',
    suites: [
      { file: `${eventStore}/crash.int.test.ts`, test: 'killed in the middle' },
      { file: `${eventStore}/damage.int.test.ts` },
    ],
  },
  {
    fault: 'PostgreSQL or event store gone in mid-batch; silent death of a subscription',
    invariant: 'checkpoint and rows move together; resumed; stall noticed in 10 s',
    suites: [
      { file: `${projector}/runner.int.test.ts` },
      { file: 'service-kit/src/event-store/follow-all.int.test.ts' },
      { file: `${faults}/kill.int.test.ts`, test: 'while calls are made' },
    ],
  },
  {
    fault:
      'the acknowledgement of an append lost; events delivered three times, reordered across streams',
    invariant: 'one event; identical rows',
    suites: [
      { file: 'service-kit/src/event-store/event-log.int.test.ts', test: 'its answer was lost' },
      { file: `${credits}/ledger-writers.test.ts` },
      { file: `${projector}/deliveries.int.test.ts` },
    ],
  },
  {
    fault: 'payment webhooks doubled, reordered, days late, two kinds for one payment',
    invariant: 'one grant',
    suites: [
      { file: `${credits}/payment.histories.test.ts` },
      { file: `${credits}/payments.int.test.ts` },
      { file: `${api}/payments.int.test.ts` },
      { file: `${api}/stripe.int.test.ts` },
    ],
  },
  {
    fault: 'a clock that is an hour off, or goes backwards',
    invariant: 'order by position; replay reads no clock',
    suites: [
      { file: `${projector}/clocks.int.test.ts` },
      { file: `${api}/audit.int.test.ts`, test: 'clocks went backwards' },
    ],
  },
  {
    fault: 'a full disk, an error on write or sync',
    invariant: 'no acknowledgement; read-only with a clear message; writes again after checking',
    suites: [
      { file: `${eventStore}/disk-full.int.test.ts` },
      { file: `${faults}/full-disk.int.test.ts` },
      { file: `${projector}/parked-streams.int.test.ts`, test: 'full disk' },
    ],
  },
  {
    fault: 'a model that is slow, says 429, never answers, breaks off, or is hostile',
    invariant: 'reservation settled once; task ends; nothing leaks',
    suites: [
      { file: 'agent-runtime/src/openai/openai-engine.int.test.ts' },
      { file: 'agent-runtime/src/openai/openai-tools.int.test.ts' },
      { file: `${api}/tool-tasks.int.test.ts`, test: 'a model that runs tools' },
      { file: `${api}/model-sessions.int.test.ts` },
    ],
  },
  {
    fault: 'a browser that crashes, a page that never loads, a download bomb, a flood of dialogs',
    invariant: 'the session fails or recovers in 60 s; no process is left',
    suites: [
      { file: `${faults}/sessions.int.test.ts` },
      { file: `${api}/sessions-recovery.int.test.ts` },
      { file: 'browser-runner/src/browser/browser-host.int.test.ts' },
      { file: 'browser-runner/src/browser/hostile-pages.int.test.ts' },
    ],
  },
  {
    fault: 'an event that a projection can not take',
    invariant: 'its stream is parked and reported; the others continue',
    suites: [{ file: `${projector}/parked-streams.int.test.ts` }],
  },
  {
    fault: 'replay from zero; a rebuild under load',
    invariant: 'equal rows; no failed read',
    suites: [
      { file: `${projector}/rebuild.int.test.ts` },
      { file: `${api}/rebuild.int.test.ts` },
      { file: `${api}/replay.int.test.ts` },
    ],
  },
  {
    fault: 'a byte of the ledger or the audit log altered, removed, reordered',
    invariant: 'the verifier names the place',
    suites: [
      { file: `${faults}/audit-bundle.test.ts` },
      { file: `${eventStore}/damage.int.test.ts` },
      { file: `${api}/ledger-checks.int.test.ts` },
    ],
  },
  {
    fault: 'one organization floods each shared queue',
    invariant: 'the work of another one starts while none of the flood ends',
    suites: [
      { file: `${faults}/shared-queues.int.test.ts` },
      { file: 'service-kit/src/fair-queue.test.ts' },
      { file: 'service-kit/src/fair-backlog.test.ts' },
      { file: 'command-service/src/app/shared-backlogs.int.test.ts' },
      { file: 'command-service/src/kit/jobs.int.test.ts' },
      { file: 'command-service/src/kit/mail/deliver.int.test.ts', test: 'many organizations' },
      {
        file: 'agent-runtime/src/sandbox/script-pool.int.test.ts',
        test: 'of another organization',
      },
      { file: 'agent-runtime/src/import/importer.int.test.ts', test: 'of another organization' },
      { file: 'browser-runner/src/internal/browser-calls.test.ts', test: 'while one floods' },
    ],
  },
  {
    fault: 'random histories against a ledger on paper',
    invariant: 'no difference; debits are credits at every position',
    suites: [
      { file: `${credits}/ledger.histories.test.ts` },
      { file: `${credits}/ledger-writers.test.ts` },
      { file: 'projector/src/features/credits/ledger-rows.test.ts' },
    ],
  },
];
