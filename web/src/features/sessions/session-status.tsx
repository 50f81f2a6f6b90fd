import type { SessionStatus as Status } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { useTranslation } from 'react-i18next';
import { type Status as Look, StatusBadge } from '../../ui/badge.tsx';

const badgeStatus: Record<Status, Look> = {
  queued: 'waiting',
  running: 'running',
  completed: 'success',
  failed: 'failed',
  terminated: 'paused',
};

export function SessionStatus({ status }: { status: Status }) {
  const { t } = useTranslation('sessions');
  return <StatusBadge status={badgeStatus[status]} label={t(`statuses.${status}`)} />;
}
