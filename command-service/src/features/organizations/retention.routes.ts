import {
  changeRetention,
  liftLegalHold,
  placeLegalHold,
} from '@tallyhand/contracts/features/organizations/retention.endpoints';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { route } from '../../kit/route.ts';
import type { Organizations } from './organizations.ts';

type RetentionContext = { readonly kit: Kit; readonly organizations: Organizations };

/** How long personal data of former members is kept, and the legal hold. */
export function retentionRoutes(app: FastifyInstance, { kit, organizations }: RetentionContext) {
  route(app, kit, changeRetention, async ({ caller: { organizationId }, context, body }) => {
    const data = { organizationId, ...body };
    const refused = await organizations.retain(context, { type: 'ChangeRetentionRule', data });
    return refused ?? body;
  });
  route(app, kit, placeLegalHold, async ({ caller: { organizationId }, context, body }) => {
    const data = { organizationId, ...body };
    const refused = await organizations.retain(context, { type: 'PlaceLegalHold', data });
    return refused ?? body;
  });
  route(app, kit, liftLegalHold, async ({ caller: { organizationId }, context }) => {
    const data = { organizationId };
    const refused = await organizations.retain(context, { type: 'LiftLegalHold', data });
    return refused ?? undefined;
  });
}
