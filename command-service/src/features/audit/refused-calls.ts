import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { Plain, RefusedCall } from '../../kit/refused-call.ts';
import { auditStream } from './audit.decider.ts';

/** Where calls stand that belong to no organization. */
const PLATFORM = 'platform';
const EVERY_MS = 60_000;
const KINDS_MAX = 1_000;
const TEXT_LENGTH_MAX = 200;

/** One call, code and caller. `untold`: how many calls no event has told of yet. */
type Kind = { newest: RefusedCall; untold: number };

export type RefusedCalls = AsyncDisposable & {
  /** Returns at once, and never throws. */
  record(call: RefusedCall): void;
};

/**
 * Refused calls for the audit log: the first of a kind (call, code and caller) at once, those that
 * follow within a minute as one event at its end.
 */
export function refusedCallsOf(kit: Pick<Kit, 'streams' | 'log'>): RefusedCalls {
  const audits = kit.streams.of(auditStream);
  const kinds = new Map<string, Kind>();
  const telling = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;

  function tell(kind: Kind) {
    const count = kind.untold;
    kind.untold = 0;
    const told = append(kind.newest, count).then(
      (isTold) => {
        if (!isTold) kind.untold += count;
      },
      (error) => {
        kind.untold += count;
        kit.log.error('refused calls were not recorded', errorFields(error));
      },
    );
    telling.add(told);
    void told.finally(() => telling.delete(told));
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

  function tellAll() {
    for (const [key, kind] of kinds) {
      if (kind.untold > 0) tell(kind);
      else kinds.delete(key);
    }
    timer = kinds.size > 0 ? setTimeout(tellAll, EVERY_MS).unref() : undefined;
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
      const kind = known ?? { newest: refused, untold: 0 };
      kind.newest = refused;
      kind.untold += 1;
      kinds.set(key, kind);
      timer ??= setTimeout(tellAll, EVERY_MS).unref();
      if (!known) tell(kind);
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const kind of kinds.values()) if (kind.untold > 0) tell(kind);
      await Promise.all(telling);
    },
  };
}

/** Values as an event may hold them; text that a caller may have made is cut. */
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
