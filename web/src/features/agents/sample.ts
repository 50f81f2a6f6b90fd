import {
  type Agent,
  type Assignments,
  assignResources,
  createAgent,
  deleteAgent,
  getAssignments,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { AgentInput, ResourceKind } from '@tallyhand/contracts/features/agents/agents.fields';
import {
  type Article,
  createArticle,
  deleteArticle,
  listArticles,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { ArticleInput } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import {
  createPlaybook,
  deletePlaybook,
  listPlaybooks,
  type Playbook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import type { PlaybookInput } from '@tallyhand/contracts/features/playbooks/playbooks.fields';
import {
  createTool,
  deleteTool,
  listTools,
  type Tool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { ToolInput } from '@tallyhand/contracts/features/tools/tools.fields';
import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import { LIST_LENGTH_MAX } from '@tallyhand/contracts/kernel/lists';
import type { z } from 'zod';
import {
  type AnswerMeta,
  type AnyEndpoint,
  type ArgOf,
  type Call,
  call,
} from '../../app/base-query.ts';
import { fullPage } from '../../app/pages.ts';
import type { CallProblem } from '../../app/problem.ts';

/**
 * What each object of the sample data is marked with, the same in every language: a tag of articles
 * and playbooks, an area of expertise of the agent, and the name of one of the tool's `extras`.
 */
export const MARKS = {
  returns: 'sample:returns',
  shipping: 'sample:shipping',
  playbook: 'sample:playbook',
  tool: 'sample:tool',
  agent: 'sample:agent',
} as const;

export type PieceName = keyof typeof MARKS;

/** In the order of creation: the agent may use all that comes before it. */
export const PIECES = Object.keys(MARKS) as readonly PieceName[];

type Contents = {
  returns: z.input<typeof ArticleInput>;
  shipping: z.input<typeof ArticleInput>;
  playbook: z.input<typeof PlaybookInput>;
  tool: z.input<typeof ToolInput>;
  agent: z.input<typeof AgentInput>;
};

const KINDS = {
  returns: 'articles',
  shipping: 'articles',
  playbook: 'playbooks',
  tool: 'tools',
} as const satisfies Record<Exclude<PieceName, 'agent'>, ResourceKind>;

/** Writes nothing and reads nothing: the tool needs no network and no credentials. */
const SCRIPT = `const days = Number(input.days ?? 3);
const date = new Date(input.from ?? Date.now());
for (let left = days; left > 0; ) {
  date.setUTCDate(date.getUTCDate() + 1);
  if (date.getUTCDay() % 6 !== 0) left -= 1;
}
return date.toISOString().slice(0, 10);`;

type Texts = {
  agent: Pick<z.input<typeof AgentInput>, 'name' | 'description'> & {
    role: string;
    personality: string;
    expertise: readonly string[];
  };
  returns: { title: string; content: string };
  shipping: { title: string; content: string };
  playbook: { title: string; description: string; steps: readonly string[] };
  tool: { name: string; description: string };
};

/** The objects of the sample data in the language of the texts. */
export function contentsOf({ agent, returns, shipping, playbook, tool }: Texts): Contents {
  const { name, description, role, personality, expertise } = agent;
  const [category = ''] = expertise;
  return {
    returns: { ...returns, category, tags: [...expertise, MARKS.returns] },
    shipping: { ...shipping, category, tags: [shipping.title, MARKS.shipping] },
    playbook: {
      ...playbook,
      steps: [...playbook.steps],
      category,
      tags: [...expertise, MARKS.playbook],
      estimatedDuration: 10,
    },
    tool: { ...tool, type: 'custom', config: { extras: { script: SCRIPT, [MARKS.tool]: 'yes' } } },
    agent: {
      name,
      description,
      personaConfig: {
        role,
        personality,
        expertise: [...expertise, MARKS.agent],
        communicationStyle: 'friendly',
        responseFormat: 'concise',
      },
      isActive: true,
    },
  };
}

/** An object of the sample data. */
export type Piece = {
  piece: PieceName;
  id: string;
  name: string;
  version: number;
  /** Of the agent: pausing it is no change. */
  isActive?: boolean;
  /** A member has changed it, so that it stays. */
  isChanged: boolean;
};

type Answer =
  | { data: unknown; error?: undefined; meta?: AnswerMeta }
  | { data?: undefined; error: CallProblem; meta?: AnswerMeta };
export type Ask = (call: Call) => Answer | PromiseLike<Answer>;

/** A call was refused, or not answered. */
export class Refused extends Error {
  readonly problem: CallProblem;
  constructor(problem: CallProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

async function made(ask: Ask, request: Call): Promise<unknown> {
  const answer = await ask(request);
  if (answer.error) throw new Refused(answer.error);
  return answer.data;
}

async function listed<Entry>(ask: Ask, endpoint: AnyEndpoint, filter: object): Promise<Entry[]> {
  const found = await fullPage<Entry>(LIST_LENGTH_MAX, null, (page) =>
    ask(call(endpoint, { ...filter, ...page } as ArgOf<AnyEndpoint>)),
  );
  if ('error' in found) throw new Refused(found.error);
  return found.data.entries;
}

/** Fewer of its own are no change: the pieces can be deleted one by one. */
async function hasOtherResources(ask: Ask, id: string, own: ReadonlySet<string>) {
  const { articles, playbooks, tools } = (await made(ask, call(getAssignments, id))) as Assignments;
  return [...articles, ...playbooks, ...tools].some((each) => !own.has(each));
}

/** The organization's sample data, added by any member. Throws `Refused`. */
export async function findSample(ask: Ask): Promise<Piece[]> {
  const [returns, shipping, playbooks, tools, agents] = await Promise.all([
    listed<Article>(ask, listArticles, { tag: MARKS.returns }),
    listed<Article>(ask, listArticles, { tag: MARKS.shipping }),
    listed<Playbook>(ask, listPlaybooks, { tag: MARKS.playbook }),
    listed<Tool>(ask, listTools, { type: 'custom' }),
    listed<Agent>(ask, listAgents, { q: MARKS.agent }),
  ]);
  const pieceOf = (piece: PieceName, id: string, name: string, version: number): Piece => ({
    piece,
    id,
    name,
    version,
    isChanged: version > 1,
  });
  const pieces = [
    ...returns.map(({ id, title, version }) => pieceOf('returns', id, title, version)),
    ...shipping.map(({ id, title, version }) => pieceOf('shipping', id, title, version)),
    ...playbooks.map(({ id, title, version }) => pieceOf('playbook', id, title, version)),
    ...tools
      .filter(({ config }) => Object.hasOwn(config.extras, MARKS.tool))
      .map(({ id, name, version }) => pieceOf('tool', id, name, version)),
  ];
  const own = new Set(pieces.map(({ id }) => id));
  for (const { id, name, version, isActive, personaConfig } of agents) {
    if (!personaConfig.expertise.includes(MARKS.agent)) continue;
    const agent = pieceOf('agent', id, name, version);
    const isChanged = agent.isChanged || (await hasOtherResources(ask, id, own));
    pieces.push({ ...agent, isActive, isChanged });
  }
  return pieces;
}

/**
 * Adds the missing sample data, and returns the id of its agent. Pieces that exist already, from an
 * earlier attempt or another member, are not added again. Throws `Refused`.
 */
export async function addSample(ask: Ask, contents: Contents): Promise<string> {
  const there = await findSample(ask);
  const uses: Assignments = { articles: [], playbooks: [], tools: [], version: 0 };
  let isNew = false;
  const ensured = async (piece: Exclude<PieceName, 'agent'>, creation: Call) => {
    const known = there.find((each) => each.piece === piece);
    isNew ||= !known;
    const { id } = known ?? ((await made(ask, creation)) as { id: string });
    uses[KINDS[piece]].push(id);
  };
  await ensured('returns', call(createArticle, contents.returns));
  await ensured('shipping', call(createArticle, contents.shipping));
  await ensured('playbook', call(createPlaybook, contents.playbook));
  await ensured('tool', call(createTool, contents.tool));
  const { articles, playbooks, tools } = uses;
  const agent = there.find(({ piece }) => piece === 'agent');
  if (!agent) {
    const body = { ...contents.agent, articles, playbooks, tools };
    return ((await made(ask, call(createAgent, body))) as { id: string }).id;
  }
  if (isNew) {
    const has = (await made(ask, call(getAssignments, agent.id))) as Assignments;
    const both = (kind: ResourceKind) => [...new Set([...has[kind], ...uses[kind]])];
    const all = { articles: both('articles'), playbooks: both('playbooks'), tools: both('tools') };
    await made(ask, call(assignResources, { id: agent.id, ...all }));
  }
  return agent.id;
}

const REMOVALS: Record<PieceName, AnyEndpoint> = {
  returns: deleteArticle,
  shipping: deleteArticle,
  playbook: deletePlaybook,
  tool: deleteTool,
  agent: deleteAgent,
};

/**
 * Deletes the pieces that no member has changed, also in the meantime; the agent first, so that it
 * never answers without its articles. What another member has deleted is done. Throws `Refused`.
 */
export async function removeSample(ask: Ask, pieces: readonly Piece[]): Promise<null> {
  for (const piece of pieces.toReversed()) {
    if (piece.isChanged) continue;
    const deletion = call(REMOVALS[piece.piece], piece.id as ArgOf<AnyEndpoint>);
    const { error } = await ask({ ...deletion, ifMatch: entityTag(piece) });
    if (error && error.status !== 404) throw new Refused(error);
  }
  return null;
}
