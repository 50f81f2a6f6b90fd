import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** The rules of one kind of stream, pure: time and ids arrive in the commands. */
export type Decider<
  State,
  Command extends EventValue,
  Event extends EventValue,
  Refused extends Refusal = Refusal,
> = {
  initialState(): State;
  /** The events to append, none when there is nothing to do, or a refusal. */
  decide(command: Command, state: State): readonly Event[] | Refused;
  /** May change `state` and return it: replaying stays linear. `at`: when it was recorded. */
  evolve(state: State, event: Event, at: string): State;
};
