import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  ExecuteInput,
  type executeTask,
  TASK_TYPES,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { Hand, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { z } from 'zod';
import {
  type FormOf,
  type Submitting,
  useContractForm,
  useFieldMessage,
  useSubmit,
} from '../../app/form.ts';
import { describeSentence } from '../../app/sentence.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, Select, Textarea } from '../../ui/field.tsx';
import { Link } from '../../ui/link.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { RUN_KEYS, runsForm } from '../../ui/run-keys.ts';
import { AttachButton, AttachmentChips, FileDrop } from '../attachments/attach-files.tsx';
import { type Attachments, useAttachments } from '../attachments/use-attachments.ts';
import { useWorkPrice } from '../models/work-price.ts';
import { useGetOrganizationQuery } from '../organizations/organizations.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { TaskRating } from '../ratings/rating-buttons.tsx';
import { AnswerActions, AnswerText, Reasoning } from '../tasks/answer.tsx';
import { DecidedApprovals, decidedOf, WaitingApproval } from '../tasks/task-approvals.tsx';
import { isOpen } from '../tasks/task-filter.ts';
import { StepList, ToolCallList } from '../tasks/tool-call-list.tsx';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { useGetAssignmentsQuery } from './agents.api.ts';
import { type Execution, useExecution } from './use-execution.ts';

/** An empty choice leaves it to the agent. */
const Chosen = z.union([z.literal('').transform(() => undefined), z.uuid()]);
const Wanted = ExecuteInput.extend({ playbookId: Chosen, toolId: Chosen }).transform(
  ({ playbookId, toolId, ...rest }) => ({
    ...rest,
    ...(rest.type === 'playbook' && playbookId && { playbookId }),
    ...(rest.type === 'tool_run' && toolId && { toolId }),
  }),
);

const EMPTY = { input: '', type: 'query', playbookId: '', toolId: '' } as const;

/** Instructions that the page before this one suggests. A link can't fill them in. */
function useGivenInput(): { input?: string } {
  const { state } = useLocation();
  return typeof state?.input === 'string' ? { input: state.input } : {};
}

type ExecuteFormState = {
  agent: Agent;
  form: FormOf<typeof Wanted>;
  submit: Submitting['submit'];
  /** Runs the last instructions again, as a new task. */
  retry: () => void;
  processing: boolean;
  execution: Execution | undefined;
  /** The task of the execution while a person has to decide on a call. */
  waitingTask: TaskDetail | undefined;
  available: number;
  /** Credits for a task; 1 until it is known. */
  price: number;
  mayRun: boolean;
  attachments: Attachments;
};

/** What a form of instructions is made of: its values, its work, and whether it can begin. */
export function useExecuteForm(agent: Agent): ExecuteFormState {
  const { t } = useTranslation('agents');
  const form = useContractForm(Wanted, { ...EMPTY, ...useGivenInput() });
  const { run, retry, processing, execution } = useExecution(agent.id);
  const { data: organization } = useGetOrganizationQuery();
  const available = organization?.creditBalance ?? 0;
  const attachments = useAttachments();
  const runWithFiles = async (wanted: BodyOf<typeof executeTask>) => {
    const ids = attachments.ready.map(({ id }) => id);
    const taken = attachments.take();
    const outcome = await run({ ...wanted, ...(ids.length > 0 && { attachments: ids }) });
    if (outcome.error) attachments.restore(taken);
    return outcome;
  };
  const { submit } = useSubmit(form, {
    send: (wanted) => (processing || attachments.isUploading ? undefined : runWithFiles(wanted)),
    failed: { title: t('toasts.taskFailed'), description: t('toasts.taskFailedDescription') },
    onInvalid: () => {
      // Instructions that are too long are there: their field says what is wrong.
      if (form.getValues('input').trim() !== '') return;
      return {
        title: t('toasts.inputRequired'),
        description: t('toasts.inputRequiredDescription'),
      };
    },
  });
  const price = useWorkPrice('task', agent.model);
  const mayRun = price !== undefined && available >= price;
  const count = price ?? 1;
  const task = execution && 'task' in execution ? execution.task : undefined;
  const waitingTask = task?.status === 'waiting' ? task : undefined;
  const running = { processing, execution, waitingTask, attachments };
  return { agent, form, submit, retry, ...running, available, price: count, mayRun };
}

/** Instructions, the type of the task, and by which playbook or tool. */
export function ExecuteFields({ agent, form, processing, execution, ...rest }: ExecuteFormState) {
  const { t } = useTranslation('agents');
  const { t: ofTasks } = useTranslation('tasks');
  const message = useFieldMessage();
  const { register, formState, watch } = form;
  const { attachments } = rest;
  const type = watch('type') ?? 'query';
  const choices = useAssignedChoices(agent.id, type);
  const automatic = { value: '', label: t('execute.automatic') };
  return (
    <>
      <FileDrop attachments={attachments} disabled={processing}>
        <Field
          label={t('execute.input')}
          help={t('execute.help', { keys: RUN_KEYS })}
          error={message(formState.errors.input)}
          required
        >
          <Textarea
            rows={4}
            readOnly={processing}
            placeholder={t('execute.inputPlaceholder')}
            aria-keyshortcuts="Control+Enter Meta+Enter"
            onKeyDown={runsForm}
            {...register('input')}
          />
        </Field>
        <div className="mt-1 flex flex-col gap-2">
          <div className="flex items-center gap-2 text-xs text-muted">
            <AttachButton attachments={attachments} disabled={processing} />
            <span>{ofTasks('attachments.help')}</span>
          </div>
          <AttachmentChips attachments={attachments} disabled={processing} />
        </div>
      </FileDrop>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={t('execute.type')} error={message(formState.errors.type)}>
          <Select
            disabled={processing}
            options={TASK_TYPES.map((one) => ({ value: one, label: ofTasks(`types.${one}`) }))}
            {...register('type')}
          />
        </Field>
        {choices && choices.options.length > 1 && (
          <Field
            label={t(`execute.${choices.field}`)}
            error={message(formState.errors[choices.field])}
          >
            <Select
              key={choices.field}
              disabled={processing}
              options={[automatic, ...choices.options]}
              {...register(choices.field)}
            />
          </Field>
        )}
      </div>
      {choices?.options.length === 0 && !processing && (
        <Banner tone="warning">{t(`execute.none.${choices.field}`)}</Banner>
      )}
      {!rest.mayRun && !processing && !execution && (
        <Banner tone="warning">
          {t('execute.noCredits', { price: rest.price, available: rest.available })}
        </Banner>
      )}
    </>
  );
}

/** The progress of the work, then its outcome. */
export function ExecuteOutcome(state: ExecuteFormState) {
  const { agent, processing, execution, waitingTask, retry, price, mayRun } = state;
  // Its files were sent: the task itself can be retried.
  const hasFiles = execution && 'task' in execution && execution.task.attachments.length > 0;
  const { t } = useTranslation('agents');
  return (
    <>
      <div aria-live="polite" className="contents">
        {processing && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> {t('execute.processing', { name: agent.name })}
          </p>
        )}
        {waitingTask && (
          <p className="flex items-center gap-2">
            <Hand aria-hidden className="size-4 shrink-0 text-warning" />
            {t('execute.waiting', { name: agent.name })}
          </p>
        )}
        {execution && !waitingTask && (
          <ExecutionResultCard
            execution={execution}
            retry={
              processing || hasFiles ? null : (
                <Button
                  icon={RotateCcw}
                  variant="ghost"
                  size="sm"
                  disabled={!mayRun || !agent.isActive}
                  onClick={retry}
                >
                  {t('execute.retry', { count: price })}
                </Button>
              )
            }
          />
        )}
      </div>
      {/* Not live: what is typed in it would be read aloud. */}
      {waitingTask && (
        <>
          <WaitingApproval task={waitingTask} />
          <Progress task={waitingTask} />
        </>
      )}
    </>
  );
}

