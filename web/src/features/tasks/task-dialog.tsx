import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { asProblem } from '../../app/problem.ts';
import { Banner } from '../../ui/banner.tsx';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { SourceList } from '../../ui/source-list.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { TaskMetadata } from './task-metadata.tsx';
import { TaskStatus } from './task-status.tsx';
import { useGetTaskQuery } from './tasks.api.ts';

/** One task: what was asked, what came of it, and what it cost and why. */
export function TaskDialog({ id, close }: { id: string; close: () => void }) {
  const { t } = useTranslation('tasks');
  const { currentData: task, error, refetch } = useGetTaskQuery(id);
  // An address that is no id is refused with 422, which means the same to a person.
  const missing = error && [404, 422].includes(asProblem(error).status);
  return (
    <Dialog open onOpenChange={close} size="wide" title={t('detail.title')}>
      <DialogBody>
        {task && <TaskParts task={task} />}
        {!task && missing && <Banner tone="warning">{t('detail.notFound')}</Banner>}
        {!task && error && !missing && <LoadFailed error={error} onRetry={refetch} />}
        {!task && !error && (
          <Loading label={t('detail.loading')} className="flex flex-col gap-3">
            <Skeletons count={5} className="h-6" />
          </Loading>
        )}
      </DialogBody>
    </Dialog>
  );
}

type Part = 'input' | 'output' | 'metadata';

function TaskParts({ task }: { task: TaskDetail }) {
  const { t, i18n } = useTranslation('tasks');
  const [part, setPart] = useState<Part>(task.status === 'queued' ? 'input' : 'output');
  return (
    <>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Fact name={t('detail.agent')}>{task.agentName ?? t('unknownAgent')}</Fact>
        <Fact name={t('detail.status')}>
          <TaskStatus status={task.status} />
        </Fact>
        <Fact name={t('detail.type')}>{t(`types.${task.type}`)}</Fact>
        <Fact name={t('detail.creditsUsed')}>{task.creditCost.toLocaleString(i18n.language)}</Fact>
      </dl>
      <Tabs
        value={part}
        onChange={setPart}
        label={t('detail.tabs.label')}
        // The dialog keeps its place when a shorter part is chosen.
        className="sm:min-h-80"
        tabs={[
          { value: 'input', label: t('detail.tabs.input') },
          { value: 'output', label: t('detail.tabs.output') },
          { value: 'metadata', label: t('detail.tabs.metadata') },
        ]}
      >
        <TabPanel value="input">
          <p className="break-words whitespace-pre-wrap">{task.input || t('detail.noInput')}</p>
        </TabPanel>
        <TabPanel value="output" className="flex flex-col gap-4">
          <TaskOutput task={task} />
        </TabPanel>
        <TabPanel value="metadata">
          <TaskMetadata task={task} />
        </TabPanel>
      </Tabs>
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="mt-0.5 truncate">{children}</dd>
    </div>
  );
}

function TaskOutput({ task }: { task: TaskDetail }) {
  const { t } = useTranslation('tasks');
  if (task.status === 'failed') {
    return (
      <Banner tone="danger" title={t('detail.error')}>
        {task.errorMessage || t('detail.unknownError')}
      </Banner>
    );
  }
  return (
    <>
      <p className="max-w-[68ch] break-words whitespace-pre-wrap">
        {task.output || t('detail.noOutput')}
      </p>
      {task.sources.length > 0 && <SourceList title={t('detail.sources')} sources={task.sources} />}
    </>
  );
}
