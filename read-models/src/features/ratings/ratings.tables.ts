import {
  RATED_VERSIONS_MAX,
  REASONS_MAX,
} from '@tallyhand/contracts/features/ratings/ratings.endpoints';
import type { Rating } from '@tallyhand/contracts/features/ratings/ratings.fields';
import { bigint, int, orNull, text, textOf, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const ratingsModel = readModel({
  name: 'ratings',
  feature: 'ratings',
  version: 1,
  tables: {
    answer_ratings: table({
      key: ['rating_id'],
      columns: {
        rating_id: uuid,
        organization_id: uuid,
        /** A task, or a message of a conversation. */
        answer_id: uuid,
        task_id: orNull(uuid),
        conversation_id: orNull(uuid),
        agent_id: uuid,
        agent_version: int,
        rated_by: uuid,
        rating: textOf<Rating>(),
        reason: orNull(text),
        updated_at: timestamp,
      },
      indexes: ['(answer_id)', '(organization_id, agent_id, updated_at) where reason is not null'],
      writeIndexes: ['(rated_by)'],
    }),
    agent_rating_counts: table({
      key: ['organization_id', 'agent_id', 'agent_version', 'rating'],
      columns: {
        organization_id: uuid,
        agent_id: uuid,
        agent_version: int,
        rating: textOf<Rating>(),
        count: bigint,
      },
      counts: `select organization_id, agent_id, agent_version, rating, count(*)
      from read_model.answer_ratings group by 1, 2, 3, 4`,
    }),
  },
});

const countOf = (rating: Rating, counts = 'c') =>
  `coalesce(sum(${counts}.count) filter (where ${counts}.rating = '${rating}'), 0)::int`;

const OF_AGENT = `organization_id = me.organization_id and agent_id = a.agent_id`;

/** The current version is listed even without ratings. */
export const readAgentRatings = readOne(
  'agent_ratings',
  { id: 'uuid' },
  `select (select json_build_object('up', ${countOf('up')}, 'down', ${countOf('down')})
      from read_model.agent_rating_counts c where c.${OF_AGENT}) as total,
     (select json_agg(json_build_object('version', v.version, 'up', v.up, 'down', v.down)
        order by v.version desc)
      from (select n.version, ${countOf('up')} as up, ${countOf('down')} as down
        from (select a.version union (select distinct agent_version
          from read_model.agent_rating_counts where ${OF_AGENT}
          order by agent_version desc limit ${RATED_VERSIONS_MAX})) n (version)
        left join read_model.agent_rating_counts c
          on c.${OF_AGENT} and c.agent_version = n.version
        group by n.version) v) as versions,
     (select coalesce(json_agg(json_build_object('rating', r.rating, 'reason', r.reason,
        'version', r.agent_version, 'taskId', r.task_id, 'updatedAt', r.updated_at)
        order by r.updated_at desc), '[]')
      from (select * from read_model.answer_ratings
        where ${OF_AGENT} and reason is not null
          and not exists (select from read_model.conversations d
            where d.conversation_id = answer_ratings.conversation_id and d.deleted_at is not null)
        order by organization_id desc, agent_id desc, updated_at desc
        limit ${REASONS_MAX}) r) as reasons
   from read_model.agents a
   where a.organization_id = me.organization_id and a.deleted_at is null and a.agent_id = p_id`,
);