type ResultProps = { execution: Execution; retry: ReactNode };

/** The work as it stands: its steps so far; then the answer or the failure, and what led to it. */
function ExecutionResultCard({ execution, retry }: ResultProps) {
  const { t } = useTranslation('agents');
  if ('refusal' in execution) {
    return (
      <Outcome success={false} cost={0}>
        <p className="text-base break-words">{execution.refusal}</p>
        <AnswerActions text="">{retry}</AnswerActions>
      </Outcome>
    );
  }
  const { task } = execution;
  if (isOpen(task)) return <Progress task={task} />;
  const success = task.status === 'success';
  const { executionTimeMs, errorCode: code, errorParams: params, reasoning, sources } = task;
  const answer = success ? (task.output ?? '') : '';
  return (
    <Outcome success={success} cost={task.creditCost} ms={executionTimeMs} taskId={task.id}>
      {answer && <AnswerText text={answer} sources={sources} />}
      {!answer && (
        <p className="text-base break-words">
          {success
            ? t('execute.noOutput')
            : describeSentence(t, { code, params }, task.errorMessage ?? '')}
        </p>
      )}
      <AnswerActions text={answer}>
        {retry}
        {success && <TaskRating task={task} />}
      </AnswerActions>
      {!success && <StepList task={task} />}
      <DecidedApprovals approvals={decidedOf(task)} />
      <ToolCallList calls={task.toolCalls} />
      <Reasoning text={reasoning} />
    </Outcome>
  );
}

