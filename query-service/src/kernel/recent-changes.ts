import { CHANGES_REACH_BACK_MS } from '@tallyhand/contracts/kernel/live-changes';
import type { Change } from '@tallyhand/service-kit/postgres/read-position';

const ORGANIZATIONS_MAX = 10_000;

/** What has changed lately; `all` where it can't be known. */
export function recentChanges(
  now: () => number = performance.now.bind(performance),
  organizationsMax = ORGANIZATIONS_MAX,
) {
  /** When each feature changed last; organizations in the order of their last changes. */
  const organizations = new Map<string, Map<string, number>>();
  /** What was before is not known: this process was not there, or did not hear it, or forgot. */
  let unknownUntil = now();

  return {
    /** Null: some of it was not heard. */
    add(changes: readonly Change[] | null): void {
      const at = now();
      if (!changes) unknownUntil = at;
      for (const { organizationId, features } of changes ?? []) {
        const last = organizations.get(organizationId) ?? new Map<string, number>();
        for (const feature of features) last.set(feature, at);
        organizations.delete(organizationId);
        organizations.set(organizationId, last);
      }
      for (const [id, last] of organizations) {
        if (organizations.size <= organizationsMax) break;
        organizations.delete(id);
        unknownUntil = Math.max(unknownUntil, ...last.values());
      }
    },
    of(organizationId: string): readonly string[] {
      const since = now() - CHANGES_REACH_BACK_MS;
      if (unknownUntil >= since) return ['all'];
      const last = organizations.get(organizationId) ?? new Map<string, number>();
      return [...last].filter(([, at]) => at >= since).map(([feature]) => feature);
    },
  };
}
