import {
  type AuditEvent,
  auditEvents,
  CallRefused,
} from '@tallyhand/contracts/features/audit/audit.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider } from '../../kit/decider.ts';

/** However many people, processes and scripts try: events a minute for one call and code. */
export const EVENTS_A_MINUTE_MAX = 12;

type RefusedCalls = Parameters<typeof CallRefused>[0];

export type AuditCommand = EventValue<
  'RecordRefusedCalls',
  /** `at`: ISO 8601. */
  RefusedCalls & { readonly at: string }
>;

/** What was recorded in the minute of the newest event, by call and code. */
type Audit = { minute: string; readonly events: Map<string, number> };

const minuteOf = (at: string) => at.slice(0, 'yyyy-mm-ddThh:mm'.length);

const kindOf = ({ call, code }: Pick<RefusedCalls, 'call' | 'code'>) => `${call} ${code}`;

/** The refused calls of one organization. Nothing is appended where too much was in this minute. */
export const auditDecider: Decider<Audit, AuditCommand, AuditEvent> = {
  category: 'audit',
  kinds: auditEvents,
  initialState: () => ({ minute: '', events: new Map() }),
  decide(command, audit) {
    const { at, ...refused } = command.data;
    const recorded = minuteOf(at) === audit.minute ? audit.events.get(kindOf(refused)) : 0;
    return (recorded ?? 0) >= EVENTS_A_MINUTE_MAX ? [] : [CallRefused(refused)];
  },
  evolve(audit, event, at) {
    const minute = minuteOf(at);
    if (minute !== audit.minute) {
      audit.minute = minute;
      audit.events.clear();
    }
    const kind = kindOf(event.data);
    audit.events.set(kind, (audit.events.get(kind) ?? 0) + 1);
    return audit;
  },
  snapshot: {
    version: 1,
    everyEvents: 500,
    save: ({ minute, events }) => ({ minute, events: [...events] }),
    load(saved) {
      const { minute, events } = saved as { minute: string; events: [string, number][] };
      return { minute, events: new Map(events) };
    },
  },
};
