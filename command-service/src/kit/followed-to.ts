import {
  formatPosition,
  type Position,
  parsePosition,
  START,
} from '@tallyhand/service-kit/event-store/position';
import type pg from 'pg';

/** How far a follower of all events, known by its name, has come. */
export async function followedTo(pool: pg.Pool, name: string): Promise<Position> {
  const { rows } = await pool.query<{ position: string }>(
    'select position from operational.reaction_checkpoints where name = $1',
    [name],
  );
  return parsePosition(rows[0]?.position ?? '') ?? START;
}

export async function keepFollowedTo(
  db: pg.Pool | pg.PoolClient,
  name: string,
  position: Position,
): Promise<void> {
  await db.query(
    `insert into operational.reaction_checkpoints (name, position) values ($1, $2)
     on conflict (name) do update set position = excluded.position`,
    [name, formatPosition(position)],
  );
}
