import type { Charge } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { ShortId } from '../../ui/icon-button.tsx';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { type RowSteps, SidePanel } from '../../ui/side-panel.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { ExactTime } from '../../ui/time.tsx';
import { AttachedFiles } from '../attachments/attached-files.tsx';
import { EventHistory } from '../audit/event-history.tsx';
import { LedgerEntryLink } from '../credits/ledger-entry-link.tsx';
import { UsageLines } from '../models/usage-lines.tsx';
import { TaskRating, TaskReasons } from '../ratings/rating-buttons.tsx';
import { AnswerActions, AnswerText, EarlierConversation, Reasoning } from './answer.tsx';
import { TaskActionDialog, useTaskAction } from './task-actions.tsx';
import { DecidedApprovals, decidedOf, WaitingApproval } from './task-approvals.tsx';
import { isOpen, type TaskAction } from './task-filter.ts';
import { AgentLink, TaskStatus } from './task-links.tsx';
import { useGetTaskQuery } from './tasks.api.ts';
import { StepList, ToolCallList } from './tool-call-list.tsx';

/** One task: what was asked, what came of it, and what it cost and why. */
export function TaskPanel({
  id,
  show,
  close,
  steps,
}: {
  id: string;
  /** Opens another one in its place. */
  show: (id: string) => void;
  close: () => void;
  steps: RowSteps;
}) {
  const { t } = useTranslation('tasks');
  const { currentData: task, error, refetch } = useGetTaskQuery(id);
  // Kept while the user steps through the tasks.
  const [part, setPart] = useState<Part>();
  // An address that is no id is refused with 422, which means the same to a person.
  const missing = error && [404, 422].includes(asProblem(error).status);
  return (
    <SidePanel rowKey={id} title={t('detail.title')} steps={steps} close={close}>
      <DialogBody>
        {task && <TaskParts task={task} part={part} setPart={setPart} show={show} />}
        {!task && missing && <Banner tone="warning">{t('detail.notFound')}</Banner>}
        {!task && error && !missing && <LoadFailed error={error} onRetry={refetch} />}
        {!task && !error && (
          <Loading label={t('detail.loading')} className="flex flex-col gap-3">
            <Skeletons count={5} className="h-6" />
          </Loading>
        )}
      </DialogBody>
      {task && <Actions key={id} task={task} show={show} />}
    </SidePanel>
  );
}

/** Stops it, or runs it once more. */
function Actions({ task, show }: { task: TaskDetail; show: (id: string) => void }) {
  const { t } = useTranslation('tasks');
  const [asking, setAsking] = useState<TaskAction>();
  const action = useTaskAction(task);
  if (!action && !asking) return null;
  return (
    <DialogFooter>
      {action && <Button onClick={() => setAsking(action)}>{t(`${action}.action`)}</Button>}
      {asking && (
        <TaskActionDialog
          action={asking}
          task={task}
          close={() => setAsking(undefined)}
          showTask={show}
        />
      )}
    </DialogFooter>
  );
}

type Part = 'input' | 'output' | 'metadata' | 'history';

