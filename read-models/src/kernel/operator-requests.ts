/** What an operator asks the running projector for; null stands for every projection. */
export type OperatorRequest =
  | {
      readonly kind: 'rebuild';
      readonly projections: readonly string[] | null;
      readonly acceptsDifferences: boolean;
    }
  | { readonly kind: 'cancel-rebuild'; readonly projections: readonly string[] | null }
  | { readonly kind: 'retry-event'; readonly eventId: string }
  | { readonly kind: 'skip-event'; readonly eventId: string; readonly reason: string };

export type OperatorAnswer = { readonly isDone: boolean; readonly message: string };

/** Any number: the lock of the one active projector. */
export const PROJECTOR_LOCK = 7_261_945;
