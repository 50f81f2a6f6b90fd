import { AUDIT_KINDS } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useTranslation } from 'react-i18next';
import { exactTime } from '../../ui/time.tsx';
import { useListMembersQuery } from '../team/team.api.ts';
import { FILTER_NAMES } from './audit-filter.ts';
import { useAuditWords } from './use-audit-words.ts';

const SHORT_ID_LENGTH = 8;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** Tells a filter of the audit log as one line; nothing where all entries are meant. */
export function useFilterWords() {
  const { t, i18n } = useTranslation('audit');
  const words = useAuditWords();
  const { data: members = [] } = useListMembersQuery();

  const timeOf = (value: string) =>
    DAY.test(value)
      ? new Date(`${value}T00:00:00`).toLocaleDateString(i18n.language, { dateStyle: 'medium' })
      : exactTime(value, i18n.language);
  const wordOf = (name: string, value: string) => {
    switch (name) {
      case 'actor':
        return members.find(({ id }) => id === value)?.username ?? words.actorKind(value);
      case 'kind':
        return AUDIT_KINDS.some((kind) => kind === value) ? words.kind(value) : words.event(value);
      case 'object':
        return value.slice(-SHORT_ID_LENGTH);
      case 'from':
      case 'to':
        return timeOf(value);
      default:
        return value;
    }
  };
  return (filter: Readonly<Record<string, string | undefined>>) =>
    FILTER_NAMES.flatMap((name) => {
      const value = filter[name];
      return value ? [t(`exports.filter.${name}`, { value: wordOf(name, value) })] : [];
    }).join(' · ');
}
