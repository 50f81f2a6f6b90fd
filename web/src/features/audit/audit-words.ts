import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useTranslation } from 'react-i18next';
import { linesOf } from './history-rows.ts';

const SHORT_ID_LENGTH = 8;

/** Fields of events whose values are codes, which have words. */
const CODED = [
  'action',
  'category',
  'cause',
  'decision',
  'format',
  'kind',
  'outcome',
  'priority',
  'provider',
  'purpose',
  'rating',
  'reason',
  'role',
  'taskType',
  'testOutcome',
  'workType',
];

/** The words for entries of the audit log. An unknown code is shown as it is. */
export function useAuditWords() {
  const { t } = useTranslation('audit');
  const actorKind = (kind: string) =>
    t(`log.actors.${kind}` as 'log.actors.worker', { defaultValue: kind });
  const field = (name: string) =>
    t(`log.fields.${name}` as 'log.fields.amount', { defaultValue: name });
  const code = (of: string, text: string) =>
    CODED.includes(of)
      ? t(`log.values.${text}` as 'log.values.error', { defaultValue: text })
      : text;
  const event = (type: string) =>
    t(`log.events.${type}` as 'log.events.AgentCreated', { defaultValue: type });
  /** The lines of a value. Those of an object begin with the names of its fields. */
  function value(of: string, shown: AuditEntry['changes'][number]['after']): string[] {
    if (of === 'events') return linesOf(shown, event);
    if (typeof shown === 'boolean') return [t(shown ? 'values.true' : 'values.false')];
    if (typeof shown !== 'object' || shown === null || Array.isArray(shown)) {
      return linesOf(shown, (text) => code(of, text));
    }
    return Object.entries(shown).map(
      ([name, one]) => `${field(name)}: ${value(name, one).join('\n')}`,
    );
  }
  return {
    actorKind,
    field,
    value,
    kind: (kind: string) => t(`log.kinds.${kind}` as 'log.kinds.agent', { defaultValue: kind }),
    event,
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
