import type { WorkKind } from './paid-work.ts';

/** Credits that a new organization receives. */
export const SIGN_UP_CREDITS = 100;
/** Credits per successful unit of work: a task, or a step of a session. */
export const PRICE_OF = { task: 1, step: 1 } as const satisfies Record<WorkKind, number>;
/** Below these values the balance counts as low: everywhere, and on the agents page. */
export const LOW_CREDITS = 100;
export const LOW_CREDITS_AGENTS = 10;
/** Below this value the billing page warns that agents will stop. */
export const CRITICAL_CREDITS = 50;
/** A notification is sent each time the balance falls below one of these values, or to 0. */
export const LOW_BALANCE_LEVELS = [100, 50, 10, 0] as const;

export const CURRENCY = 'usd';

/** The credit packages. The server sets the prices, in US cents. */
export const PACKAGES = [
  { id: 'starter', name: 'Starter Pack', credits: 100, cents: 4_900, popular: false },
  { id: 'professional', name: 'Professional Pack', credits: 500, cents: 19_900, popular: true },
  { id: 'enterprise', name: 'Enterprise Pack', credits: 1_000, cents: 34_900, popular: false },
  { id: 'scale', name: 'Scale Pack', credits: 5_000, cents: 149_900, popular: false },
] as const;

const centsPerCredit = PACKAGES.map(({ cents, credits }) => Math.round(cents / credits));
/** In the package where a credit costs the least, and where it costs the most, in whole cents. */
export const CENTS_PER_CREDIT_MIN = Math.min(...centsPerCredit);
export const CENTS_PER_CREDIT_MAX = Math.max(...centsPerCredit);

export type PackageId = (typeof PACKAGES)[number]['id'];

/** Formats `4900` as `49.00`. */
export const centsText = (cents: number) => (cents / 100).toFixed(2);

/** US dollars per credit, as text with 3 decimals. */
export const pricePerCredit = ({ credits, cents }: { credits: number; cents: number }) =>
  (cents / 100 / credits).toFixed(3);
