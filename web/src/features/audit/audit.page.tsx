import { AUDIT_KINDS, listAuditEntries } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { streamChanges } from '@tallyhand/contracts/features/changes/changes.endpoints';
import { MEMBERS, mayCall } from '@tallyhand/contracts/kernel/access';
import { Download } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ListFilters } from '../../app/list-filters.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { laterPart } from '../../app/part.ts';
import { useSearchParam } from '../../app/use-address.ts';
import { useTimeOrder } from '../../app/use-sort.ts';
import { Button } from '../../ui/button.tsx';
import { Switch } from '../../ui/toggles.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useMembers } from '../team/use-members.ts';
import { DifferenceBanner } from './audit-check.tsx';
import { type AuditFilterState, useAuditFilter } from './audit-filter.ts';
import { AuditList } from './audit-list.tsx';
import { useAuditWords } from './audit-words.ts';

const ExportsDialog = laterPart(
  ['audit', 'lists', 'problems', 'validation'],
  async () => (await import('./exports-dialog.tsx')).ExportsDialog,
);

const AuditorCard = laterPart(
  ['audit', 'problems'],
  async () => (await import('./auditor-card.tsx')).AuditorCard,
);

/**
 * `?q=`, `?actor=` and others filter, `?sort=` sorts, `?live=on` adds new entries as they happen,
 * `?request=ID` opens what a request caused, and `?exports=open` shows the exports.
 */
export function AuditPage() {
  const { t } = useTranslation('audit');
  const instead = {
    title: t('log.restricted.title'),
    description: t('log.restricted.description'),
  };
  return (
    <RestrictedPage needs={listAuditEntries} title={t('log.title')} instead={instead}>
      <Log />
    </RestrictedPage>
  );
}

function Log() {
  const { t } = useTranslation('audit');
  const state = useAuditFilter();
  const { sort, order } = useTimeOrder('sort', 'time');
  const [live, setLive] = useSearchParam('live');
  const [exports, setExports] = useSearchParam('exports');
  const { role } = useCurrentUser();
  return (
    <Page
      title={t('log.title')}
      description={t('log.description')}
      action={
        <div className="flex flex-wrap items-center gap-x-6 gap-y-2">
          {mayCall(role, streamChanges) && (
            <Switch
              label={t('log.live')}
              checked={live === 'on'}
              onCheckedChange={(isOn) => setLive(isOn ? 'on' : '')}
            />
          )}
          <Button icon={Download} onClick={() => setExports('open')}>
            {t('exports.action')}
          </Button>
        </div>
      }
    >
      {!mayCall(role, MEMBERS) && <AuditorCard />}
      <DifferenceBanner />
      <AuditFilters {...state} />
      <AuditList
        key={JSON.stringify(state.filter)}
        {...state}
        sort={sort}
        order={order}
        live={live === 'on'}
      />
      {exports === 'open' && <ExportsDialog filter={state.filter} close={() => setExports('')} />}
    </Page>
  );
}

const ACTOR_KINDS = ['operator', 'payment-provider', 'visitor', 'worker', 'reaction'] as const;

/** Words that are looked for, and what else narrows the list. */
function AuditFilters(state: AuditFilterState) {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const members = useMembers() ?? [];
  return (
    <ListFilters
      list="audit"
      state={state}
      search={t('log.search')}
      fields={[
        {
          name: 'actor',
          label: t('log.actor'),
          options: [
            ...members.map(({ id, username }) => ({ value: id, label: username })),
            ...ACTOR_KINDS.map((value) => ({ value, label: words.actorKind(value) })),
          ],
          unknown: () => t('formerMember'),
        },
        {
          name: 'kind',
          label: t('log.kind'),
          options: AUDIT_KINDS.map((value) => ({ value, label: words.kind(value) })),
          // A type of event, chosen at an entry.
          unknown: words.event,
        },
        { name: 'object', label: t('log.about'), unknown: shortOf },
      ]}
      dates={t('log.time')}
    />
  );
}

const SHORT_ID_LENGTH = 8;
const shortOf = (id: string) => id.slice(-SHORT_ID_LENGTH);
