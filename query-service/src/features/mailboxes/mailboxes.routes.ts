import {
  listAllMailboxes,
  listMailboxes,
  listMailboxMails,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { agents } from '@tallyhand/read-models/features/agents/agents.tables';
import {
  readAllMailboxes,
  readMailbox,
  readMailboxes,
  readMailboxMails,
} from '@tallyhand/read-models/features/mailboxes/mailboxes.tables';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, pageOf, route } from '../../kernel/route.ts';

export function mailboxesRoutes(app: FastifyInstance, context: QueryContext) {
  listRoute(app, context, listAllMailboxes, { read: readAllMailboxes });
  route(app, context, listMailboxes, { what: 'agent' }, async (call) => {
    const { id } = call.params;
    const agent = await call.read(agents.one, { id });
    if (isRefusal(agent) || agent.body === null) return agent;
    return pageOf(call, pathOf(listMailboxes, call.params), (page) =>
      call.read(readMailboxes, { agent: id, ...page }),
    );
  });
  route(app, context, listMailboxMails, { what: 'mailbox' }, async (call) => {
    const { id } = call.params;
    const mailbox = await call.read(readMailbox, { id });
    if (isRefusal(mailbox) || mailbox.body === null) return mailbox;
    return pageOf(call, pathOf(listMailboxMails, call.params), (page) =>
      call.read(readMailboxMails, { mailbox: id, ...page }),
    );
  });
}
