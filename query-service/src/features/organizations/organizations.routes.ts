import {
  getOrganization,
  getOrganizationStats,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { getRetention } from '@tallyhand/contracts/features/organizations/retention.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { readOrganizationAsOf } from '@tallyhand/read-models/features/audit/as-of';
import {
  readOrganization,
  readOrganizationStats,
} from '@tallyhand/read-models/features/organizations/organizations.tables';
import { readRetention } from '@tallyhand/read-models/features/organizations/retention.tables';
import type { FastifyInstance } from 'fastify';
import { placeOf } from '../../kernel/as-of.ts';
import type { QueryContext } from '../../kernel/context.ts';
import { oneRoute, route } from '../../kernel/route.ts';

export function organizationsRoutes(app: FastifyInstance, context: QueryContext) {
  route(app, context, getOrganization, async (call) => {
    if (call.query.asOf === undefined) return call.read(readOrganization, {});
    const place = await placeOf(call, call.query.asOf);
    if (isRefusal(place)) return place;
    const { sequence, ledger } = place;
    return call.read(readOrganizationAsOf, { sequence, ledger });
  });
  oneRoute(app, context, getOrganizationStats, readOrganizationStats);
  oneRoute(app, context, getRetention, readRetention);
}
