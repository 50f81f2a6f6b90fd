import {
  openTicket,
  sendContactMessage,
} from '@tallyhand/contracts/features/support/support.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import { type Support, ticketNumberOf } from './support.ts';

/** For each IP address: enough for a person, too little for a flood. */
const MESSAGES_LIMIT = { max: 10, timeWindow: '1 hour' };

export type SupportContext = { readonly kit: Kit; readonly support: Support };

/** Public calls. Programs that fill in the hidden field `fax` get the usual answer, without effect. */
export function supportRoutes(app: FastifyInstance, { kit, support }: SupportContext) {
  const options = { limit: MESSAGES_LIMIT };

  route(app, kit, sendContactMessage, options, async ({ body, caller, context }) => {
    if (body.fax) return { id: idFor(context, 'contact') };
    return { id: await support.receive(context, caller, body) };
  });
  route(app, kit, openTicket, options, async ({ body, caller, context }) => {
    if (body.fax) return { ticketNumber: ticketNumberOf(context.commandId, 0) };
    const ticketNumber = await support.open(context, caller, body);
    return isRefusal(ticketNumber) ? ticketNumber : { ticketNumber };
  });
}
