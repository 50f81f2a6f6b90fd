import type { CallName } from './errors.ts';
import { operations as table } from './generated/operations.ts';

/** What is known of a call while the client runs. */
export type Operation = {
  readonly name: CallName;
  readonly method: string;
  readonly path: string;
  readonly takes: 'body' | 'query' | null;
  readonly takesKey: boolean;
  /** Each item of a list in the body has its own idempotency key. */
  readonly hasKeyedItems: boolean;
  readonly isPaged: boolean;
  /** The answer is a file. */
  readonly isFile: boolean;
  readonly isStreamed: boolean;
  /** Always a stream. */
  readonly isStream: boolean;
  /** A stream that continues after an event that the caller names. */
  readonly isResumed: boolean;
  readonly mayBeAccepted: boolean;
};

export const operations: readonly Operation[] = table.split('\n').map((row) => {
  const [name, method = '', path = '', flags = ''] = row.split(' ');
  const has = (flag: string) => flags.includes(flag);
  return {
    name: name as CallName,
    method,
    path,
    takes: has('b') ? 'body' : has('q') ? 'query' : null,
    takesKey: has('k'),
    hasKeyedItems: has('i'),
    isPaged: has('l'),
    isFile: has('m'),
    isStreamed: has('s'),
    isStream: has('e'),
    isResumed: has('r'),
    mayBeAccepted: has('a'),
  };
});
