import { PersonErased } from '@tallyhand/contracts/features/identity/identity.events';
import {
  type RatingEvent,
  ratingEvents,
} from '@tallyhand/contracts/features/ratings/ratings.events';
import { ratingsModel } from '@tallyhand/read-models/features/ratings/ratings.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { ERASED } from '@tallyhand/service-kit/crypto/person-keys';
import { sql } from 'kysely';
import { batchProjection, type Happened, type Helpers } from '../../kernel/projection.ts';
import { keepCounts, newRow, readRows, writeRows } from '../../kernel/rows.ts';

/** What a member takes back has no row. */
export const ratingsProjection = batchProjection({
  model: ratingsModel,
  kinds: { ...ratingEvents, PersonErased },
  async apply(tx, all, helpers) {
    const happened = all.flatMap((one) => (isOfRating(one) ? one : []));
    const ids = [...new Set(happened.map(({ event }) => event.data.ratingId))];
    const rows = await readRows(tx, 'answer_ratings', ids);
    const before = [...rows.values()];
    const reasons = await Promise.all(happened.map(({ event }) => reasonOf(event, helpers)));
    for (const [at, { event, stored }] of happened.entries()) {
      const { data } = event;
      if (event.type === 'RatingRemoved') rows.delete(data.ratingId);
      else rows.set(data.ratingId, rowOf(event, stored.envelope.recordedAt, reasons[at] ?? null));
    }
    const after = [...rows.values()];
    const removed = ids.filter((id) => !rows.has(id));
    await Promise.all([
      writeRows(tx, 'answer_ratings', after),
      removed.length > 0 &&
        tx
          .deleteFrom('answer_ratings')
          .where('rating_id', '=', sql<string>`any(${removed}::uuid[])`)
          .execute(),
      keepCounts(tx, 'agent_rating_counts', { before, after }, countedAs),
    ]);
    // A rebuild without the key would find no reason either.
    for (const { event } of all) {
      if (event.type !== 'PersonErased') continue;
      const theirs = tx.updateTable('answer_ratings').set({ reason: null });
      await theirs.where('rated_by', '=', event.data.userId).execute();
    }
    return new Set(all.map(({ event }) => event.data.organizationId));
  },
});

type Either = RatingEvent | ReturnType<typeof PersonErased>;
type Rated = Extract<RatingEvent, { type: 'AnswerRated' }>;

const isOfRating = (one: Happened<Either>): one is Happened<RatingEvent> =>
  one.event.type !== 'PersonErased';

const countedAs = ({
  organization_id,
  agent_id,
  agent_version,
  rating,
}: Row<'answer_ratings'>) => ({ organization_id, agent_id, agent_version, rating });

/** Null without a reason, and when its author is erased. */
async function reasonOf(event: RatingEvent, { reveal }: Helpers): Promise<string | null> {
  if (event.type === 'RatingRemoved' || event.data.reason === null) return null;
  const reason = await reveal(event.data.ratedBy, event.data.reason);
  return reason === ERASED ? null : reason;
}

function rowOf({ data }: Rated, at: string, reason: string | null): Row<'answer_ratings'> {
  const answerId = data.taskId ?? data.messageId ?? data.ratingId;
  return newRow('answer_ratings', data, at, { answer_id: answerId, reason });
}
