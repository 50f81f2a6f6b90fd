import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import {
  getInvitationByToken,
  getInvitationLink,
  type InvitationLink,
  listInvitations,
  listMembers,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import {
  readInvitationById,
  readInvitationLink,
  readInvitations,
  readMembers,
} from '@tallyhand/read-models/features/team/team.tables';
import { signToken, verifyToken } from '@tallyhand/service-kit/crypto/tokens';
import type { FastifyInstance } from 'fastify';
import type { QueryContext } from '../../kernel/context.ts';
import { listRoute, route } from '../../kernel/route.ts';
import { runRead } from '../../kernel/run-read.ts';

export function teamRoutes(app: FastifyInstance, context: QueryContext) {
  const { signingKey } = context.settings;
  listRoute(app, context, listMembers, { allow: 'member', read: readMembers });
  listRoute(app, context, listInvitations, { allow: ADMINS, read: readInvitations });

  route(app, context, getInvitationLink, { allow: ADMINS }, async ({ read }) => {
    const result = await read(readInvitationLink, {});
    if (isRefusal(result)) return result;
    if (result.body === null) return { kind: 'rows', body: 'null' };
    const link = await withToken(context, JSON.parse(result.body) as StoredLink);
    return { kind: 'rows', body: JSON.stringify(link) };
  });

  const options = { allow: 'anyone', what: 'invitation' } as const;
  route(app, context, getInvitationByToken, options, async ({ params }) => {
    const subject = await verifyToken(signingKey, 'invitation', params.token, new Date());
    const [organizationId, id] = subject?.split('.') ?? [];
    if (!organizationId || !id) return { kind: 'rows', body: null };
    return runRead(context, readInvitationById, organizationId, null, { id });
  });
}

type StoredLink = Omit<InvitationLink, 'token' | 'url'> & { readonly organizationId: string };

/** The token is kept nowhere: the same claims give the same token again. */
async function withToken(
  { settings }: QueryContext,
  { organizationId, ...link }: StoredLink,
): Promise<InvitationLink> {
  const token = await signToken(settings.signingKey, 'invitation', {
    subject: `${organizationId}.${link.id}`,
    expiresAt: new Date(link.expiresAt),
  });
  return { ...link, token, url: `${settings.publicUrl}/auth?invite=${token}` };
}
