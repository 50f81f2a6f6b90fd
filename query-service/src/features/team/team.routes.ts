import {
  invitationSubject,
  readInvitationSubject,
} from '@tallyhand/contracts/features/team/invitation-token';
import {
  getInvitationByToken,
  getInvitationLink,
  type Invitation,
  type InvitationLink,
  listInvitations,
  listMembers,
  listOutbox,
  type OutgoingMail,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { InvitationNotValid } from '@tallyhand/contracts/features/team/team.refusals';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import {
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readMembers,
  readOutbox,
} from '@tallyhand/read-models/features/team/team.tables';
import { openMail } from '@tallyhand/service-kit/crypto/sealed-box';
import { signToken, verifyToken } from '@tallyhand/service-kit/crypto/tokens';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, pageOf, route } from '../../kernel/route.ts';
import { runRead } from '../../kernel/run-read.ts';

/** The expiry is checked separately, to distinguish expired invitations from forged ones. */
const AT_ANY_TIME = new Date(0);

export function teamRoutes(app: FastifyInstance, context: QueryContext) {
  const { signingKey } = context.settings;
  listRoute(app, context, listMembers, { read: readMembers });
  listRoute(app, context, listInvitations, { read: readInvitations });

  const withTokens = { holdsSecrets: true } as const;
  route(app, context, getInvitationLink, withTokens, async ({ read }) => {
    const result = await read(readInvitationLink, {});
    if (isRefusal(result)) return result;
    if (result.body === null) return { kind: 'rows', body: 'null' };
    const link = await withToken(context, JSON.parse(result.body) as StoredLink);
    return { kind: 'rows', body: JSON.stringify(link) };
  });

  const options = { what: 'invitation' };
  route(app, context, getInvitationByToken, options, async ({ params }) => {
    const subject = await verifyToken(signingKey, 'invitation', params.token, AT_ANY_TIME);
    const named = subject === null ? null : readInvitationSubject(subject);
    if (!named) return { kind: 'rows', body: null };
    const { organizationId, invitationId: id, number } = named;
    const result = await runRead(context.lines, readInvitationById, organizationId, null, { id });
    if (isRefusal(result) || result.body === null) return result;
    const { status, resent, ...leadsTo } = JSON.parse(result.body) as StoredInvitation;
    if (status !== 'pending') {
      return InvitationNotValid({ reason: status === 'accepted' ? 'used' : status });
    }
    if (resent !== number) return InvitationNotValid({ reason: 'replaced' });
    return { kind: 'rows', body: JSON.stringify(leadsTo) };
  });

  route(app, context, listOutbox, withTokens, async (call) => {
    const result = await pageOf(call, listOutbox.path, (page) => call.read(readOutbox, page));
    if (isRefusal(result) || result.body === null) return result;
    const mails = (JSON.parse(result.body) as StoredMail[]).map(({ sealed, ...mail }) => {
      const { to, subject, text } = openMail(context.box, mail.id, Buffer.from(sealed, 'base64'));
      return { ...mail, to, subject, text };
    });
    return { kind: 'rows', body: JSON.stringify(mails) };
  });
}

type StoredInvitation = {
  readonly organizationName: string;
  readonly role: Role;
  readonly status: Invitation['status'];
  readonly resent: number;
};
type StoredMail = Omit<OutgoingMail, 'to' | 'subject' | 'text'> & { readonly sealed: string };
type StoredLink = Omit<InvitationLink, 'token' | 'url'> & { readonly organizationId: string };

/** The token is not stored: the same claims give the same token. */
async function withToken(
  { settings }: QueryContext,
  { organizationId, ...link }: StoredLink,
): Promise<InvitationLink> {
  const token = await signToken(settings.signingKey, 'invitation', {
    subject: invitationSubject({ organizationId, invitationId: link.id, number: 0 }),
    expiresAt: new Date(link.expiresAt),
  });
  return { ...link, token, url: `${settings.publicUrl}/auth?invite=${token}` };
}
