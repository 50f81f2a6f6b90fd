import {
  ApiKeyUsed,
  type AuditEvent,
  AuditLogExported,
  AuditorCalled,
  auditEvents,
  CallRefused,
  CheckpointPublished,
  CheckpointPublishingChanged,
  LogStreamEnded,
  LogStreamFailing,
  LogStreamSet,
} from '@tallyhand/contracts/features/audit/audit.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

/** The maximum of events a minute for one call and code, from all callers and processes. */
export const EVENTS_A_MINUTE_MAX = 12;

type RefusedCalls = Parameters<typeof CallRefused>[0];
type KeyUse = Parameters<typeof ApiKeyUsed>[0];
type Publishing = Parameters<typeof CheckpointPublishingChanged>[0];
type Published = Parameters<typeof CheckpointPublished>[0];

export type AuditCommand =
  | EventValue<
      'RecordRefusedCalls',
      /** `at`: ISO 8601. */
      RefusedCalls & { readonly at: string }
    >
  | EventValue<'RecordExport', Parameters<typeof AuditLogExported>[0]>
  | EventValue<'RecordKeyUse', KeyUse>
  | EventValue<'ChangePublishing', Publishing>
  | EventValue<'PublishCheckpoint', Omit<Published, 'mailTo'>>
  | EventValue<'RecordAuditorCalls', Parameters<typeof AuditorCalled>[0]>
  | EventValue<'SetLogStream', Parameters<typeof LogStreamSet>[0]>
  | EventValue<'EndLogStream', Parameters<typeof LogStreamEnded>[0]>
  | EventValue<'RecordFailingLogStream', Parameters<typeof LogStreamFailing>[0]>;

/**
 * Counts refused calls in the minute of the newest event, by call and code. Remembers the newest
 * exports, the newest hours of keys, how checkpoints are published, and whether the log is streamed.
 */
type Audit = {
  minute: string;
  readonly events: Map<string, number>;
  readonly exports: Set<string>;
  readonly keyHours: Set<string>;
  every: Publishing['every'];
  mailTo: readonly string[];
  /** The newest period that a checkpoint was published for; empty before the first. */
  published: string;
  isStreamed: boolean;
  /** Since when the stream has been failing, as the newest event says; empty before the first. */
  failingSince: string;
};

/** Repeats arrive soon, so only the newest are remembered. */
const EXPORTS_KNOWN_MAX = 100;
const KEY_HOURS_KNOWN_MAX = 1_000;

const keyHourOf = ({ keyId, hour }: KeyUse) => `${keyId} ${hour}`;

function remember(known: Set<string>, one: string, max: number) {
  known.add(one);
  if (known.size > max) known.delete(known.values().next().value ?? '');
}

const minuteOf = (at: string) => at.slice(0, 'yyyy-mm-ddThh:mm'.length);

const kindOf = ({ call, code }: Pick<RefusedCalls, 'call' | 'code'>) => `${call} ${code}`;

/** Events about the log itself: refused calls, exports, uses of keys, Auditors, checkpoints, streams. */
export const auditDecider: Decider<Audit, AuditCommand, AuditEvent, never> = {
  initialState: () => ({
    minute: '',
    events: new Map(),
    exports: new Set(),
    keyHours: new Set(),
    every: null,
    mailTo: [],
    published: '',
    isStreamed: false,
    failingSince: '',
  }),
  decide(command, audit) {
    switch (command.type) {
      case 'RecordExport': {
        const isKnown = audit.exports.has(command.data.exportId);
        return isKnown ? [] : [AuditLogExported(command.data)];
      }
      case 'RecordKeyUse':
        return audit.keyHours.has(keyHourOf(command.data)) ? [] : [ApiKeyUsed(command.data)];
      case 'ChangePublishing': {
        const { every, mailTo } = command.data;
        const isSame = every === audit.every && mailTo.join() === audit.mailTo.join();
        return isSame ? [] : [CheckpointPublishingChanged(command.data)];
      }
      case 'PublishCheckpoint': {
        // Two processes may try, and the publishing may have ended meanwhile.
        const isDue = audit.every !== null && command.data.period > audit.published;
        return isDue ? [CheckpointPublished({ ...command.data, mailTo: [...audit.mailTo] })] : [];
      }
      case 'RecordAuditorCalls':
        return [AuditorCalled(command.data)];
      case 'SetLogStream':
        return [LogStreamSet(command.data)];
      case 'EndLogStream':
        return audit.isStreamed ? [LogStreamEnded(command.data)] : [];
      case 'RecordFailingLogStream': {
        const isNews = audit.isStreamed && command.data.since > audit.failingSince;
        return isNews ? [LogStreamFailing(command.data)] : [];
      }
      case 'RecordRefusedCalls': {
        const { at, ...refused } = command.data;
        const recorded = minuteOf(at) === audit.minute ? audit.events.get(kindOf(refused)) : 0;
        return (recorded ?? 0) >= EVENTS_A_MINUTE_MAX ? [] : [CallRefused(refused)];
      }
    }
  },
  evolve(audit, event, at) {
    switch (event.type) {
      case 'AuditLogExported':
        remember(audit.exports, event.data.exportId, EXPORTS_KNOWN_MAX);
        return audit;
      case 'ApiKeyUsed':
        remember(audit.keyHours, keyHourOf(event.data), KEY_HOURS_KNOWN_MAX);
        return audit;
      case 'CheckpointPublishingChanged':
        audit.every = event.data.every;
        audit.mailTo = event.data.mailTo;
        return audit;
      case 'CheckpointPublished':
        audit.published = event.data.period;
        return audit;
      case 'AuditorCalled':
        return audit;
      case 'LogStreamSet':
        audit.isStreamed = true;
        return audit;
      case 'LogStreamEnded':
        audit.isStreamed = false;
        return audit;
      case 'LogStreamFailing':
        audit.failingSince = event.data.since;
        return audit;
      case 'CallRefused': {
        const minute = minuteOf(at);
        if (minute !== audit.minute) {
          audit.minute = minute;
          audit.events.clear();
        }
        const kind = kindOf(event.data);
        audit.events.set(kind, (audit.events.get(kind) ?? 0) + 1);
        return audit;
      }
    }
  },
};

export const auditStream: StreamPolicy<Audit, AuditCommand, AuditEvent, never> = {
  category: 'audit',
  decider: auditDecider,
  events: auditEvents,
  snapshot: {
    version: 5,
    everyEvents: 500,
    save: ({ minute, events, exports, keyHours, ...rest }) => ({
      ...rest,
      minute,
      events: [...events],
      exports: [...exports],
      keyHours: [...keyHours],
    }),
    load(saved) {
      const { minute, events, exports, keyHours, ...rest } = saved as Omit<
        Audit,
        'events' | 'exports' | 'keyHours'
      > & {
        events: [string, number][];
        exports: string[];
        keyHours: string[];
      };
      return {
        ...rest,
        minute,
        events: new Map(events),
        exports: new Set(exports),
        keyHours: new Set(keyHours),
      };
    },
  },
};
