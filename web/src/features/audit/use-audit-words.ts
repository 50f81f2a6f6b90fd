import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useTranslation } from 'react-i18next';

const SHORT_ID_LENGTH = 8;

/** How entries of the audit log are told in the chosen language. What is unknown tells itself. */
export function useAuditWords() {
  const { t } = useTranslation('audit');
  const actorKind = (kind: string) =>
    t(`log.actors.${kind}` as 'log.actors.worker', { defaultValue: kind });
  return {
    actorKind,
    kind: (kind: string) => t(`log.kinds.${kind}` as 'log.kinds.agent', { defaultValue: kind }),
    event: (type: string) =>
      t(`log.events.${type}` as 'log.events.AgentCreated', { defaultValue: type }),
    field: (name: string) => t(`log.fields.${name}` as 'log.fields.amount', { defaultValue: name }),
    actor: ({ kind, name }: AuditEntry['actor']) =>
      name ?? (kind === 'member' ? t('formerMember') : actorKind(kind)),
    object: ({ kind, id, name }: AuditEntry['object']) =>
      name ??
      t('log.object', {
        kind: t(`log.objects.${kind}` as 'log.objects.agent', { defaultValue: kind }),
        id: id.slice(-SHORT_ID_LENGTH),
      }),
  };
}
