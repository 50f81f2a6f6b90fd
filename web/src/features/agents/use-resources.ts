import type { Assignments } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import type { Resource } from './resource-picker.tsx';

export type Resources = Readonly<Record<keyof Assignments, readonly Resource[]>>;

/** All that can be assigned to an agent, as soon as everything is loaded. */
export function useResources(): { data?: Resources; error?: unknown; refetch: () => void } {
  const { t } = useTranslation('agents');
  const articles = useListArticlesQuery();
  const playbooks = useListPlaybooksQuery();
  const tools = useListToolsQuery();
  const refetch = () => {
    for (const list of [articles, playbooks, tools]) if (list.error) void list.refetch();
  };
  if (!articles.data || !playbooks.data || !tools.data) {
    return { error: articles.error ?? playbooks.error ?? tools.error, refetch };
  }
  return {
    refetch,
    data: {
      articles: articles.data.map(({ id, title, tags, isPublic }) => {
        return { id, title, tags, ...(isPublic && { note: t('assign.public') }) };
      }),
      playbooks: playbooks.data.map(({ id, title, tags }) => ({ id, title, tags })),
      tools: tools.data.map(({ id, name, type }) => {
        return { id, title: name, tags: [t(`assign.toolTypes.${type}`)] };
      }),
    },
  };
}
