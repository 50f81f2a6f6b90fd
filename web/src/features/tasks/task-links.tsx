import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/cx.ts';
import { Link } from '../../ui/link.tsx';
import { RelativeTime } from '../../ui/time.tsx';

/** Tasks in short, each leading to its details. */
export function TaskLinks({
  tasks,
  nameOf,
  detailOf,
}: {
  tasks: readonly Task[];
  nameOf: (task: Task) => string;
  /** A second line, such as the instruction. */
  detailOf?: (task: Task) => string;
}) {
  const { t } = useTranslation('tasks');
  return (
    <ul className="-mx-2 flex flex-col">
      {tasks.map((task) => (
        <li key={task.id} className="border-t border-line first:border-0">
          <Link
            to={`/tasks?task=${task.id}`}
            className="flex min-h-12 items-center gap-3 rounded-md px-2 py-2 transition-colors duration-150 ease-out hover:bg-sunken"
          >
            <span className="min-w-0 flex-1">
              <span
                className={cx(
                  'flex min-w-0 items-baseline gap-2',
                  !detailOf && 'max-sm:flex-col max-sm:items-stretch max-sm:gap-0',
                )}
              >
                <span className="truncate font-medium">{nameOf(task)}</span>
                <span className="shrink-0 text-xs text-muted">
                  {t(`types.${task.type}`)} · <RelativeTime at={task.createdAt} />
                </span>
              </span>
              {detailOf && <span className="block truncate text-muted">{detailOf(task)}</span>}
            </span>
            <TaskStatus status={task.status} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The name of a task's agent, which leads to its page; one that is gone has none. */
export function AgentLink({ id, name }: { id: string; name: string | undefined }) {
  const { t } = useTranslation('tasks');
  if (name === undefined) return t('unknownAgent');
  return (
    <Link to={`/agents/${id}`} className="rounded-sm underline-offset-4 hover:underline">
      {name}
    </Link>
  );
}

const badgeStatus: Record<Task['status'], Status> = {
  queued: 'waiting',
  running: 'running',
  waiting: 'attention',
  success: 'success',
  failed: 'failed',
  cancelled: 'paused',
};

export function TaskStatus({ status }: { status: Task['status'] }) {
  const { t } = useTranslation('tasks');
  return <StatusBadge status={badgeStatus[status]} label={t(`statuses.${status}`)} />;
}
