import type { StoredText } from '@tallyhand/contracts/features/knowledge/knowledge.events';
import type { ReadModelTables } from '@tallyhand/read-models/read-models';
import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import type { Log } from '@tallyhand/service-kit/log';
import { type Kysely, sql } from 'kysely';
import type { Helpers, Projection, Tx } from './projection.ts';
import type { Transact } from './transact.ts';

/** What the projector works with; the pool behind both has eight connections or more. */
export type ProjectorContext = {
  readonly db: Kysely<ReadModelTables>;
  readonly transact: Transact;
  readonly eventLog: EventLog;
  readonly personKeys: PersonKeys;
  readonly log: Log;
  readonly projections: readonly Projection[];
};

export const helpersOf = (tx: Tx, { personKeys, log }: ProjectorContext): Helpers => ({
  log,
  reveal: personKeys.reveal,
  forget: personKeys.forget,
  textOf: (organizationId, text) => textOf(tx, organizationId, text),
});

async function textOf(tx: Tx, organizationId: string, text: StoredText): Promise<string> {
  if (text.kind === 'inline') return text.text;
  const { rows } = await sql<{ content: Buffer }>`
    select content from operational.blobs
    where organization_id = ${organizationId} and hash = ${text.hash}
  `.execute(tx);
  const content = rows[0]?.content;
  if (!content) throw new Error(`Blob ${text.hash} is missing`);
  return content.toString('utf8');
}
