import { NoSuchVersion } from '@tallyhand/contracts/kernel/change-refusals';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from './app.ts';
import type { CommandContext } from './context.ts';
import type { Kept, KeptCommand, KeptDecider } from './kept-decider.ts';
import { decodeEvent } from './stored-states.ts';
import { streamsOf } from './streams.ts';

const LOADED_AT_ONCE = 32;

/** Who asks, in the name of which organization. */
type Call = { readonly organizationId: string; readonly context: CommandContext };

/** The commands of a kind of kept object, as routes use them. */
export function keptObjects<F extends object, E extends EventValue, C extends EventValue = never>(
  kit: Kit,
  decider: KeptDecider<F, E, C>,
) {
  const streams = streamsOf(decider, kit.streams);
  const { what } = decider;

  async function send(id: string, command: KeptCommand<F> | C, context: CommandContext) {
    const answer = await streams.send(id, command, context);
    if (isRefusal(answer)) return answer;
    return answer.state ?? NotFound({ what });
  }

  /** Null for what is another organization's, deleted, or not there. */
  async function find(id: string, organizationId: string): Promise<Kept<F> | null> {
    const object = await streams.load(id);
    return object?.organizationId === organizationId && !object.isDeleted ? object : null;
  }

  /** Of these ids, those that are no such object of the organization. */
  async function unknown(ids: readonly string[], organizationId: string): Promise<string[]> {
    const found: string[] = [];
    for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
      const some = ids.slice(from, from + LOADED_AT_ONCE);
      const objects = await Promise.all(some.map((id) => find(id, organizationId)));
      found.push(...some.filter((_, i) => !objects[i]));
    }
    return found;
  }

  return {
    find,
    unknown,
    send,
    create: (id: string, fields: F, { organizationId, context }: Call) =>
      send(id, { type: 'Create', data: { id, organizationId, fields } }, context),
    change: (id: string, change: Partial<F>, { organizationId, context }: Call) =>
      send(id, { type: 'Change', data: { organizationId, change } }, context),
    async remove(id: string, { organizationId, context }: Call): Promise<Refusal | undefined> {
      const answer = await send(id, { type: 'Delete', data: { organizationId } }, context);
      return isRefusal(answer) ? answer : undefined;
    },
    /** Takes a deletion back; with a version, its fields become the newest. */
    async restore(id: string, version: number | undefined, { organizationId, context }: Call) {
      if (version === undefined) {
        return send(id, { type: 'Restore', data: { organizationId } }, context);
      }
      const present = await streams.load(id);
      if (present?.organizationId !== organizationId) return NotFound({ what });
      const fields = await fieldsOfVersion(kit, decider, id, version);
      if (!fields) return NoSuchVersion({ what, version });
      const data = { organizationId, older: { version, fields } };
      return send(id, { type: 'Restore', data }, context);
    },
  };
}

/** What an object held in one of its versions, from its own events. */
async function fieldsOfVersion<F extends object, E extends EventValue, C extends EventValue>(
  { streams }: Kit,
  decider: KeptDecider<F, E, C>,
  id: string,
  version: number,
): Promise<F | null> {
  let object: Kept<F> | null = null;
  let found: F | null = null;
  for await (const stored of streams.eventLog.read(`${decider.category}-${id}`, 0n)) {
    object = decider.evolve(object, decodeEvent(decider, stored), stored.envelope.recordedAt);
    if (object?.version === version) found = object.fields;
  }
  return found;
}
