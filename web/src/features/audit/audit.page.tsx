import { listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Download } from 'lucide-react';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { part } from '../../app/part.ts';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTimeOrder } from '../../app/use-sort.ts';
import { useTitle } from '../../app/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { RestrictedState } from '../../ui/states.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAuditFilter } from './use-audit-filter.ts';

const ExportsDialog = part(
  [],
  ['audit', 'problems'],
  async () => (await import('./exports-dialog.tsx')).ExportsDialog,
);

/**
 * `?q=`, `?actor=` and others filter, `?sort=` sorts, `?live=on` lets new entries come by themselves,
 * and `?exports=open` shows the exports.
 */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const { role } = useCurrentUser();
  useTitle(t('log.title'));
  if (!mayCall(role, listAuditEntries)) {
    return (
      <RestrictedState
        title={t('log.restricted.title')}
        description={t('log.restricted.description')}
      />
    );
  }
  return <Log />;
}

function Log() {
  const { t } = useTranslation('audit');
  const state = useAuditFilter();
  const { sort, order } = useTimeOrder('sort', 'time');
  const [live, setLive] = useSearchParam('live');
  const [exports, setExports] = useSearchParam('exports');
  return (
    <Page>
      <PageHeader
        title={t('log.title')}
        description={t('log.description')}
        action={
          <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
            <Switch
              label={t('log.live')}
              checked={live === 'on'}
              onCheckedChange={(isOn) => setLive(isOn ? 'on' : '')}
            />
            <Button onClick={() => setExports('open')}>
              <Download aria-hidden />
              {t('exports.action')}
            </Button>
          </div>
        }
      />
      <AuditFilters {...state} sort={sort} />
      <AuditList {...state} order={order} live={live === 'on'} />
      {exports === 'open' && (
        <Suspense>
          <ExportsDialog filter={state.filter} close={() => setExports('')} />
        </Suspense>
      )}
    </Page>
  );
}
