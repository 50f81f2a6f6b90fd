import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { Wrench } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ResourceGrid } from '../../app/resource-list.tsx';
import { type ResourceActions, ResourcePage } from '../../app/resource-page.tsx';
import { TestToolDialog } from './test-tool-dialog.tsx';
import { ToolCard } from './tool-card.tsx';
import { ToolDialog } from './tool-dialog.tsx';
import { ToolTypes } from './tool-types.tsx';
import { useListToolsQuery } from './tools.api.ts';

export type ToolActions = ResourceActions<Tool, 'test'>;

export function ToolsPage() {
  const { t } = useTranslation('tools');
  const query = useListToolsQuery();
  return (
    <ResourcePage
      kind="tools"
      query={query}
      create={createTool}
      title={t('title')}
      description={t('description')}
      createLabel={t('add')}
      intro={<ToolTypes />}
      list={(actions) => (
        <ResourceGrid
          query={query}
          label={t('list')}
          loading={t('loading')}
          skeleton="h-48 rounded-lg"
          empty={{
            icon: Wrench,
            title: t('empty.title'),
            description: actions.mayChange ? t('empty.description') : t('empty.forOthers'),
          }}
        >
          {(tool) => <ToolCard tool={tool} {...actions} />}
        </ResourceGrid>
      )}
      form={(tool, close) => <ToolDialog tool={tool} close={close} />}
      dialogs={{ test: (tool, close) => <TestToolDialog tool={tool} close={close} /> }}
      history={(tool) => ({
        title: tool ? t('history.title', { name: tool.name }) : t('history.untitled'),
        description: t('history.description'),
      })}
    />
  );
}
