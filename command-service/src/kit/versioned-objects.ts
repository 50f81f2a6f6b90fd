import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { NoSuchVersion, type VersionedCalls } from '@tallyhand/contracts/kernel/versioned-object';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Kit } from './app.ts';
import type { CommandContext } from './context.ts';
import { type MemberCall, route } from './route.ts';
import type { Streams } from './streams.ts';
import { presentIn, type Versioned, type VersionedCommand } from './versioned-object.decider.ts';

const LOADED_AT_ONCE = 32;

/** The organization, role and context of a command. */
export type Sender = {
  readonly organizationId: string;
  readonly role: Role;
  readonly context: CommandContext;
  /** The entity tags of the states that a change may be made to; absent for any. */
  readonly ifMatch?: readonly string[] | undefined;
};
/** Without a role, it is not checked again when the change is decided. */
type Organization = Omit<Sender, 'role'> & Partial<Pick<Sender, 'role'>>;

type VersionedStreams<F extends object, C extends EventValue> = Pick<
  Streams<Versioned<F> | null, VersionedCommand<F> | C, EventValue>,
  'send' | 'load' | 'replay'
>;

/** One kind of versioned object: its commands, and how other features find objects. */
export class VersionedObjects<F extends object, C extends EventValue = never> {
  /** The kind's name in the singular, as refusals name it. */
  readonly noun: string;
  readonly #streams: VersionedStreams<F, C>;

  constructor(noun: string, streams: VersionedStreams<F, C>) {
    this.noun = noun;
    this.#streams = streams;
  }

  async send(id: string, command: VersionedCommand<F> | C, context: CommandContext) {
    const answer = await this.#streams.send(id, command, context);
    if (isRefusal(answer)) return answer;
    return answer.state ?? NotFound({ what: this.noun });
  }

  /**
   * Null for an object of another organization, a deleted one, or an unknown id. With `since` the
   * object may be as it was at that position.
   */
  async find(id: string, organizationId: string, since?: Position): Promise<Versioned<F> | null> {
    return presentIn(await this.#streams.load(id, since), organizationId);
  }

  /** The object with the fields of one of its versions; null without that version. */
  async findVersion(
    id: string,
    organizationId: string,
    version: number,
    since?: Position,
  ): Promise<Versioned<F> | null> {
    const present = await this.find(id, organizationId, since);
    if (!present || present.version === version) return present;
    const fields = await this.#fieldsOf(id, version);
    return fields && { ...present, version, fields };
  }

  /** The ids without an object in this organization. */
  async unknown(ids: readonly string[], organizationId: string): Promise<string[]> {
    const unknown: string[] = [];
    for (let from = 0; from < ids.length; from += LOADED_AT_ONCE) {
      const some = ids.slice(from, from + LOADED_AT_ONCE);
      const objects = await Promise.all(some.map((id) => this.find(id, organizationId)));
      unknown.push(...some.filter((_, at) => !objects[at]));
    }
    return unknown;
  }

  create(id: string, fields: F, { organizationId, context }: Organization) {
    return this.send(id, { type: 'Create', data: { id, organizationId, fields } }, context);
  }

  change(id: string, change: Partial<F>, { organizationId, role, ifMatch, context }: Organization) {
    const data = { organizationId, role, ifMatch, change };
    return this.send(id, { type: 'Change', data }, context);
  }

  async remove(
    id: string,
    { organizationId, ifMatch, context }: Organization,
  ): Promise<Refusal | undefined> {
    const data = { organizationId, ifMatch };
    const answer = await this.send(id, { type: 'Delete', data }, context);
    return isRefusal(answer) ? answer : undefined;
  }

  /** Undoes a deletion; with a version, its fields become the newest. */
  async restore(
    id: string,
    version: number | undefined,
    { organizationId, role, ifMatch, context }: Organization,
  ) {
    const own = { organizationId, role, ifMatch };
    if (version === undefined) return this.send(id, { type: 'Restore', data: own }, context);
    const what = this.noun;
    const present = await this.#streams.load(id);
    if (present?.organizationId !== organizationId) return NotFound({ what });
    const fields = await this.#fieldsOf(id, version);
    if (!fields) return NoSuchVersion({ what, version });
    const data = { ...own, older: { version, fields } };
    return this.send(id, { type: 'Restore', data }, context);
  }

  async #fieldsOf(id: string, version: number): Promise<F | null> {
    let found: F | null = null;
    for await (const { state } of this.#streams.replay(id)) {
      if (state?.version === version) found = state.fields;
    }
    return found;
  }
}

type Written<F extends object> = Promise<Versioned<F> | Refusal>;

/** Registers the calls that write objects of a kind. `create` and `change` differ by kind. */
export function versionedRoutes<
  F extends object,
  View extends z.ZodType,
  Input extends z.ZodType,
  Change extends z.ZodType,
>(
  app: FastifyInstance,
  kit: Kit,
  calls: Pick<VersionedCalls<View, Input, Change>, 'create' | 'change' | 'remove' | 'restore'>,
  kind: {
    readonly objects: Pick<VersionedObjects<F>, 'noun' | 'remove' | 'restore'>;
    readonly create: (body: z.infer<Input>, by: Sender) => Written<F>;
    readonly change: (id: string, body: z.infer<Change>, by: Sender) => Written<F>;
    /** Runs after an older version or a deleted object has been restored. */
    readonly restored?: (object: Versioned<F>) => Promise<void>;
    readonly view: (object: Versioned<F>) => z.infer<View> | Promise<z.infer<View>>;
  },
): void {
  const { objects, view, restored } = kind;
  const options = { what: objects.noun };
  const answer = (written: Versioned<F> | Refusal) =>
    isRefusal(written) ? written : view(written);

  route(app, kit, calls.create, options, async ({ body, ...call }) =>
    answer(await kind.create(body, senderOf(call))),
  );
  route(app, kit, calls.change, options, async ({ params, body, ...call }) =>
    answer(await kind.change(params.id, body, senderOf(call))),
  );
  route(app, kit, calls.remove, options, ({ params, ...call }) =>
    objects.remove(params.id, senderOf(call)),
  );
  route(app, kit, calls.restore, options, async ({ params, body, ...call }) => {
    const object = await objects.restore(params.id, body.version, senderOf(call));
    if (!isRefusal(object)) await restored?.(object);
    return answer(object);
  });
}

const senderOf = ({
  caller: { organizationId, role },
  context,
  ifMatch,
}: Pick<MemberCall<unknown, unknown>, 'caller' | 'context' | 'ifMatch'>): Sender => ({
  organizationId,
  role,
  context,
  ifMatch,
});
