import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { AuditorCall } from '../../kit/auditor-call.ts';
import { auditStream } from './audit.decider.ts';
import { CountedCalls } from './counted-calls.ts';

const EVERY_MS = 10 * 60_000;
/** Of one call of an Auditor; what exceeds it is counted without object and filters. */
const DIFFERENT_MAX = 100;
const TEXT_LENGTH_MAX = 200;

/**
 * Records what Auditors read: a call with its object and filters at once, and repeats as one event
 * every ten minutes.
 */
export class AuditorCalls implements AsyncDisposable {
  readonly #audits;
  readonly #calls: CountedCalls<AuditorCall>;
  /** What is different in each call of each Auditor: many of one don't hide those of another. */
  readonly #different = new Map<string, { readonly since: number; readonly keys: Set<string> }>();

  constructor({ streams, log }: Pick<Kit, 'streams' | 'log'>) {
    this.#audits = streams.of(auditStream);
    this.#calls = new CountedCalls({
      everyMs: EVERY_MS,
      append: (called, count) => this.#append(called, count),
      log,
    });
  }

  /** Resolves when the call is in the event store, or counts as a repeat of one that is. */
  async record(called: AuditorCall): Promise<void> {
    const exact = { ...called, params: cut(called.params) };
    const key = keyOf(exact);
    if (this.#isFurther(`${called.context.actor.id} ${called.call}`, key)) {
      const summary = { ...exact, params: {} };
      return this.#calls.add(keyOf(summary), summary);
    }
    return this.#calls.add(key, exact);
  }

  [Symbol.asyncDispose]() {
    return this.#calls[Symbol.asyncDispose]();
  }

  /** Whether the Auditor has made this call in too many ways to record another. */
  #isFurther(caller: string, key: string): boolean {
    const now = Date.now();
    const known = this.#different.get(caller);
    const different =
      known && now - known.since < EVERY_MS ? known : { since: now, keys: new Set<string>() };
    this.#different.set(caller, different);
    for (const [id, { since }] of this.#different) {
      if (now - since >= EVERY_MS) this.#different.delete(id);
    }
    if (different.keys.has(key)) return false;
    if (different.keys.size >= DIFFERENT_MAX) return true;
    different.keys.add(key);
    return false;
  }

  async #append({ call, params, context }: AuditorCall, count: number): Promise<boolean> {
    const { organizationId } = context;
    await this.#audits.send(
      organizationId,
      { type: 'RecordAuditorCalls', data: { organizationId, call, params, count } },
      { ...context, commandId: newId(), causationId: null, now: new Date() },
    );
    return true;
  }
}

const keyOf = ({ call, params, context }: AuditorCall) =>
  JSON.stringify([
    context.organizationId,
    context.actor.id,
    context.actor.signInId,
    call,
    Object.entries(params).sort(),
  ]);

const cut = (params: AuditorCall['params']) =>
  Object.fromEntries(
    Object.entries(params).map(([name, text]) => [name, text.slice(0, TEXT_LENGTH_MAX)]),
  );
