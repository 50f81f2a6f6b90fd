import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import { comparePositions, type Position } from '@tallyhand/service-kit/event-store/position';
import type { Change } from '@tallyhand/service-kit/postgres/read-position';

const ORGANIZATIONS_MAX = 10_000;

/** When something changed, and where the read models were then; null where that is not known. */
type Moment = { readonly at: number; readonly position: Position | null };

/** What has changed lately; `all` where it can't be known. */
export function recentChanges(
  now: () => number = performance.now.bind(performance),
  organizationsMax = ORGANIZATIONS_MAX,
) {
  /** When each feature changed last; organizations in the order of their last changes. */
  const organizations = new Map<string, Map<string, Moment>>();
  /** What was before is not known: this process was not there, or did not hear it, or forgot. */
  let unknownUntil: Moment = { at: now(), position: null };

  return {
    /** Null: some of it was not heard. */
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
    /** Features that changed after the read models were at `since`; null: as far as this goes back. */
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
