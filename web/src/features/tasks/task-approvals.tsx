import type { Approval, TaskDetail } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { CircleCheck, CircleDashed, CircleX } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../../ui/time.tsx';
import { Arguments, Operation, WaitingCall } from './waiting-call.tsx';

/** The call that a task waits with. Nothing for tasks that do not wait. */
export function WaitingApproval({ task }: { task: TaskDetail }) {
  if (task.status !== 'waiting') return null;
  return task.approvals
    .filter(({ decision }) => decision === null)
    .map((call) => (
      <WaitingCall key={call.id} of={{ kind: 'task', id: task.id }} call={call} isOnly />
    ));
}

/** The calls of a task that were decided, or that it ended before. */
export const decidedOf = ({ status, approvals }: TaskDetail) =>
  approvals.filter(({ decision }) => decision !== null || status !== 'waiting');

/** Calls that were decided, or whose work ended before: who, when, what and why. */
export function DecidedApprovals({
  approvals,
  level: Heading = 'h3',
}: {
  approvals: readonly Approval[];
  level?: 'h2' | 'h3';
}) {
  const { t } = useTranslation('approvals');
  if (approvals.length === 0) return null;
  return (
    <section className="flex flex-col gap-2">
      <Heading className="font-medium">{t('decided.title')}</Heading>
      <ul className="flex flex-col gap-2">
        {approvals.map((approval) => (
          <li key={approval.id}>
            <Decided approval={approval} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const icons = {
  approved: { icon: CircleCheck, className: 'text-success' },
  refused: { icon: CircleX, className: 'text-danger' },
  none: { icon: CircleDashed, className: 'text-muted' },
};

function Decided({ approval }: { approval: Approval }) {
  const { t } = useTranslation('approvals');
  const { decision, decidedAt, decidedBy, toolName, changedArguments, note } = approval;
  const { icon: Icon, className } = icons[decision ?? 'none'];
  const outcome = () => {
    if (decision === null) return t('decided.none');
    if (decidedBy === null) return t('decided.expired');
    const name = decidedBy.name ?? t('decided.formerMember');
    return t(`decided.${changedArguments === null ? decision : 'changed'}`, { name });
  };
  return (
    <div className="flex gap-2">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${className}`} />
      <div className="min-w-0 flex-1">
        <p className="break-words">
          {outcome()}
          {approval.forRun && `, ${t('decided.forRun')}`}
        </p>
        <p className="text-xs break-words text-muted">
          {toolName} · <Operation of={approval} />
          {decidedAt && (
            <>
              {' '}
              · <RelativeTime at={decidedAt} />
            </>
          )}
        </p>
        {note && <p className="mt-1 break-words whitespace-pre-wrap">{note}</p>}
        <details className="mt-1">
          <summary className="w-fit cursor-pointer rounded-sm text-xs text-muted">
            {t(changedArguments === null ? 'call.arguments' : 'decided.arguments')}
          </summary>
          <Arguments text={changedArguments ?? approval.arguments} />
        </details>
      </div>
    </div>
  );
}
