import { once } from 'node:events';
import { ledgerStream } from '@tallyhand/command-service/features/credits/ledger.decider';
import { postgresSnapshots } from '@tallyhand/command-service/kit/stored-states';
import { latestPosition, Streams } from '@tallyhand/command-service/kit/streams';
import {
  ChargeCredits,
  ReserveCredits,
} from '@tallyhand/contracts/features/credits/credits.commands';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { jsonLog } from '@tallyhand/service-kit/log';
import { openPool, roleUrl } from '@tallyhand/service-kit/postgres/pool';
import { StreamChanges } from '@tallyhand/service-kit/postgres/read-position';

/** One of many processes that compete for the last credit; each caches the ledger in its memory. */
const { organizationId, databaseUrl, eventStoreUrl, masterKey } = JSON.parse(
  process.argv[2] ?? '{}',
);
const ledgers = new Streams(ledgerStream, {
  eventLog: openEventLog(eventStoreUrl),
  snapshots: postgresSnapshots(openPool(roleUrl(databaseUrl, masterKey, 'command'), 1)),
  log: jsonLog('fault', 'silent'),
  latest: latestPosition(),
  changes: new StreamChanges(),
});
// Reads the ledger first, like a process that has been running for a while.
await ledgers.load(organizationId);
process.send?.('ready');
await once(process, 'message');

const now = new Date();
const reservationId = newId();
const context = {
  organizationId,
  commandId: newId(),
  correlationId: newId(),
  causationId: null,
  now,
  actor: { kind: 'worker' },
};
const reserve = ReserveCredits({
  organizationId,
  reservationId,
  amount: 1,
  price: 1,
  agentId: newId(),
  memberId: null,
  work: { kind: 'task', id: reservationId },
  workType: 'query',
  at: now.toISOString(),
  expiresAt: new Date(now.getTime() + 600_000).toISOString(),
});
const answer = await ledgers.send(organizationId, reserve, context);
if (isRefusal(answer)) process.send?.(answer.code);
else {
  const charge = ChargeCredits({ organizationId, reservationId });
  await ledgers.send(organizationId, charge, { ...context, commandId: newId() });
  process.send?.('charged');
}
