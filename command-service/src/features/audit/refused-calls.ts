import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { Plain, RefusedCall } from '../../kit/refused-call.ts';
import { auditStream } from './audit.decider.ts';

/** The stream of calls without an organization. */
const PLATFORM = 'platform';
const EVERY_MS = 60_000;
const KINDS_MAX = 1_000;
const TEXT_LENGTH_MAX = 200;

/** One call, code and caller. `unrecorded`: calls that no event has counted yet. */
type Kind = { newest: RefusedCall; unrecorded: number };

export type RefusedCalls = AsyncDisposable & {
  /** Returns at once, and never throws. */
  record(call: RefusedCall): void;
};

/**
 * Records refused calls in the audit log: the first of a kind (call, code and caller) at once, further
 * ones as one event a minute.
 */
export function refusedCallsOf(kit: Pick<Kit, 'streams' | 'log'>): RefusedCalls {
  const audits = kit.streams.of(auditStream);
  const kinds = new Map<string, Kind>();
  const storing = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  function store(kind: Kind) {
    const count = kind.unrecorded;
    kind.unrecorded = 0;
    const stored = append(kind.newest, count).then(
      (isStored) => {
        if (!isStored) kind.unrecorded += count;
      },
      (error) => {
        kind.unrecorded += count;
        kit.log.error('refused calls were not recorded', errorFields(error));
      },
    );
    storing.add(stored);
    void stored.finally(() => storing.delete(stored));
  }

  async function append({ call, refusal, about, context }: RefusedCall, count: number) {
    const { organizationId } = context;
    const now = new Date();
    const params = plain({ ...refusal.params, ...about });
    const data = { organizationId, call, code: refusal.code, params, count, at: now.toISOString() };
    const answer = await audits.send(
      organizationId ?? PLATFORM,
      { type: 'RecordRefusedCalls', data },
      { ...context, commandId: newId(), causationId: null, now },
    );
    return !isRefusal(answer) && answer.events.length > 0;
  }

  function storeAll() {
    for (const [key, kind] of kinds) {
      if (kind.unrecorded > 0) store(kind);
      else kinds.delete(key);
    }
    timer = kinds.size > 0 ? setTimeout(storeAll, EVERY_MS).unref() : undefined;
  }

  return {
    record(refused) {
      const { call, refusal, context } = refused;
      const { organizationId, actor } = context;
      const key = [organizationId, actor.id ?? actor.kind, call, refusal.code].join(' ');
      const known = kinds.get(key);
      if (!known && kinds.size >= KINDS_MAX) {
        kit.log.warn('a refused call was not recorded: too many kinds', { call, organizationId });
        return;
      }
      const kind = known ?? { newest: refused, unrecorded: 0 };
      kind.newest = refused;
      kind.unrecorded += 1;
      kinds.set(key, kind);
      timer ??= setTimeout(storeAll, EVERY_MS).unref();
      if (!known) store(kind);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const kind of kinds.values()) if (kind.unrecorded > 0) store(kind);
      await Promise.all(storing);
    },
  };
}

/** Values that an event may contain. Text may be the caller's, so it is cut. */
function plain(params: Readonly<Record<string, unknown>>): Record<string, Plain> {
  const entries = Object.entries(params).map(([key, value]): [string, Plain] => {
    if (value === null || typeof value === 'boolean' || Number.isFinite(value)) {
      return [key, value as Plain];
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [key, (text ?? '').slice(0, TEXT_LENGTH_MAX)];
  });
  return Object.fromEntries(entries);
}
