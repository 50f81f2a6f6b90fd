import { ADMINS } from '@tallyhand/contracts/features/identity/role';
import { useTranslation } from 'react-i18next';
import { useSearchParam } from '../../app/use-search-param.ts';
import { useTitle } from '../../app/use-title.ts';
import { Page, PageHeader } from '../../ui/page-header.tsx';
import { RestrictedState } from '../../ui/states.tsx';
import { Switch } from '../../ui/switch.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { AuditFilters } from './audit-filters.tsx';
import { AuditList } from './audit-list.tsx';
import { useAuditFilter } from './use-audit-filter.ts';

/** `?q=`, `?actor=` and others filter, `?live=on` lets new entries come by themselves. */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const { role } = useCurrentUser();
  useTitle(t('log.title'));
  if (!ADMINS.includes(role)) {
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
  const [live, setLive] = useSearchParam('live');
  return (
    <Page>
      <PageHeader
        title={t('log.title')}
        description={t('log.description')}
        action={
          <Switch
            label={t('log.live')}
            checked={live === 'on'}
            onCheckedChange={(isOn) => setLive(isOn ? 'on' : '')}
          />
        }
      />
      <AuditFilters {...state} />
      <AuditList {...state} live={live === 'on'} />
    </Page>
  );
}
