import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { useTranslation } from 'react-i18next';
import { type Status, StatusBadge } from '../../ui/badge.tsx';

const badgeStatus: Record<Task['status'], Status> = {
  queued: 'waiting',
  running: 'running',
  success: 'success',
  failed: 'failed',
  cancelled: 'paused',
};

export function TaskStatus({ status }: { status: Task['status'] }) {
  const { t } = useTranslation('tasks');
  return <StatusBadge status={badgeStatus[status]} label={t(`statuses.${status}`)} />;
}
