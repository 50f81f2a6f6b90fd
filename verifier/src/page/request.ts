import type { Verification } from '@tallyhand/service-kit/audit-bundle/verify';

/** What the user has chosen and typed. */
export type VerifyRequest = {
  readonly file: Blob;
  /** A key or key history. */
  readonly key: string | null;
  readonly since: Blob | null;
  readonly organizationId: string | null;
  readonly atLeast: number | null;
  readonly timestamps: { readonly file: Blob; readonly authority: string } | null;
};

/** A field that can't be used, and why, in the words of the verifier. */
export type FieldFault = {
  readonly field: 'key' | 'key-missing' | 'since' | 'timestamps';
  readonly reason: string;
};

export type WorkerMessage =
  | { readonly kind: 'progress'; readonly share: number }
  | { readonly kind: 'result'; readonly result: Verification }
  | { readonly kind: 'field'; readonly fault: FieldFault }
  | { readonly kind: 'failure'; readonly reason: string };
