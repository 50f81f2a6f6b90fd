import { AUDIT_KINDS } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { useTranslation } from 'react-i18next';
import { dateFormat } from '../../ui/formats.ts';
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

  const timeOf = (value: string) => {
    const isDay = DAY.test(value);
    const at = new Date(isDay ? `${value}T00:00:00` : value);
    // An address may name what is no time.
    if (Number.isNaN(at.valueOf())) return value;
    if (!isDay) return exactTime(value, i18n.language);
    return dateFormat(i18n.language, { dateStyle: 'medium' }).format(at);
  };
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
