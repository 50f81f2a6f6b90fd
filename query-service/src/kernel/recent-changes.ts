import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import { comparePositions, type Position } from '@tallyhand/service-kit/event-store/position';
import type { Change } from '@tallyhand/service-kit/postgres/read-position';

const ORGANIZATIONS_MAX = 10_000;

/** The time of a change, and the position of the read models then; null if unknown. */
type Moment = { readonly at: number; readonly position: Position | null };

/** Recent changes; `all` when they are unknown. */
export function recentChanges(
  now: () => number = performance.now.bind(performance),
  organizationsMax = ORGANIZATIONS_MAX,
) {
  /** The last change of each feature; organizations in the order of their last change. */
  const organizations = new Map<string, Map<string, Moment>>();
  /** Earlier changes are unknown: before the start, missed, or evicted. */
  let unknownUntil: Moment = { at: now(), position: null };

  return {
    /** Null: some changes were missed. */
    add(changes: readonly Change[] | null, position: Position | null): void {
      const moment = { at: now(), position };
      if (!changes) unknownUntil = moment;
      for (const { organizationId, features } of changes ?? []) {
        const last = organizations.get(organizationId) ?? new Map<string, Moment>();
        for (const feature of features) last.set(feature, moment);
        organizations.delete(organizationId);
        organizations.set(organizationId, last);
      }
      for (const [id, last] of organizations) {
        if (organizations.size <= organizationsMax) break;
        organizations.delete(id);
        const forgotten = [...last.values()].reduce((a, b) => (a.at > b.at ? a : b));
        if (forgotten.at >= unknownUntil.at) {
          unknownUntil = { ...forgotten, position: unknownUntil.position && forgotten.position };
        }
      }
    },
    /** Features that changed after the position `since`; null: as far as the records go back. */
    of(organizationId: string, since: Position | null): readonly string[] {
      const from = now() - CHANGES_REACH_BACK_MS;
      const isAfter = ({ at, position }: Moment) =>
        at >= from && !(since && position && comparePositions(position, since) <= 0);
      if (isAfter(unknownUntil)) return ['all'];
      const last = organizations.get(organizationId) ?? new Map<string, Moment>();
      return [...last].filter(([, moment]) => isAfter(moment)).map(([feature]) => feature);
    },
  };
}
