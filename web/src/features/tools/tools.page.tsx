import { createTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Plus, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Deletions } from '../audit/deletions.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { DeleteToolDialog } from './delete-tool-dialog.tsx';
import { TestToolDialog } from './test-tool-dialog.tsx';
import { ToolCard } from './tool-card.tsx';
import { ToolDialog } from './tool-dialog.tsx';
import { ToolHistoryDialog } from './tool-history-dialog.tsx';
import { ToolTypes } from './tool-types.tsx';
import { useListToolsQuery } from './tools.api.ts';
import type { ToolsOverlay } from './tools-overlay.ts';

const SKELETONS = 6;

/** `?history=ID` opens the history of one. */
export function ToolsPage() {
  const { t } = useTranslation('tools');
  const { role } = useCurrentUser();
  const [overlay, setOverlay] = useState<ToolsOverlay>();
  const [historyId, setHistoryId] = useSearchParam('history');
  useTitle(t('title'));
  const mayKeep = mayCall(role, createTool);
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          mayKeep && (
            <Button variant="primary" onClick={() => setOverlay({ kind: 'create' })}>
              <Plus aria-hidden />
              {t('add')}
            </Button>
          )
        }
      />
      <ToolTypes />
      <ToolGrid open={mayKeep ? setOverlay : undefined} showHistory={setHistoryId} />
      {mayKeep && <Deletions kind="tools" showHistory={setHistoryId} />}
      <Overlay overlay={overlay} close={() => setOverlay(undefined)} />
      {historyId && (
        <ToolHistoryDialog id={historyId} canRestore={mayKeep} close={() => setHistoryId('')} />
      )}
    </Page>
  );
}

type ToolGridProps = {
  open?: (overlay: ToolsOverlay) => void;
  showHistory: (id: string) => void;
};

function ToolGrid({ open, showHistory }: ToolGridProps) {
  const { t } = useTranslation('tools');
  const { data: tools, error, refetch } = useListToolsQuery();
  const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';
  if (!tools && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!tools) {
    return (
      <Loading label={t('loading')} className={grid}>
        <Skeletons count={SKELETONS} className="h-48 rounded-lg" />
      </Loading>
    );
  }
  if (tools.length === 0) {
    return (
      <EmptyState
        icon={Wrench}
        title={t('empty.title')}
        description={open ? t('empty.description') : t('empty.forOthers')}
      />
    );
  }
  return (
    <ul aria-label={t('list')} className={grid}>
      {tools.map((tool) => (
        <li key={tool.id} className="min-w-0">
          <ToolCard tool={tool} open={open} onHistory={() => showHistory(tool.id)} />
        </li>
      ))}
    </ul>
  );
}

function Overlay({ overlay, close }: { overlay?: ToolsOverlay; close: () => void }) {
  switch (overlay?.kind) {
    case undefined:
      return null;
    case 'create':
      return <ToolDialog close={close} />;
    case 'edit':
      return <ToolDialog tool={overlay.tool} close={close} />;
    case 'test':
      return <TestToolDialog tool={overlay.tool} close={close} />;
    case 'delete':
      return <DeleteToolDialog tool={overlay.tool} close={close} />;
  }
}
