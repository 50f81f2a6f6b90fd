import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { TaskVariant } from '@tallyhand/contracts/features/tasks/tasks.events';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { type ReactNode, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { LoadFailed } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { describeSentence } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { HistoryChanges } from '../audit/history-change.tsx';
import { fieldsOf } from '../audit/object-fields.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useListConnectionsQuery } from '../models/models.api.ts';
import { UsageLines } from '../models/usage-lines.tsx';
import { TaskRating } from '../ratings/rating-buttons.tsx';
import { AnswerActions, AnswerText, Reasoning } from '../tasks/answer.tsx';
import { TaskActionDialog, useTaskAction } from '../tasks/task-actions.tsx';
import { isOpen } from '../tasks/task-filter.ts';
import { TaskStatus } from '../tasks/task-links.tsx';
import { useGetComparisonQuery } from '../tasks/tasks.api.ts';
import { ToolCallList } from '../tasks/tool-call-list.tsx';
import { useAgentVersion } from './agent-version.ts';
import { useChangeAgentMutation } from './agents.api.ts';
import { takenOver } from './compare.ts';
import { useModelName } from './model-options.ts';

const POLL_MS = 2_000;

type Variant = Pick<TaskVariant, 'agentVersion' | 'model'>;

/** Names a variant by its version and its model. */
export function useVariantName(): (variant: Variant) => string {
  const { t } = useTranslation('compare');
  const nameOfModel = useModelName();
  return ({ agentVersion: version, model }) =>
    `${t('version', { version })} · ${nameOfModel(model)}`;
}

/** The answers beside each other, while they are made and when they are there. */
export function ComparedAnswers({ id, agent }: { id: string; agent: Agent }) {
  const { t } = useTranslation('compare');
  const [open, setOpen] = useState(true);
  const { currentData, error, refetch } = useGetComparisonQuery(id, {
    pollingInterval: open ? POLL_MS : 0,
  });
  const isWorking = currentData === undefined ? !error : currentData.tasks.some(isOpen);
  useEffect(() => setOpen(isWorking), [isWorking]);
  if (!currentData && error && [404, 422].includes(asProblem(error).status)) {
    return <Banner tone="warning">{t('missing')}</Banner>;
  }
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={t('loading')} className="grid gap-4 sm:grid-cols-2">
        <Skeletons count={2} className="h-48 rounded-lg" />
      </Loading>
    );
  }
  const { input, tasks } = currentData;
  return (
    <section aria-label={t('answers')} className="flex flex-col gap-3">
      <h2 className="text-base font-semibold">{t('answers')}</h2>
      <p className="line-clamp-3 max-w-[68ch] break-words whitespace-pre-wrap text-muted">
        {input}
      </p>
      <div
        aria-live="polite"
        className={`grid grid-cols-1 items-start gap-4 md:grid-cols-2 ${WIDE[tasks.length] ?? ''}`}
      >
        {tasks.map((task) => (
          <Answer key={task.id} task={task} agent={agent} />
        ))}
      </div>
    </section>
  );
}

const WIDE: Readonly<Record<number, string>> = { 3: 'lg:grid-cols-3', 4: 'lg:grid-cols-4' };

