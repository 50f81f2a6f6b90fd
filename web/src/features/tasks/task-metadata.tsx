import type { Charge } from '@tallyhand/contracts/features/credits/credits.endpoints';
import type { TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ShortId } from '../../ui/short-id.tsx';
import { ExactTime } from '../../ui/time.tsx';

export function TaskMetadata({ task, show }: { task: TaskDetail; show: (id: string) => void }) {
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
      {task.playbook && (
        <Entry name={t('detail.playbook')}>{t('steps.playbook', { ...task.playbook })}</Entry>
      )}
      <Entry name={t('detail.charge')}>
        <ChargeReason task={task} />
      </Entry>
      {task.reasoning && (
        <Entry name={t('detail.reasoning')}>
          <span className="break-words whitespace-pre-wrap">{task.reasoning}</span>
        </Entry>
      )}
      {task.executionTimeMs !== null && (
        <Entry name={t('detail.executionTime')}>
          <span className="tabular">{t('detail.ms', { ms: task.executionTimeMs })}</span>
        </Entry>
      )}
      {task.model && <Entry name={t('detail.model')}>{task.model}</Entry>}
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
  const open = task.status === 'queued' || task.status === 'running';
  if (open) return t('detail.noChargeYet');
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
        <span className="tabular">{t('detail.ledgerEntry', { sequence: charge.sequence })}</span>
        <span aria-hidden>·</span>
        <ExactTime at={charge.at} />
        <span aria-hidden>·</span>
        <ShortId id={charge.hash} copyLabel={t('detail.copyHash')} />
      </p>
    </>
  );
}
