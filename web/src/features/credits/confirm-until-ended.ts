import { asProblem, type CallProblem } from '../../app/problem.ts';

type Asked<A> = { data?: A | undefined; error?: unknown };
type Ended<A> = { kind: 'ended'; answer: A } | { kind: 'refused'; problem: CallProblem };
/** `pending`: it was asked for long enough; the payment goes on by itself. */
export type Outcome<A> = Ended<A> | { kind: 'pending' };

export type Patience = {
  /** Milliseconds between two questions. */
  everyMs: number;
  attemptsMax: number;
  wait: (ms: number) => Promise<void>;
};

/** Worth another try: the provider is not done yet, or the answer was lost. */
const isOpen = ({ status, code }: CallProblem) =>
  code === 'payment-pending' || status === 0 || status >= 500;

/** Asks whether a payment went through until that is known, or patience ends. */
export async function confirmUntilEnded<A>(
  ask: () => Promise<Asked<A>>,
  { everyMs, attemptsMax, wait }: Patience,
): Promise<Outcome<A>> {
  let last: CallProblem | undefined;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    if (attempt > 0) await wait(everyMs);
    const { data, error } = await ask();
    if (data !== undefined) return { kind: 'ended', answer: data };
    last = asProblem(error);
    if (!isOpen(last)) return { kind: 'refused', problem: last };
  }
  if (last === undefined || last.code === 'payment-pending') return { kind: 'pending' };
  return { kind: 'refused', problem: last };
}
