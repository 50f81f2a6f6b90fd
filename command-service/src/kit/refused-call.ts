import { OrganizationQueueFull, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { CommandContext } from './context.ts';

/** The values of a call that the audit log may contain. */
export type Plain = string | number | boolean | null;

/** A refused call, as the audit log records it. */
export type RefusedCall = {
  /** The name of the call in the contract. */
  readonly call: string;
  readonly refusal: Pick<Refusal, 'code' | 'params'>;
  /** The subject of the call, besides the refusal's parameters. */
  readonly about?: Readonly<Record<string, Plain>>;
  readonly context: Pick<CommandContext, 'organizationId' | 'actor' | 'correlationId'> &
    Partial<Pick<CommandContext, 'sourceAddress'>>;
};

const NOT_UNDERSTOOD = [400, 413, 415];
const LEFT_OUT: readonly string[] = [ValidationFailed.code, OrganizationQueueFull.code];

/** Whether the audit log records a refusal: malformed calls, full queues and faults are left out. */
export const isAudited = ({ code, status }: Pick<Refusal, 'code' | 'status'>) =>
  !LEFT_OUT.includes(code) && status < 500 && !NOT_UNDERSTOOD.includes(status);
