import { AgentInput, AgentModelInput } from '@tallyhand/contracts/features/agents/agents.fields';
import { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import { ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { z } from 'zod';

/** In the order in which they are made: an agent needs the others. */
export const KINDS = ['article', 'playbook', 'tool', 'agent'] as const;
export type Kind = (typeof KINDS)[number];

export const ASSIGNED = ['articles', 'playbooks', 'tools'] as const;
export type Assigned = (typeof ASSIGNED)[number];
export const kindOf = (assigned: Assigned) => assigned.slice(0, -1) as Kind;

/** The folder of the kind's files, which is also its name in the plural. */
export const folderOf = (kind: Kind) => `${kind}s`;

export const nameField = (kind: Kind) =>
  kind === 'article' || kind === 'playbook' ? 'title' : 'name';

const names = (what: string) =>
  z
    .array(z.string(`A name in ${what} must be a text`).trim(), `${what} must be a list of names`)
    .transform((list) => [...new Set(list)].toSorted())
    .default([]);

const CONNECTION = 'connection must be the name of a connection, or null for the built-in engine';
const TWO_CONNECTIONS = 'Write connection, the name, or connectionId, and not both';
/** Of a model in files: the name of its connection. Its id is read too, as older files have it. */
const connection = {
  connection: z.string(CONNECTION).trim().min(1, CONNECTION).nullable().optional(),
  connectionId: AgentModelInput.shape.connectionId.optional(),
};
const hasOneConnection = (model: { connection?: unknown; connectionId?: unknown }) =>
  (model.connection === undefined) !== (model.connectionId === undefined);
const Fallback = z
  .strictObject({ ...connection, model: AgentModelInput.shape.model })
  .refine(hasOneConnection, TWO_CONNECTIONS);
const Model = z
  .strictObject(
    {
      ...connection,
      ...AgentModelInput.omit({ connectionId: true, fallback: true }).shape,
      fallback: Fallback.nullable().default(null),
    },
    'The model must be an object',
  )
  .refine(hasOneConnection, TWO_CONNECTIONS);

/** The rules of the files: those of the API, and names in place of ids. No file has a secret. */
export const fileSchemas = {
  article: ArticleInput,
  playbook: PlaybookInput,
  tool: ToolInput.omit({ authCredentials: true }).extend({ credentials: names('credentials') }),
  agent: AgentInput.extend({
    model: Model.nullable().default(null),
    articles: names('articles'),
    playbooks: names('playbooks'),
    tools: names('tools'),
  }),
} as const;

export type Fields = Readonly<Record<string, unknown>>;

/** An object as a file describes it, or as Tallyhand has it. */
export type Item = {
  readonly kind: Kind;
  readonly name: string;
  /** As the API takes them. */
  readonly fields: Fields;
  /** Of an agent: names. */
  readonly assigned: Readonly<Record<Assigned, readonly string[]>> | null;
  /** Of a tool: the names of its credentials, never their values. */
  readonly credentials: readonly string[];
};

/** The item of a file's content, which keeps the rules. */
export function itemOf(kind: Kind, content: Fields): Item {
  const { articles, playbooks, tools, credentials, ...fields } = content;
  const isAgent = kind === 'agent';
  const assigned = isAgent && ({ articles, playbooks, tools } as Record<Assigned, string[]>);
  return {
    kind,
    name: String(fields[nameField(kind)]),
    fields,
    assigned: assigned || null,
    credentials: (credentials as string[] | undefined) ?? [],
  };
}