/** What is done so far; nothing before that. */
function Progress({ task }: { task: TaskDetail }) {
  const { t } = useTranslation('agents');
  const hasDecided = task.approvals.some(({ decision }) => decision !== null);
  if (task.steps.length === 0 && task.toolCalls.length === 0 && !hasDecided) return null;
  return (
    <section
      aria-label={t('execute.progress')}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      <StepList task={task} />
      <DecidedApprovals approvals={decidedOf(task)} />
      <ToolCallList calls={task.toolCalls} />
    </section>
  );
}

function Outcome({
  success,
  cost,
  ms = null,
  taskId,
  children,
}: {
  success: boolean;
  cost: number;
  ms?: number | null;
  taskId?: string;
  children: ReactNode;
}) {
  const { t } = useTranslation('agents');
  const label = success ? t('execute.completed') : t('execute.failed');
  return (
    <section
      aria-label={label}
      className="flex flex-col gap-4 rounded-lg border border-line bg-surface p-4"
    >
      {children}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line pt-3 text-muted">
        <StatusBadge status={success ? 'success' : 'failed'} label={label} />
        <span className="tabular">{t('execute.cost', { count: cost })}</span>
        {ms !== null && <span className="tabular">{t('execute.time', { ms })}</span>}
        {taskId && (
          <Link
            to={`/tasks?task=${taskId}`}
            className="ml-auto rounded-sm text-accent underline-offset-4 hover:underline"
          >
            {t('execute.viewTask')}
          </Link>
        )}
      </div>
    </section>
  );
}

type TaskType = (typeof TASK_TYPES)[number];

/** The assigned playbooks or tools that a task of a type can use; undefined until they are loaded. */
function useAssignedChoices(agentId: string, type: TaskType) {
  const { data: assigned } = useGetAssignmentsQuery(agentId, { skip: type === 'query' });
  const { data: playbooks } = useListPlaybooksQuery(undefined, { skip: type !== 'playbook' });
  const { data: tools } = useListToolsQuery(undefined, { skip: type !== 'tool_run' });
  if (!assigned) return undefined;
  if (type === 'playbook' && playbooks) {
    const own = playbooks.filter(({ id }) => assigned.playbooks.includes(id));
    const options = own.map(({ id, title }) => ({ value: id, label: title }));
    return { field: 'playbookId', options } as const;
  }
  if (type === 'tool_run' && tools) {
    const own = tools.filter(({ id }) => assigned.tools.includes(id));
    const options = own.map(({ id, name }) => ({ value: id, label: name }));
    return { field: 'toolId', options } as const;
  }
  return undefined;
}
