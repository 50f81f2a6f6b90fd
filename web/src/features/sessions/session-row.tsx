import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { MonitorPlay } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { ProgressBar } from '../../ui/progress.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { SessionStatus } from './session-status.tsx';
import { TerminateButton } from './terminate-button.tsx';
import type { Open } from './use-session-address.ts';

/** One session of the list: a click anywhere shows its details. */
export function SessionRow({
  session,
  chosen,
  open,
}: {
  session: Session;
  chosen: boolean;
  open: Open;
}) {
  const { t } = useTranslation('sessions');
  const { id, originalGoal: goal, currentStep: current, maxSteps: max } = session;
  return (
    <li
      className={cx(
        'relative flex flex-col gap-2 border-t border-l-2 border-line border-l-transparent px-4 py-3',
        'transition-colors duration-150 ease-out first:border-t-0 hover:bg-sunken/60',
        chosen && 'border-l-accent bg-sunken/60',
      )}
    >
      <div className="flex items-center justify-between gap-3">
        <SessionStatus status={session.status} />
        <span className="text-xs text-muted">
          <RelativeTime at={session.createdAt} />
        </span>
      </div>
      <button
        type="button"
        aria-current={chosen ? 'true' : undefined}
        title={goal}
        onClick={() => open({ session: id })}
        className="line-clamp-2 rounded-sm text-left font-medium break-words after:absolute after:inset-0"
      >
        {goal}
      </button>
      <div className="flex items-center gap-3 text-xs text-muted">
        <span className="tabular whitespace-nowrap">{t('list.step', { current, max })}</span>
        <div className="min-w-12 flex-1">
          <ProgressBar label={t('list.progress')} percent={(100 * current) / max} />
        </div>
        <span className="tabular whitespace-nowrap">
          {t('list.credits', { count: session.totalCreditsUsed })}
        </span>
      </div>
      <p className="truncate text-xs text-muted">
        {session.agentName ?? t('unknownAgent')}
        <Standing session={session} />
      </p>
      {/* Above the button that fills the row. */}
      <div className="relative z-1 flex flex-wrap gap-2 self-start">
        <Button
          size="sm"
          aria-label={t('list.viewBrowserOf', { goal })}
          onClick={() => open({ session: id, view: 'browser' })}
        >
          <MonitorPlay aria-hidden />
          {t('list.viewBrowser')}
        </Button>
        <TerminateButton session={session} />
      </div>
    </li>
  );
}

/** Its place in the queue, or who steers its browser. */
function Standing({ session: { queuePosition, takenOverBy, status } }: { session: Session }) {
  const { t } = useTranslation('sessions');
  if (status === 'queued' && queuePosition !== null) {
    const place =
      queuePosition === 0 ? t('list.next') : t('list.waiting', { count: queuePosition });
    return ` · ${place}`;
  }
  if (!takenOverBy) return null;
  return ` · ${t('list.steered', { name: takenOverBy.name ?? t('formerMember') })}`;
}
