import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import {
  connectMailbox,
  disconnectMailbox,
  type MailboxTest,
  pauseMailbox,
  resumeMailbox,
  sendReplyAgain,
  testMailbox as testMailboxCall,
  testNewMailbox,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import type { MailboxAccess } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/caller.ts';
import { route } from '../../kit/route.ts';
import { accessOf, type Mailboxes } from './mailboxes.ts';
import { MailFailure } from './sources/mail-failure.ts';
import { trySmtp } from './sources/mail-server.ts';
import type { OutboundMailConfig } from './sources/mail-source.ts';
import { openSource } from './sources/open-source.ts';

/** Tests send requests to foreign servers. */
const TEST_LIMIT = { max: 20, timeWindow: '1 minute' };

export type MailboxesContext = {
  readonly kit: Kit;
  readonly mailboxes: Mailboxes;
  readonly outbound: OutboundMailConfig;
  readonly findAgent: (id: string, organizationId: string) => Promise<object | null>;
};

export function mailboxesRoutes(app: FastifyInstance, context: MailboxesContext) {
  const { kit, mailboxes, outbound, findAgent } = context;
  const options = { what: 'mailbox' };

  route(app, kit, connectMailbox, { what: 'agent' }, async ({ caller, context, params, body }) => {
    const { organizationId, userId: by } = caller;
    const agentId = params.id;
    if (!(await findAgent(agentId, organizationId))) return NotFound({ what: 'agent' });
    return mailboxes.connect(context, { organizationId, agentId, by, input: body });
  });

  const testing = { ...options, limit: TEST_LIMIT };
  route(app, kit, testNewMailbox, testing, ({ body, reply }) =>
    testMailbox(accessOf(body), outbound, closeSignal(reply)),
  );
  route(app, kit, testMailboxCall, testing, async ({ caller, params, reply }) => {
    const state = await mailboxes.find(params.id, caller.organizationId);
    if (isRefusal(state)) return state;
    const { credentialsId = '' } = state.connection ?? {};
    const access = await mailboxes.readAccess(params.id, credentialsId);
    return testMailbox(access, outbound, closeSignal(reply));
  });

  route(app, kit, pauseMailbox, options, ({ caller, context, params }) => {
    const { organizationId, userId: by } = caller;
    return mailboxes.pause(context, { organizationId, id: params.id, by });
  });
  route(app, kit, resumeMailbox, options, ({ caller, context, params }) => {
    const { organizationId, userId: by } = caller;
    return mailboxes.resume(context, { organizationId, id: params.id, by });
  });
  route(app, kit, disconnectMailbox, options, async ({ caller, context, params }) => {
    const { organizationId, userId: by } = caller;
    const refused = await mailboxes.disconnect(context, { organizationId, id: params.id, by });
    return refused ?? undefined;
  });
  route(app, kit, sendReplyAgain, { what: 'mail' }, async ({ caller, context, params }) => {
    const { organizationId, userId: by } = caller;
    const { id } = params;
    const refused = await mailboxes.sendAgain(context, { organizationId, by, mailId: id });
    return refused ?? { id, state: 'waiting' as const };
  });
}

const TEST_MS_MAX = 14_000;

/** Signs in to fetch and to send, and reports which of them works. Reads and sends nothing. */
export async function testMailbox(
  access: MailboxAccess,
  outbound: OutboundMailConfig,
  outer: AbortSignal,
): Promise<MailboxTest> {
  const signal = withDeadline(outer, outbound.testMsMax ?? TEST_MS_MAX);
  const [fetch, send] = await Promise.all([
    outcomeOf(async () => (await openSource(access, outbound, signal)).close()),
    access.provider !== 'gmail' && access.smtp
      ? outcomeOf(() => trySmtp(access.smtp as never, outbound.policy, signal))
      : null,
  ]);
  return { fetch, send: access.provider === 'gmail' ? fetch : send };
}

async function outcomeOf(work: () => Promise<void>): Promise<MailboxTest['fetch']> {
  try {
    await work();
    return { works: true, error: null, code: null };
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    return { works: false, error: error.message, code: error.code };
  }
}
