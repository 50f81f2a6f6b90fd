import type { AppendRequest, AppendResult } from './events.ts';

export type ToWriter =
  | { kind: 'open' }
  | { kind: 'append'; requests: AppendRequest[] }
  | { kind: 'close' };

/** `position` is set when the fault is damage at a known place. */
export type FromWriter =
  | { kind: 'opened'; head: number }
  | { kind: 'appended'; results: AppendResult[]; head: number }
  | { kind: 'failed'; reason: string; isDamage: boolean; position: number | null }
  | { kind: 'closed' };
