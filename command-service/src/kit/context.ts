import type { Actor } from '@tallyhand/contracts/kernel/envelope';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';

/** The actor, time and cause of a command. */
export type CommandContext = {
  readonly organizationId: string | null;
  readonly actor: Actor;
  /** Derived from the idempotency key, if any, so that a repeat finds its own work. */
  readonly commandId: string;
  readonly correlationId: string;
  readonly causationId: string | null;
  readonly sourceAddress?: Ciphertext;
  readonly now: Date;
  /** Its id was created for it: this command was never sent before. */
  readonly isFirst?: true;
  /** The first process of this very call has died, and may have carried it out. */
  readonly isTakenUp?: true;
};

/** The id of something that a command creates. A repeated command gives the same id. */
export const idFor = ({ commandId }: CommandContext, what: string) => derivedId(commandId, what);

/** The context of a command that no call has caused. */
export const backgroundContext = (
  kind: 'worker' | 'reaction',
  organizationId: string | null,
  ids: Partial<Pick<CommandContext, 'commandId' | 'correlationId' | 'causationId'>> = {},
): CommandContext => ({
  organizationId,
  actor: { kind },
  commandId: newId(),
  correlationId: newId(),
  causationId: null,
  now: new Date(),
  ...ids,
});
