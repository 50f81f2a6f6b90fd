import type { Agent, Tallyhand } from '@tallyhand/client';
import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import type { z } from 'zod';
import { CommandError, EXIT } from '../kit/failures.ts';
import { allOf, nameOf } from '../kit/named.ts';
import { Connections } from './connections.ts';
import {
  ASSIGNED,
  type Assigned,
  fileSchemas,
  folderOf,
  type Item,
  itemOf,
  KINDS,
  type Kind,
  kindOf,
} from './kinds.ts';

/** An object that Tallyhand has. */
export type PresentItem = Item & {
  readonly id: string;
  /** The state that was read: a change of another one is refused. */
  readonly tag: string;
  /** Why credentials were deleted, and which; null if none are missing. */
  readonly credentialsRequired: readonly string[] | null;
};

const PAGE = 200;

/** Everything that files describe, as Tallyhand has it. */
export class Present {
  readonly items: readonly PresentItem[];
  readonly connections: Connections;

  constructor(items: readonly PresentItem[], connections = new Connections([])) {
    this.items = items;
    this.connections = connections;
  }

  /** The object with this name. Throws if several have it. */
  named(kind: Kind, name: string): PresentItem | undefined {
    const found = this.items.filter((one) => one.kind === kind && one.name === name);
    if (found.length > 1) throw sharedName(found);
    return found[0];
  }

  /** Throws if objects share a name: files could not tell them apart. */
  refuseSharedNames(): void {
    for (const one of this.items) this.named(one.kind, one.name);
    this.connections.refuseSharedNames(this.items);
  }
}

function sharedName(found: readonly PresentItem[]) {
  const [{ kind, name } = { kind: 'agent' as const, name: '' }] = found;
  const ids = found.map(({ id }) => `  ${id}`).join('\n');
  return new CommandError(
    EXIT.refused,
    `${found.length} ${folderOf(kind)} have the name "${name}". Rename or delete all but one:\n${ids}`,
  );
}

export async function readPresent(client: Tallyhand): Promise<Present> {
  const items: PresentItem[] = [];
  const limit = PAGE;
  for await (const one of client.articles.list({ limit })) {
    const whole = one.truncated ? await client.articles.retrieve(one.id) : one;
    items.push(presentItem('article', whole));
  }
  for await (const one of client.playbooks.list({ limit }))
    items.push(presentItem('playbook', one));
  for await (const one of client.tools.list({ limit })) {
    const { credentialNames, credentialsRequired } = one;
    items.push({
      ...presentItem('tool', { ...one, credentials: credentialNames }),
      credentialsRequired: credentialsRequired?.names ?? null,
    });
  }
  const connections = new Connections(await allOf(client.connections.list({ limit })));
  for (const agent of await allOf(client.agents.list({ limit }))) {
    const assigned = await assignedNames(client, agent, items);
    const item = presentItem('agent', { ...agent, ...assigned });
    items.push({ ...item, fields: connections.named(item.fields) });
  }
  return new Present(items, connections);
}

type Viewed = {
  readonly version: number;
  readonly isActive?: boolean;
  readonly id: string;
  readonly name?: string;
  readonly title?: string;
  readonly credentials?: readonly string[];
};

/** The fields that files have, of what the API shows. */
function presentItem(kind: Kind, viewed: Viewed): PresentItem {
  const schema = fileSchemas[kind];
  const fields = new Map<string, z.ZodType>(Object.entries(schema.shape));
  // A policy that was never set is null, which a file leaves out.
  const isKept = ([name, value]: [string, unknown]) =>
    fields.has(name) && (value !== null || fields.get(name)?.safeParse(null).success);
  const content = Object.fromEntries(Object.entries(viewed).filter(isKept));
  // What was written under older rules may break those of today.
  const { data = content } = schema.safeParse(content);
  const item = itemOf(kind, data);
  return {
    ...item,
    name: nameOf(viewed),
    id: viewed.id,
    tag: entityTag(viewed),
    credentialsRequired: null,
  };
}

async function assignedNames(
  client: Tallyhand,
  { id }: Agent,
  items: readonly PresentItem[],
): Promise<Record<Assigned, string[]>> {
  const ids = await client.agents.assignments.retrieve(id);
  const namesOf = (assigned: Assigned) =>
    items
      .filter((one) => one.kind === kindOf(assigned) && ids[assigned].includes(one.id))
      .map(({ name }) => name)
      .toSorted();
  const [articles, playbooks, tools] = ASSIGNED.map(namesOf);
  return { articles: articles ?? [], playbooks: playbooks ?? [], tools: tools ?? [] };
}

export const inOrder = <T extends { readonly kind: Kind; readonly name: string }>(
  items: readonly T[],
): T[] =>
  items.toSorted(
    (one, other) =>
      KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind) || (one.name < other.name ? -1 : 1),
  );
