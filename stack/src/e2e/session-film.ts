import { crc32, deflateSync } from 'node:zlib';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { SessionDetail } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { appendPast, keepImage, seen, sessionEventsOf } from '../testing/past-sessions.ts';
import type { TestProduct } from '../testing/product.ts';

type Own = Parameters<typeof sessionEventsOf>[0];
type Step = ReturnType<ReturnType<typeof sessionEventsOf>['agentStep']>;

/** The ledger entries of a successful step. */
function paid({ organizationId, agentId, userId: memberId }: Own, { data }: Step) {
  const reservationId = data.stepId;
  const terms = {
    organizationId,
    reservationId,
    amount: 1,
    agentId,
    memberId,
    price: 1,
    work: { kind: 'step' as const, id: reservationId },
    workType: 'step' as const,
  };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return [CreditsReserved({ ...terms, expiresAt }), CreditsCharged(terms)];
}

/** The picture of an empty page, as PNG: a screenshot would need a browser's page. */
function emptyPicture(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey for each pixel.
  header[8] = 8;
  // Each line begins with how it is filtered, which is not at all; then all is white.
  const line = Buffer.alloc(width + 1, 0xff);
  line[0] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(height).fill(line)))),
    chunk('IEND', Buffer.of()),
  ]);
}

/** A session that ended after five steps; the third was a member's, the fourth has a picture. */
export async function filmedSession({ url, config }: TestProduct) {
  const { client, user } = await registerOrganization(url);
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const organizationId = user.organization.id;
  const own = { organizationId, userId: user.id, agentId: agent.body.id };
  const image = await keepImage(config, organizationId, emptyPicture(1_280, 800));
  const events = sessionEventsOf(own, 'Compare the plans');
  const { sessionId: id } = events;
  const finding = { text: 'S costs 4 EUR', url: 'https://plans.example/prices' };
  const charged = [
    events.agentStep(1),
    events.agentStep(4, { screenshots: [image], input: 'p'.repeat(60) }),
    events.agentStep(5, { action: 'note', finding }),
  ] as const;
  const [first, fourth, fifth] = charged;
  const ledger = charged.flatMap((step) => paid(own, step));
  await appendPast(config, `ledger-${organizationId}`, organizationId, ledger);
  await appendPast(config, `session-${id}`, organizationId, [
    events.requested,
    events.started(),
    first,
    events.agentStep(2, { success: false, creditsUsed: 0, output: 'The page did not answer.' }),
    events.takenOver,
    events.personStep(3),
    events.handedBack,
    fourth,
    fifth,
    events.completed,
  ]);
  const isWhole = ({ session, steps }: SessionDetail) =>
    session.status === 'completed' && session.totalCreditsUsed === 3 && steps.length === 5;
  await seen(client, id, isWhole);
  return { id, client, user };
}
