import { useTranslation } from 'react-i18next';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import type { VersionedKind } from './audit.api.ts';

const SHORT_ID_LENGTH = 8;

/** How the fields of a history and their values are called in the chosen language. */
export function useHistoryWords(kind: VersionedKind) {
  const { t } = useTranslation(['audit', 'agents']);
  // Only an agent's history speaks of other objects, by their ids.
  const skip = kind !== 'agents';
  const articles = useListArticlesQuery(undefined, { skip });
  const playbooks = useListPlaybooksQuery(undefined, { skip });
  const tools = useListToolsQuery(undefined, { skip });
  const names: Readonly<Record<string, ReadonlyMap<string, string> | undefined>> = {
    articles: articles.data && new Map(articles.data.map(({ id, title }) => [id, title])),
    playbooks: playbooks.data && new Map(playbooks.data.map(({ id, title }) => [id, title])),
    tools: tools.data && new Map(tools.data.map(({ id, name }) => [id, name])),
  };
  return {
    /** A field that has no word of its own yet is called as the API calls it. */
    fieldName: (field: string) =>
      t(`fields.${field.replace('.', '_')}` as 'fields.title', { defaultValue: field }),
    valueName: (field: string, value: string): string => {
      switch (field) {
        case 'isPublic':
        case 'isActive':
          return t(`values.${value}` as 'values.true', { defaultValue: value });
        case 'personaConfig.communicationStyle':
          return t(`agents:form.styles.${value}` as 'agents:form.styles.formal', {
            defaultValue: value,
          });
        case 'personaConfig.responseFormat':
          return t(`agents:form.formats.${value}` as 'agents:form.formats.concise', {
            defaultValue: value,
          });
        case 'articles':
        case 'playbooks':
        case 'tools':
          return names[field]?.get(value) ?? t('unknown', { id: value.slice(-SHORT_ID_LENGTH) });
        default:
          return value;
      }
    },
  };
}