function Answer({ task, agent }: { task: TaskDetail; agent: Agent }) {
  const { t, i18n } = useTranslation('compare');
  const { t: words } = useTranslation('agents');
  const { t: ofTasks } = useTranslation('tasks');
  const nameOfModel = useModelName();
  const [dialog, open] = useState<'use' | 'act'>();
  const action = useTaskAction(task);
  const { comparison: variant, status, output, executionTimeMs: ms, usage } = task;
  if (!variant) return null;
  const { errorCode: code, errorParams: params, errorMessage } = task;
  const model = nameOfModel(variant.model);
  const version = t('version', { version: variant.agentVersion });
  const close = () => open(undefined);
  return (
    <article
      aria-label={`${version} · ${model}`}
      className="flex min-w-0 flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <header className="flex items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="font-semibold">{version}</h3>
          <p className="break-words text-muted">{model}</p>
        </div>
        <TaskStatus status={status} />
      </header>
      {isOpen(task) && <Skeletons count={3} className="h-4" />}
      {status === 'success' && output && <AnswerText text={output} sources={task.sources} />}
      {status === 'success' && !output && <p>{words('execute.noOutput')}</p>}
      {status === 'failed' && (
        <p className="break-words">
          {describeSentence(ofTasks, { code, params }, errorMessage ?? '')}
        </p>
      )}
      <ToolCallList calls={task.toolCalls} />
      <Reasoning text={task.reasoning} />
      {status === 'success' && (
        <AnswerActions text={output ?? ''}>
          <TaskRating task={task} />
        </AnswerActions>
      )}
      {!isOpen(task) && (
        <dl className="flex flex-col gap-1 border-t border-line pt-3">
          <Fact name={t('credits')}>{numberFormat(i18n.language).format(task.creditCost)}</Fact>
          {ms !== null && <Fact name={t('time')}>{words('execute.time', { ms })}</Fact>}
          {usage.length > 0 && (
            <Fact name={t('usage')}>
              <UsageLines usage={usage} />
            </Fact>
          )}
        </dl>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <UseButton task={task} onClick={() => open('use')} />
        {action && (
          <Button size="sm" onClick={() => open('act')}>
            {ofTasks(`${action}.action`)}
          </Button>
        )}
        <Link
          to={`/tasks?task=${task.id}`}
          className="ml-auto rounded-sm text-accent underline-offset-4 hover:underline"
        >
          {words('execute.viewTask')}
        </Link>
      </div>
      {dialog === 'use' && <UseDialog variant={variant} agent={agent} close={close} />}
      {dialog === 'act' && action && (
        <TaskActionDialog action={action} task={task} close={close} showTask={close} />
      )}
    </article>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_minmax(0,2fr)] gap-2 text-xs">
      <dt className="text-muted">{name}</dt>
      <dd className="tabular min-w-0 break-words">{children}</dd>
    </div>
  );
}

/** For those who may edit the agent. */
function UseButton({ task, onClick }: { task: TaskDetail; onClick: () => void }) {
  const { t } = useTranslation('compare');
  const { role } = useCurrentUser();
  if (task.status !== 'success' || !mayCall(role, createAgent)) return null;
  return (
    <Button size="sm" onClick={onClick}>
      {t('use.action')}
    </Button>
  );
}

/** Shows what the agent would become, and changes it. */
function UseDialog({
  variant,
  agent,
  close,
}: {
  variant: TaskVariant;
  agent: Agent;
  close: () => void;
}) {
  const { t } = useTranslation('compare');
  const announce = useAnnounce();
  const [change] = useChangeAgentMutation();
  const [pending, setPending] = useState(false);
  const { data: connections } = useListConnectionsQuery();
  const then = useAgentVersion(agent, variant.agentVersion);
  const modelsOf = (id: string) => connections?.find((one) => one.id === id)?.models ?? [];
  const body = then && connections && takenOver(then, variant, modelsOf);
  const before = fieldsOf(agent);
  const after = body && new Map(fieldsOf({ ...agent, ...body }));
  const changes = before.flatMap(([field, value]) => {
    const next = after?.get(field);
    return after && JSON.stringify(next) !== JSON.stringify(value)
      ? [{ field, before: value, after: next ?? null }]
      : [];
  });
  const use = async () => {
    if (!body) return;
    setPending(true);
    const { error } = await announce(change({ seen: agent, body }), {
      done: t('use.done'),
      failed: t('use.failed'),
    });
    setPending(false);
    if (!error) close();
  };
  return (
    <Dialog
      close={close}
      title={t('use.title')}
      description={t('use.description', { name: agent.name })}
    >
      <DialogBody>
        {!body && <Skeletons count={3} className="h-6" />}
        {body && changes.length === 0 && <p>{t('use.same')}</p>}
        {changes.length > 0 && <HistoryChanges kind="agents" changes={changes} />}
      </DialogBody>
      <DialogFooter>
        <DialogCancel />
        <Button variant="primary" pending={pending} disabled={changes.length === 0} onClick={use}>
          {t('use.confirm')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
