import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';

export const text = (length: number) => 'x'.repeat(length);
export const address = () => `${crypto.randomUUID()}@example.com`;

/** A rule of one field. */
export type Rule = {
  /** The field, as the refusal names it. */
  readonly path: string;
  readonly message: string;
  /** Just inside and just outside of the rule. */
  readonly right: readonly object[];
  readonly wrong: readonly object[];
};
/** A call that takes a form, and the rules of its fields. */
export type Form = {
  readonly endpoint: Endpoint;
  readonly statuses: readonly number[];
  readonly base: () => object;
  readonly rules: readonly Rule[];
};

const EMAIL = 'Please enter a valid email address';
export const emailRule: Rule = {
  path: 'email',
  message: EMAIL,
  right: [],
  wrong: ['', 'name', 'name@', '@example.com', 'name@example', 'a b@example.com', 'a@b@c.com']
    .concat(`${text(250)}@example.com`)
    .map((email) => ({ email })),
};
