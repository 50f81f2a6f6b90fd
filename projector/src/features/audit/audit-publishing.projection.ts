import { auditEvents } from '@tallyhand/contracts/features/audit/audit.events';
import { auditPublishingModel } from '@tallyhand/read-models/features/audit/audit-publishing.tables';
import { projection } from '../../kernel/projection.ts';

export const auditPublishingProjection = projection({
  model: auditPublishingModel,
  kinds: auditEvents,
  on: {
    CheckpointPublishingChanged: (tx, { organizationId, every, mailTo }) =>
      tx
        .insertInto('audit_publishing')
        .values({
          organization_id: organizationId,
          every,
          mail_to: mailTo,
          last_at: null,
          last_size: null,
        })
        .onConflict((conflict) =>
          conflict.column('organization_id').doUpdateSet({ every, mail_to: mailTo }),
        )
        .execute(),
    CheckpointPublished: (tx, { organizationId, size }, { at }) =>
      tx
        .updateTable('audit_publishing')
        .set({ last_at: at, last_size: size })
        .where('organization_id', '=', organizationId)
        .execute(),
    CallRefused: 'ignored',
    AuditLogExported: 'ignored',
    ApiKeyUsed: 'ignored',
    AuditorCalled: 'ignored',
    LogStreamSet: 'ignored',
    LogStreamEnded: 'ignored',
    LogStreamFailing: 'ignored',
  },
});
