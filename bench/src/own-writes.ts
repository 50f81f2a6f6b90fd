import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { AT_LEAST_HEADER, POSITION_HEADER } from '@tallyhand/service-kit/http/cookies';
import { agentInput, cookieOf, registerOrganization } from '../../test-kit/src/api-client.ts';
import { startSides } from './agents-sides.ts';
import { openLoop } from './load.ts';
import { ms, type Row, ratio, row, times } from './table.ts';

const COMMANDS_A_SECOND = 200;
const WARM_UP_CALLS = 1_000;
const CALLS = 3_000;
const ORGANIZATIONS = 10;

/** P4: a command and the read of its effect, at a steady rate, however many are waiting. */
export async function measureOwnWrites(): Promise<Row[]> {
  await using sides = await startSides();
  const { productUrl: url, bareUrl } = sides;
  const registered = await Promise.all(
    Array.from({ length: ORGANIZATIONS }, () => registerOrganization(url, 'sign-in only')),
  );
  const cookies = registered.map(({ client }) => cookieOf(client));
  const ours = await run((index) =>
    writeAndRead(`${url}${pathOf(createAgent)}`, agentInput, {
      cookie: cookies[index % ORGANIZATIONS] ?? '',
    }),
  );
  const bare = await run(() => {
    const at = new Date().toISOString();
    const made = { id: newId(), isActive: true, version: 1, createdAt: at, updatedAt: at };
    const chosen = { model: null, formPolicy: 'ask' };
    return writeAndRead(`${bareUrl}/agents`, { ...agentInput, ...made, ...chosen }, {});
  });
  return [
    row(`POST then GET of what it did, ${COMMANDS_A_SECOND} a second: p50, p99`, times(ours)),
    row('bare Fastify, commit and upsert, then GET: p50, p99', times(bare)),
    row('P4 read of the own write: p99', ms(ours.p99Ms), '25 ms; 10 ms'),
    row('P4 read of the own write against bare: p50', ratio(ours.p50Ms, bare.p50Ms), '2.5; 1.5'),
  ];
}

async function run(call: (index: number) => Promise<void>) {
  await openLoop(COMMANDS_A_SECOND, WARM_UP_CALLS, call);
  return openLoop(COMMANDS_A_SECOND, CALLS, call);
}

/** Rejects unless the read gives what the command answered. */
async function writeAndRead(url: string, body: object, headers: Readonly<Record<string, string>>) {
  const written = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const agent = (await written.json()) as Agent;
  const position = written.headers.get(POSITION_HEADER);
  const read = await fetch(`${url}/${agent.id}`, {
    headers: { ...headers, ...(position ? { [AT_LEAST_HEADER]: position } : {}) },
  });
  const found = (await read.json()) as Agent;
  const isRight = written.status === 201 && read.status === 200 && found.id === agent.id;
  if (!isRight) throw new Error(`A write answered ${written.status}, its read ${read.status}`);
}
