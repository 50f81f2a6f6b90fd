import { noticeCauses } from '@tallyhand/contracts/notice-causes';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';

/** Keeps in mind whose notices have to be looked at for mail: one row, whatever has happened. */
export const recordNotifications = ({ pool }: Pick<Kit, 'pool'>): Reaction => ({
  name: 'note-notices',
  async handle(events) {
    const positions = new Map<string, string>();
    for (const { type, envelope, position } of events) {
      const { organizationId } = envelope;
      if (organizationId && type in noticeCauses) {
        positions.set(organizationId, formatPosition(position));
      }
    }
    if (positions.size === 0) return;
    await pool.query(
      `insert into operational.notice_looks (organization_id, position)
       select * from unnest($1::uuid[], $2::text[])
       on conflict (organization_id) do update set position = excluded.position, look_at = now()`,
      [[...positions.keys()], [...positions.values()]],
    );
  },
});
