import type { EventReader, EventValue } from '@tallyhand/contracts/kernel/messages';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { canonicalJson, linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { NewEvent } from '@tallyhand/service-kit/event-store/event-log';
import { storable } from '@tallyhand/service-kit/storable';
import type { CommandContext } from './context.ts';
import { readerOf, type StreamPolicy } from './stream-policy.ts';

/** The event store accepts appends of up to 1 MiB. */
const APPEND_BYTES_MAX = 512 * 1024;

export type Sent<C> = { readonly command: C; readonly context: CommandContext };

/** The state after the decided events. `head`: the hash of the newest link of a chain. */
export type Decidable<S> = { state: S; head: string };

/**
 * Decides commands in order, each on the state after the one before, until an append is full: then
 * there are fewer answers than commands.
 */
export function decideAll<S, C extends EventValue, E extends EventValue, R extends Refusal>(
  policy: StreamPolicy<S, C, E, R>,
  stream: string,
  entry: Decidable<S>,
  batch: readonly Sent<C>[],
): { answers: (readonly E[] | R)[]; events: NewEvent[] } {
  const { decider } = policy;
  const events: NewEvent[] = [];
  const answers: (readonly E[] | R)[] = [];
  let bytes = 0;
  for (const { command, context } of batch) {
    const decided = storable(decider.decide(command, entry.state));
    if (!isRefusal(decided)) {
      const unlinked = decided.map((event, index) => {
        const { version } = readerOf(policy, event.type);
        return toNewEvent(stream, command.type, index, { ...event, version }, context);
      });
      if (batch.length > 1) bytes += bytesOf(unlinked);
      if (bytes > APPEND_BYTES_MAX && events.length > 0) break;
      const stored = policy.isChained ? unlinked.map((event) => linkTo(entry, event)) : unlinked;
      for (const event of decided) {
        entry.state = decider.evolve(entry.state, event, context.now.toISOString());
      }
      events.push(...stored);
    }
    answers.push(decided);
  }
  return { answers, events };
}

const bytesOf = (events: readonly NewEvent[]) =>
  events.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(events));

/** Makes an event the next link of its stream's chain. */
function linkTo(entry: Decidable<unknown>, event: NewEvent): NewEvent {
  const prev = entry.head;
  const hash = linkHash(prev, event);
  entry.head = hash;
  return { ...event, envelope: { ...event.envelope, link: { prev, hash } } };
}

function toNewEvent(
  stream: string,
  command: string,
  index: number,
  { type, data, version }: EventValue & Pick<EventReader, 'version'>,
  context: CommandContext,
): NewEvent {
  const { organizationId, actor, correlationId, causationId, commandId, sourceAddress } = context;
  return {
    // Derived from the content, so that only an identical event counts as a repeat. An attempt with
    // other content is a conflict, and is decided again on the current state.
    id: derivedId(commandId, stream, command, String(index), canonicalJson(data)),
    type,
    data,
    envelope: {
      schemaVersion: version,
      organizationId,
      actor,
      correlationId,
      causationId,
      commandId,
      ...(sourceAddress ? { sourceAddress } : {}),
      recordedAt: context.now.toISOString(),
    },
  };
}