function TaskParts({
  task,
  part,
  setPart,
  show,
}: {
  task: TaskDetail;
  /** Undefined until the user chooses one. */
  part: Part | undefined;
  setPart: (part: Part) => void;
  show: (id: string) => void;
}) {
  const { t, i18n } = useTranslation('tasks');
  return (
    <>
      <dl className="grid grid-cols-2 gap-4">
        <Fact name={t('detail.agent')}>
          <AgentLink id={task.agentId} name={task.agentName ?? undefined} />
        </Fact>
        <Fact name={t('detail.status')}>
          <TaskStatus status={task.status} />
        </Fact>
        <Fact name={t('detail.type')}>{t(`types.${task.type}`)}</Fact>
        <Fact name={t('detail.creditsUsed')}>
          {numberFormat(i18n.language).format(task.creditCost)}
        </Fact>
      </dl>
      <Tabs
        value={part ?? (task.status === 'queued' ? 'input' : 'output')}
        onChange={setPart}
        label={t('detail.tabs.label')}
        tabs={[
          { value: 'input', label: t('detail.tabs.input') },
          { value: 'output', label: t('detail.tabs.output') },
          { value: 'metadata', label: t('detail.tabs.metadata') },
          { value: 'history', label: t('detail.tabs.history') },
        ]}
      >
        <TabPanel value="input" className="flex flex-col gap-4">
          <p className="break-words whitespace-pre-wrap">{task.input || t('detail.noInput')}</p>
          <AttachedFiles attachments={task.attachments} />
        </TabPanel>
        <TabPanel value="output" className="flex flex-col gap-4">
          <TaskOutput task={task} />
        </TabPanel>
        <TabPanel value="metadata">
          <TaskMetadata task={task} show={show} />
        </TabPanel>
        <TabPanel value="history">
          <EventHistory subject={{ kind: 'task', id: task.id }} />
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
  const { status, output, errorMessage, errorCode: code, errorParams: params, steps } = task;
  return (
    <>
      <WaitingApproval task={task} />
      {status === 'failed' && (
        <Banner tone="danger" title={t('detail.error')}>
          {errorMessage
            ? describeSentence(t, { code, params }, errorMessage)
            : t('detail.unknownError')}
        </Banner>
      )}
      {output && <AnswerText text={output} sources={task.sources} />}
      {output && (
        <AnswerActions text={output}>
          {status === 'success' && <TaskRating task={task} />}
        </AnswerActions>
      )}
      <TaskReasons ratings={task.ratings} />
      {!output && <StepList task={task} />}
      {!output && steps.length === 0 && status !== 'failed' && status !== 'waiting' && (
        <p>{isOpen(task) ? t('detail.notYet') : t('detail.noOutput')}</p>
      )}
      <DecidedApprovals approvals={decidedOf(task)} />
      <ToolCallList calls={task.toolCalls} />
      <Reasoning text={task.reasoning} />
      <EarlierConversation text={task.context} />
    </>
  );
}

function TaskMetadata({ task, show }: { task: TaskDetail; show: (id: string) => void }) {
  const { t } = useTranslation('tasks');
  return (
    <dl className="flex flex-col divide-y divide-line">
      <Entry name={t('detail.created')}>
        <ExactTime at={task.createdAt} />
      </Entry>
      <Entry name={t('detail.requestedBy')}>
        {task.requestedBy.name ?? t('detail.formerMember')}
      </Entry>
      {task.retryOf && (
        <Entry name={t('detail.retryOf')}>
          <button
            type="button"
            className="rounded-sm text-accent underline-offset-4 hover:underline"
            onClick={() => show(task.retryOf ?? '')}
          >
            {t('detail.showRetried')}
          </button>
        </Entry>
      )}
      {task.comparison && (
        <Entry name={t('detail.comparison')}>
          <Link
            to={`/agents/${task.agentId}/compare?comparison=${task.comparison.comparisonId}`}
            className="rounded-sm text-accent underline-offset-4 hover:underline"
          >
            {t('detail.showComparison')}
          </Link>
        </Entry>
      )}
      {task.playbook && (
        <Entry name={t('detail.playbook')}>{t('steps.playbook', { ...task.playbook })}</Entry>
      )}
      <Entry name={t('detail.charge')}>
        <ChargeReason task={task} />
      </Entry>
      {task.executionTimeMs !== null && (
        <Entry name={t('detail.executionTime')}>
          <span className="tabular">{t('detail.ms', { ms: task.executionTimeMs })}</span>
        </Entry>
      )}
      {task.metadata && (
        <Entry name={t('detail.metadata')}>
          {Object.entries(task.metadata).map(([name, value]) => (
            <span key={name} className="block break-words">
              {name}: {value}
            </span>
          ))}
        </Entry>
      )}
      {task.model && <Entry name={t('detail.model')}>{task.model}</Entry>}
      {task.usage.length > 0 && (
        <Entry name={t('detail.usage')}>
          <UsageLines usage={task.usage} />
        </Entry>
      )}
      <Entry name={t('detail.id')}>
        <ShortId id={task.id} copyLabel={t('detail.copyId')} />
      </Entry>
    </dl>
  );
}

function Entry({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-4 py-2 sm:grid-cols-[160px_minmax(0,1fr)]">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </div>
  );
}

/** The ledger entry that says why, or why there is none. */
function ChargeReason({ task }: { task: TaskDetail }) {
  const { t } = useTranslation('tasks');
  if (task.charge) return <ChargeLines charge={task.charge} />;
  if (isOpen(task)) return t('detail.noChargeYet');
  return task.status === 'cancelled' ? t('detail.noChargeCancelled') : t('detail.noChargeFailed');
}

function ChargeLines({ charge }: { charge: Charge }) {
  const { t } = useTranslation('tasks');
  return (
    <>
      <p>
        {t('detail.chargeLine', {
          count: charge.amount,
          member: charge.memberName ?? t('detail.formerMember'),
        })}
      </p>
      <p className="mt-1 flex flex-wrap items-center gap-x-2 text-xs text-muted">
        <LedgerEntryLink
          sequence={charge.sequence}
          label={t('detail.ledgerEntry', { sequence: charge.sequence })}
        />
        <span aria-hidden>·</span>
        <ExactTime at={charge.at} />
        <span aria-hidden>·</span>
        <ShortId id={charge.hash} copyLabel={t('detail.copyHash')} />
      </p>
    </>
  );
}
