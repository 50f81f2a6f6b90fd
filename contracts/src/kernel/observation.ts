/** What a read must leave behind. Reads write nothing themselves, and wait for nobody who does. */
export type Observation = {
  readonly kind: 'read-refused';
  /** The name of the read in the contract. */
  readonly call: string;
  readonly signInId: string;
  readonly refusal: { readonly code: string; readonly params: Readonly<Record<string, unknown>> };
  readonly address: string;
  readonly correlationId: string;
};
