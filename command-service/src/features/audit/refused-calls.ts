import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import type { Kit } from '../../kit/app.ts';
import type { Plain, RefusedCall } from '../../kit/refused-call.ts';
import { auditStream } from './audit.decider.ts';
import { CountedCalls } from './counted-calls.ts';

/** The stream of calls without an organization. */
const PLATFORM = 'platform';
const EVERY_MS = 60_000;
const KINDS_MAX = 1_000;
const TEXT_LENGTH_MAX = 200;

/**
 * Records refused calls in the audit log: the first of a kind (call, code and caller) at once, further
 * ones as one event a minute.
 */
export class RefusedCalls implements AsyncDisposable {
  readonly #log: Kit['log'];
  readonly #audits;
  readonly #calls: CountedCalls<RefusedCall>;

  constructor({ streams, log }: Pick<Kit, 'streams' | 'log'>) {
    this.#log = log;
    this.#audits = streams.of(auditStream);
    this.#calls = new CountedCalls({
      everyMs: EVERY_MS,
      append: (refused, count) => this.#append(refused, count),
      log,
    });
  }

  /** Returns at once, and never throws. */
  record(refused: RefusedCall): void {
    const { call, refusal, context } = refused;
    const { organizationId, actor } = context;
    const key = [organizationId, actor.id ?? actor.kind, call, refusal.code].join(' ');
    if (!this.#calls.has(key) && this.#calls.size >= KINDS_MAX) {
      this.#log.warn('a refused call was not recorded: too many kinds', { call, organizationId });
      return;
    }
    this.#calls
      .add(key, refused)
      .catch((error) => this.#log.error('refused calls were not recorded', errorFields(error)));
  }

  [Symbol.asyncDispose]() {
    return this.#calls[Symbol.asyncDispose]();
  }

  async #append({ call, refusal, about, context }: RefusedCall, count: number) {
    const { organizationId } = context;
    const now = new Date();
    const params = plain({ ...refusal.params, ...about });
    const data = { organizationId, call, code: refusal.code, params, count, at: now.toISOString() };
    const answer = await this.#audits.send(
      organizationId ?? PLATFORM,
      { type: 'RecordRefusedCalls', data },
      { ...context, commandId: newId(), causationId: null, now },
    );
    return !isRefusal(answer) && answer.events.length > 0;
  }
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
