import { startAuditExport } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import { changeAuditPublishing } from '@tallyhand/contracts/features/audit/audit-publishing.endpoints';
import {
  endLogStream,
  setLogStream,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { noteObservations } from '@tallyhand/contracts/features/audit/observations.endpoints';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { internalRoute } from '@tallyhand/service-kit/http/internal-app';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyInstance } from 'fastify';
import type { PgBoss } from 'pg-boss';
import type { Kit } from '../../kit/app.ts';
import { newestKnown } from '../../kit/caller.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import { actorOf, route } from '../../kit/route.ts';
import { auditStream } from './audit.decider.ts';
import { requestExport } from './audit-exports.ts';
import { LogStreams } from './log-streams.ts';
import { membersAmong } from './publish-checkpoints.ts';

/** Observations of services that only read. */
export function observationsRoutes(
  app: FastifyInstance,
  observe: (observation: Observation) => void | Promise<void>,
) {
  internalRoute(app, noteObservations, async ({ body }) => {
    await Promise.all(body.observations.map(observe));
    return undefined;
  });
}

type ReadRefused = Extract<Observation, { kind: 'read-refused' }>;
type AuditorRead = Extract<Observation, { kind: 'auditor-read' }>;

/**
 * Records observations of reads. Returns at once and never throws, except for the read of an Auditor,
 * which has its event when the promise resolves.
 */
export function observerOf(kit: Kit) {
  const { pool, vault, lastSeen, recordRefused, recordAuditor, recordKeyUse, log } = kit;

  async function takeIn({ credentialId, isKey, ...read }: ReadRefused | AuditorRead) {
    const { rows } = await pool.query<{ user_id: string; organization_id: string }>(
      'select user_id, organization_id from operational.authenticate($1)',
      [credentialId],
    );
    const caller = rows[0];
    if (!caller) {
      // It was signed out, or its access ended, while it was answered.
      if (read.kind === 'auditor-read') throw new Error('The sign-in of an Auditor has ended');
      return;
    }
    const { user_id: userId, organization_id: organizationId } = caller;
    const { call, address, correlationId } = read;
    const kind = isKey ? 'api-key' : 'member';
    const actor = actorOf({ kind, userId, signInId: credentialId });
    const sourceAddress = await vault.encrypt(userId, organizationId, address);
    const context = { organizationId, correlationId, actor, sourceAddress };
    if (read.kind === 'auditor-read') return recordAuditor({ call, params: read.params, context });
    recordRefused({ call, refusal: read.refusal, context });
  }
  return (observation: Observation): void | Promise<void> => {
    if (observation.kind === 'seen') {
      const { signInId, at } = observation;
      lastSeen.add({ signInId, at: new Date(at) });
      return;
    }
    if (observation.kind === 'key-used') {
      void recordKeyUse(observation.credentialId, observation.count);
      return;
    }
    if (observation.kind === 'auditor-read') return takeIn(observation);
    takeIn(observation).catch((error) =>
      log.error('a refused read was not recorded', errorFields(error)),
    );
  };
}

/** Each reads the whole log. */
const LIMIT = { max: 20, timeWindow: '1 hour' };
/** Each looks up a foreign name. */
const STREAM_LIMIT = { max: 60, timeWindow: '1 minute' };

export function auditRoutes(
  app: FastifyInstance,
  context: { readonly kit: Kit; readonly boss: PgBoss },
) {
  const options = { limit: LIMIT };
  const { kit } = context;
  route(app, kit, startAuditExport, options, async (call) => {
    const asked = { wanted: call.body, known: newestKnown(kit, call.reply.request) };
    return requestExport(context, call.caller, call.context, asked);
  });
  const audits = kit.streams.of(auditStream);
  route(app, kit, changeAuditPublishing, async ({ body, caller: { organizationId }, context }) => {
    const { every, mailTo } = body;
    const members = await membersAmong(kit, organizationId, mailTo);
    const unknown = mailTo.findIndex((id) => !members.has(id));
    if (unknown !== -1) {
      const message = 'No member has this id';
      return ValidationFailed({ summary: `${message}.` }, [{ path: `mailTo.${unknown}`, message }]);
    }
    const data = { organizationId, every, mailTo };
    await audits.send(organizationId, { type: 'ChangePublishing', data }, context);
    return { every, mailTo };
  });
  const logStreams = new LogStreams(kit, outboundPolicyOf(kit.settings));
  route(app, kit, setLogStream, { limit: STREAM_LIMIT }, ({ body, caller, context }) =>
    logStreams.set(context, caller.organizationId, body),
  );
  route(app, kit, endLogStream, ({ caller, context }) =>
    logStreams.end(context, caller.organizationId),
  );
}
