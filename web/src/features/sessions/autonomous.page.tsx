import type { Session } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { MonitorPlay, Plus } from 'lucide-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { fillingOfPages } from '../../app/filling.ts';
import { ListFilters, NothingFound } from '../../app/list-filters.tsx';
import { LoadFailed, MorePages } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { PartBoundary } from '../../app/page-boundary.tsx';
import { laterPart } from '../../app/part.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading, Skeleton, Skeletons } from '../../ui/loading.tsx';
import { ProgressBar } from '../../ui/progress.tsx';
import { useSelection } from '../../ui/selection.ts';
import { Checkbox } from '../../ui/table-rows.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { useAgentField } from '../agents/agent-field.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { ActivityDialog } from './activity-dialog.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import {
  isOpen,
  mayControl,
  type Open,
  type SessionFilterState,
  useSessionAddress,
  useSessionFilter,
} from './session-address.ts';
import { SessionDetailPanel, TerminateButton } from './session-detail.tsx';
import { SessionStatus } from './session-state.tsx';
import { useFindSessionsInfiniteQuery } from './sessions.api.ts';
import { StartDialog } from './start-dialog.tsx';
import { progressOf } from './steps.ts';

const SessionBulkBar = laterPart(
  ['bulk', 'problems'],
  async () => (await import('./session-bulk.tsx')).SessionBulkBar,
);

/** The list and, beside it or in its place, one session; its browser and its film over them. */
export function SessionsPage() {
  const { t } = useTranslation('sessions');
  const { opened, open } = useSessionAddress();
  const state = useSessionFilter();
  const isWide = useMediaQuery('(min-width: 1100px)');
  const { session: id, view, replay, start } = opened;
  const { currentData, error } = useFindSessionsInfiniteQuery(state.filter);
  const showsAll = !id && Object.keys(state.filter).length === 0;
  const filling = showsAll ? fillingOfPages(currentData, error) : 'filled';
  // Nothing to filter, and nothing to choose from.
  const isEmpty = filling === 'empty';
  // On a phone the panel and the dialogs are siblings: equal keys would show one of them twice.
  const detail = <SessionDetailPanel key={`panel ${id}`} id={id} open={open} isAlone={!isWide} />;
  return (
    <Page
      title={t('title')}
      description={t('description')}
      primary={
        <Button icon={Plus} variant="primary" onClick={() => open({ ...opened, start: 'new' })}>
          {t('start.action')}
        </Button>
      }
      filling={filling}
    >
      {(isWide || !id) && !isEmpty && <SessionFilters {...state} />}
      {isWide && !isEmpty && (
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-start gap-6">
          <SessionList {...state} chosen={id} open={open} />
          {detail}
        </div>
      )}
      {(!isWide || isEmpty) && (id ? detail : <SessionList {...state} chosen={id} open={open} />)}
      {id && view === 'browser' && <ActivityDialog key={`browser ${id}`} id={id} open={open} />}
      {id && replay !== undefined && (
        <ReplayDialog key={`replay ${id}`} id={id} at={replay} open={open} />
      )}
      {start !== undefined && <StartDialog agentId={start} opened={opened} open={open} />}
    </Page>
  );
}

function SessionFilters(state: SessionFilterState) {
  const { t } = useTranslation('sessions');
  const agents = useAgentField(t('filters.agent'));
  return (
    <ListFilters
      list="sessions"
      state={state}
      fields={[
        {
          name: 'status',
          label: t('filters.status'),
          options: SESSION_STATUSES.map((value) => ({ value, label: t(`statuses.${value}`) })),
        },
        agents,
      ]}
    />
  );
}

/** Live changes announce most updates; polling finds the rest. */
const POLL_MS = 5_000;
const SKELETONS = 4;

type ListProps = SessionFilterState & { chosen: string | undefined; open: Open };

function SessionList(props: ListProps) {
  const { t } = useTranslation('sessions');
  return (
    <CardSection title={t('list.title')} className="min-w-0">
      <Sessions {...props} />
    </CardSection>
  );
}

function Sessions({ filter, clear, chosen, open }: ListProps) {
  const { t } = useTranslation(['sessions', 'lists']);
  const pages = useFindSessionsInfiniteQuery(filter, { pollingInterval: POLL_MS });
  const { currentData, error, refetch } = pages;
  const selection = useSelection();
  const user = useCurrentUser();
  if (!currentData && error) return <LoadFailed error={error} onRetry={refetch} />;
  if (!currentData) {
    return (
      <Loading label={t('list.loading')} className="-mx-4 -mb-4">
        {Array.from({ length: SKELETONS }, (_, index) => index).map((index) => (
          <div key={index} className="flex flex-col gap-3 border-t border-line px-4 py-4">
            <Skeleton className="h-6 w-24" />
            <Skeletons count={2} />
            <Skeleton className="h-8 w-36" />
          </div>
        ))}
      </Loading>
    );
  }
  const sessions = currentData.pages.flatMap((page) => page.entries);
  if (sessions.length === 0) {
    if (Object.keys(filter).length > 0) return <NothingFound clear={clear} />;
    return (
      <EmptyState
        icon={MonitorPlay}
        title={t('list.empty')}
        description={t('list.emptyDescription')}
        action={
          <Button icon={Plus} variant="primary" onClick={() => open({ start: 'new' })}>
            {t('start.action')}
          </Button>
        }
      />
    );
  }
  const keys = sessions.map((session) => session.id);
  const mayTerminate = sessions.some((session) => isOpen(session) && mayControl(session, user));
  return (
    <>
      <ul
        aria-label={t('list.title')}
        className={cx('-mx-4 border-t border-line', selection.chosen.size === 0 && '-mb-4')}
      >
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            chosen={session.id === chosen}
            open={open}
            select={
              (mayTerminate || selection.chosen.size > 0) && (
                <Checkbox
                  label={t('lists:select', { name: session.originalGoal })}
                  state={selection.chosen.has(session.id) ? 'all' : 'none'}
                  onClick={({ shiftKey }) => selection.toggle(session.id, keys, shiftKey)}
                />
              )
            }
          />
        ))}
      </ul>
      {selection.chosen.size > 0 && (
        <PartBoundary>
          <SessionBulkBar items={sessions} selection={selection} />
        </PartBoundary>
      )}
      {(pages.hasNextPage || pages.error !== undefined) && (
        <div className="-mx-4 mt-4 border-t border-line px-4 pt-1">
          <MorePages pages={pages} />
        </div>
      )}
    </>
  );
}

/** One session of the list: a click anywhere shows its details. */
function SessionRow({
  session,
  chosen,
  open,
  select,
}: {
  session: Session;
  chosen: boolean;
  open: Open;
  /** Its checkbox, where several can be terminated. */
  select: ReactNode;
}) {
  const { t } = useTranslation('sessions');
  const { id, originalGoal: goal } = session;
  const { current, max } = progressOf(session);
  return (
    <li
      className={cx(
        'relative flex flex-col gap-2 border-t border-l-2 border-line border-l-transparent px-4 py-3',
        'transition-colors duration-150 ease-out first:border-t-0 hover:bg-sunken/60',
        chosen && 'border-l-accent bg-sunken/60',
      )}
    >
      <div className="flex items-center justify-between gap-3">
        <span className="inline-flex items-center gap-3">
          {select && <span className="relative z-1 -my-1.5 inline-flex">{select}</span>}
          <SessionStatus session={session} />
        </span>
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
          icon={MonitorPlay}
          size="sm"
          aria-label={t('list.viewBrowserOf', { goal })}
          onClick={() => open({ session: id, view: 'browser' })}
        >
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
