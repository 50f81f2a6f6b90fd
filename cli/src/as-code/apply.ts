import type { ChangeOptions, Tallyhand } from '@tallyhand/client';
import { type Credentials, givenTo } from './credentials.ts';
import { ASSIGNED, type Fields, folderOf, type Item, type Kind, kindOf } from './kinds.ts';
import type { Change } from './plan.ts';
import type { Present } from './present.ts';

type Made = {
  readonly id: string;
  readonly credentialNames?: readonly string[];
  readonly credentialsRequired?: { readonly names: readonly string[] } | null;
};
/** The calls that every kind has. */
type Calls = {
  create(body: Fields): Promise<Made>;
  update(id: string, body: Fields, options: ChangeOptions): Promise<Made>;
  delete(id: string, options: ChangeOptions): Promise<void>;
};

/** Makes changes one after the other, and knows the ids of what it made. */
export class Applier {
  readonly #client: Tallyhand;
  readonly #present: Present;
  readonly #credentials: Credentials;
  readonly #made = new Map<string, Made>();

  constructor(client: Tallyhand, present: Present, credentials: Credentials) {
    this.#client = client;
    this.#present = present;
    this.#credentials = credentials;
  }

  async apply(change: Change): Promise<void> {
    const { item } = change;
    const calls = this.#callsOf(item.kind);
    switch (change.action) {
      case 'create':
        await this.create(item);
        return;
      case 'update': {
        const { present, fields, isReassigned } = change;
        const values = this.#present.connections.withIds(item.fields);
        const body = {
          ...Object.fromEntries(fields.map((name) => [name, values[name]])),
          ...(isReassigned && this.#assignedIds(item)),
          ...(change.droppedCredentials.length > 0 && this.#secretsOf(item)),
        };
        const options = { ifMatch: present.tag };
        this.#made.set(keyOf(item), await calls.update(present.id, body, options));
        return;
      }
      case 'delete':
        await calls.delete(change.item.id, { ifMatch: change.item.tag });
    }
  }

  async create(item: Item): Promise<Made> {
    const body = {
      ...this.#present.connections.withIds(item.fields),
      ...this.#assignedIds(item),
      ...this.#secretsOf(item),
    };
    const made = await this.#callsOf(item.kind).create(body);
    this.#made.set(keyOf(item), made);
    return made;
  }

  /** The names of the credentials that the tool of a file has no values for. */
  missingCredentials(item: Item): string[] {
    const made = this.#made.get(keyOf(item));
    const present = this.#present.named(item.kind, item.name);
    const stored = made?.credentialNames ?? present?.credentials ?? [];
    const required = made
      ? (made.credentialsRequired?.names ?? [])
      : (present?.credentialsRequired ?? []);
    const wanted = new Set([...item.credentials, ...required]);
    return [...wanted].filter((name) => !stored.includes(name)).toSorted();
  }

  #assignedIds({ assigned }: Item): Fields {
    if (!assigned) return {};
    return Object.fromEntries(
      ASSIGNED.map((field) => [
        field,
        assigned[field].map((name) => this.#idOf(kindOf(field), name)),
      ]),
    );
  }

  #secretsOf(item: Item): Fields {
    const authCredentials = givenTo(item, this.#credentials);
    return Object.keys(authCredentials).length > 0 ? { authCredentials } : {};
  }

  #idOf(kind: Kind, name: string): string {
    const id = this.#made.get(keyOf({ kind, name }))?.id ?? this.#present.named(kind, name)?.id;
    if (id === undefined) throw new Error(`The ${kind} "${name}" is gone`);
    return id;
  }

  #callsOf(kind: Kind): Calls {
    return this.#client[folderOf(kind) as 'agents'] as unknown as Calls;
  }
}

const keyOf = ({ kind, name }: { readonly kind: Kind; readonly name: string }) => `${kind} ${name}`;
