import type { CommandContext } from './context.ts';

/** A call of an Auditor, as the audit log records it. */
export type AuditorCall = {
  /** The name of the call in the contract. */
  readonly call: string;
  /** The object and the filters. */
  readonly params: Readonly<Record<string, string>>;
  readonly context: Pick<CommandContext, 'actor' | 'correlationId' | 'sourceAddress'> & {
    readonly organizationId: string;
  };
};
