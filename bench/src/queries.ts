import { deepStrictEqual } from 'node:assert';
import {
  type Agent,
  createAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { agentInput, cookieOf, registerOrganization } from '../../test-kit/src/api-client.ts';
import { startSides } from './agents-sides.ts';
import { openCaller } from './http-caller.ts';
import { loadFor, percentile } from './load.ts';
import { type Row, ratio, row } from './table.ts';

const AGENTS = 100;
const LIST_LENGTH = 20;
const CLIENTS = 16;
const WARM_UP_MS = 2_000;
const ROUND_MS = 3_000;
const ROUNDS = 3;

/** P6: reads with sign-in and tenant isolation, against the same row and list without either. */
export async function measureQueries(): Promise<Row[]> {
  await using sides = await startSides();
  const { client } = await registerOrganization(sides.productUrl, 'sign-in only');
  for (let agent = 0; agent < AGENTS; agent += 1) {
    const { status } = await client.call(createAgent, { body: agentInput });
    if (status !== 201) throw new Error(`An agent answered ${status}`);
  }
  const { body: agents } = await client.call<Agent[]>(listAgents);
  for (const agent of agents) await giveToBare(sides.bareUrl, agent);
  const cookie = cookieOf(client);
  const signedIn = { base: `${sides.productUrl}/api`, headers: { cookie } };
  const bare = { base: sides.bareUrl, headers: {} };
  const id = agents[0]?.id ?? '';
  const one = await compare(signedIn, bare, `/agents/${id}`, agents[0]);
  const path = `/agents?limit=${LIST_LENGTH}`;
  const list = await compare(signedIn, bare, path, agents.slice(0, LIST_LENGTH));
  return [...rowsOf('one agent', one), ...rowsOf(`a list of ${LIST_LENGTH}`, list)];
}

const rowsOf = (what: string, { ours, theirs }: Compared): Row[] => [
  row(`reads/s with sign-in and isolation, ${what}, ${CLIENTS} clients`, ours.toFixed(0)),
  row('bare Fastify and pg, the same answer: reads/s', theirs.toFixed(0)),
  row(`P6 reads against bare, ${what}`, ratio(ours, theirs), '0.70; 0.85'),
];

async function giveToBare(url: string, agent: Agent) {
  const { status } = await fetch(`${url}/agents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(agent),
  });
  if (status !== 201) throw new Error(`The bare route answered ${status}`);
}

/** One moment is written in more than one way. */
const momentsOf = (answer: unknown) =>
  JSON.parse(JSON.stringify(answer), (name, value) =>
    name === 'createdAt' || name === 'updatedAt' ? Date.parse(value) : value,
  );

type Side = { readonly base: string; readonly headers: Readonly<Record<string, string>> };
type Compared = { readonly ours: number; readonly theirs: number };

/** Both in turns; the medians of reads a second. Every side's last answers are looked at. */
async function compare(ours: Side, theirs: Side, path: string, expected: unknown) {
  using opened = new DisposableStack();
  const both = await Promise.all(
    [ours, theirs].map(async ({ base, headers }) => {
      const open = () => openCaller(base + path, 'GET', headers);
      const callers = await Promise.all(Array.from({ length: CLIENTS }, open));
      for (const caller of callers) opened.use(caller);
      return { callers, rounds: [] as number[] };
    }),
  );
  const run = async ({ callers }: (typeof both)[number], forMs: number) => {
    const bodies: string[] = [];
    const { perSecond } = await loadFor(CLIENTS, forMs, async (_, client) => {
      bodies[client] = (await callers[client]?.call()) ?? '';
    });
    for (const body of bodies) deepStrictEqual(momentsOf(JSON.parse(body)), momentsOf(expected));
    return perSecond;
  };
  for (const side of both) await run(side, WARM_UP_MS);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of both) side.rounds.push(await run(side, ROUND_MS));
  }
  const [first = 0, second = 0] = both.map(({ rounds }) => percentile(rounds, 0.5));
  return { ours: first, theirs: second };
}
