import type { Actor } from '@tallyhand/contracts/kernel/envelope';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';

/** The context of a command: who, when, and why. */
export type CommandContext = {
  readonly organizationId: string | null;
  readonly actor: Actor;
  /** Derived from the idempotency key where there is one: a repeat finds its own work. */
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

/** The id of something that a command makes: the same again when the command is repeated. */
export const idFor = ({ commandId }: CommandContext, what: string) => derivedId(commandId, what);
