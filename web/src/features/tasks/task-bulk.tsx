import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleStop, RotateCw, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Failed, inTurns } from '../../app/in-turns.ts';
import { describeProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog, DialogBody } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Selection } from '../../ui/selection.ts';
import { showToast } from '../../ui/toast.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { type TaskAction, taskActionOf } from './task-filter.ts';
import { useCancelTaskMutation, useRetryTaskMutation } from './tasks.api.ts';

const ICONS = { cancel: CircleStop, retry: RotateCw };
const ACTIONS = ['cancel', 'retry'] as const;

type Result = { action: TaskAction; count: number; failed: Failed<Task>[] };

/** What can be done with the selected tasks, and with how many of them. */
export function TaskBulkBar({
  tasks,
  selection,
}: {
  tasks: readonly Task[];
  selection: Selection;
}) {
  const { t } = useTranslation('tasks');
  const user = useCurrentUser();
  const [asking, setAsking] = useState<TaskAction>();
  const [result, setResult] = useState<Result>();
  const selected = tasks.filter(({ id }) => selection.chosen.has(id));
  const ableTo = (action: TaskAction) =>
    selected.filter((task) => taskActionOf(task, user) === action);
  const end = (done: Result) => {
    const n = done.count;
    setAsking(undefined);
    selection.clear();
    if (done.failed.length > 0) setResult(done);
    else showToast({ title: t('bulk.done', { done: n, n }) });
  };
  if (selected.length === 0 && !result) return null;
  return (
    <>
      {selected.length > 0 && (
        <section
          aria-label={t('bulk.selected', { n: selected.length })}
          className="sticky bottom-0 z-10 -mx-4 mt-3 -mb-4 flex flex-wrap items-center gap-2 rounded-b-lg border-t border-line bg-raised px-4 py-2 print:hidden"
        >
          <span className="tabular mr-auto font-medium" aria-live="polite">
            {t('bulk.selected', { n: selected.length })}
          </span>
          <div className="flex flex-wrap gap-2 max-sm:order-last max-sm:w-full">
            {ACTIONS.map((action) => {
              const { length } = ableTo(action);
              return (
                <Button
                  key={action}
                  size="sm"
                  icon={ICONS[action]}
                  disabled={length === 0}
                  className="max-sm:flex-1"
                  onClick={() => setAsking(action)}
                >
                  {t(`bulk.${action}.action`, { n: length })}
                </Button>
              );
            })}
          </div>
          <IconButton icon={X} label={t('bulk.clear')} onClick={selection.clear} />
        </section>
      )}
      {asking && (
        <ConfirmBulk
          action={asking}
          tasks={ableTo(asking)}
          end={end}
          close={() => setAsking(undefined)}
        />
      )}
      {result && <FailedTasks {...result} close={() => setResult(undefined)} />}
    </>
  );
}

function ConfirmBulk({
  action,
  tasks,
  end,
  close,
}: {
  action: TaskAction;
  tasks: readonly Task[];
  end: (result: Result) => void;
  close: () => void;
}) {
  const { t } = useTranslation('tasks');
  const [cancel] = useCancelTaskMutation();
  const [retry] = useRetryTaskMutation();
  const [pending, setPending] = useState(false);
  const run = async () => {
    setPending(true);
    const call = action === 'cancel' ? cancel : retry;
    const failed = await inTurns(tasks, ({ id }) => call(id));
    end({ action, count: tasks.length, failed });
  };
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && !pending && close()}
      variant={action === 'cancel' ? 'destructive' : 'primary'}
      title={t(`bulk.${action}.title`, { n: tasks.length })}
      description={t(`bulk.${action}.description`)}
      confirmLabel={t(`bulk.${action}.action`, { n: tasks.length })}
      cancelLabel={t(`${action}.keep`)}
      pending={pending}
      onConfirm={() => void run()}
    />
  );
}

/** Which tasks were refused, and why; the others are done. */
function FailedTasks({ action, count, failed, close }: Result & { close: () => void }) {
  const { t } = useTranslation('tasks');
  return (
    <Dialog
      close={close}
      title={t(`${action}.didFail`)}
      description={t('bulk.done', { done: count - failed.length, n: count })}
    >
      <DialogBody>
        <ul aria-label={t(`${action}.didFail`)} className="flex flex-col divide-y divide-line">
          {failed.map(({ item, error }) => (
            <li key={item.id} className="py-2">
              <p className="line-clamp-2 font-medium break-words">{item.input || t('noInput')}</p>
              <p className="text-danger">{describeProblem(t, error)}</p>
            </li>
          ))}
        </ul>
      </DialogBody>
    </Dialog>
  );
}
