import { Plus } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { useMediaQuery } from '../../ui/use-media-query.ts';
import { ActivityDialog } from './activity-dialog.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { SessionDetailPanel } from './session-detail.tsx';
import { SessionFilters } from './session-filters.tsx';
import { SessionList } from './session-list.tsx';
import { StartDialog } from './start-dialog.tsx';
import { useSessionAddress, useSessionFilter } from './use-session-address.ts';

/** The list and, beside it or in its place, one session; its browser and its film over them. */
export function SessionsPage() {
  const { t } = useTranslation('sessions');
  const { opened, open } = useSessionAddress();
  const state = useSessionFilter();
  const isWide = useMediaQuery('(min-width: 1100px)');
  useTitle(t('title'));
  const { session: id, view, replay, start } = opened;
  const detail = <SessionDetailPanel key={id} id={id} open={open} isAlone={!isWide} />;
  return (
    <Page>
      <PageHeader
        title={t('title')}
        description={t('description')}
        action={
          <Button variant="primary" onClick={() => open({ ...opened, start: 'new' })}>
            <Plus aria-hidden />
            {t('start.action')}
          </Button>
        }
      />
      {(isWide || !id) && <SessionFilters {...state} />}
      {isWide && (
        <div className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-start gap-6">
          <SessionList filter={state.filter} chosen={id} open={open} />
          {detail}
        </div>
      )}
      {!isWide && (id ? detail : <SessionList filter={state.filter} chosen={id} open={open} />)}
      {id && view === 'browser' && <ActivityDialog key={id} id={id} open={open} />}
      {id && replay !== undefined && <ReplayDialog key={id} id={id} at={replay} open={open} />}
      {start !== undefined && <StartDialog agentId={start} opened={opened} open={open} />}
    </Page>
  );
}
