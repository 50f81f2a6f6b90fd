import { getAgentHistory } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { History } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { NotLoaded } from '../../app/loaded.tsx';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { useSearchParam } from '../../app/use-address.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import type { VersionedKind } from './audit.api.ts';
import { useAuditWords } from './audit-words.ts';
import { HistoryDialog } from './versioned-dialogs.tsx';

const KINDS = ['agent', 'article', 'playbook', 'tool'] as const;
type Kind = (typeof KINDS)[number];

const FEATURES = {
  agent: 'agents',
  article: 'knowledge',
  playbook: 'playbooks',
  tool: 'tools',
} as const satisfies Record<Kind, VersionedKind>;

const SHORT_ID_LENGTH = 8;

/** `?kind=` chooses what is listed, `?id=` opens a history, also that of a deleted object. */
export function HistoriesPage() {
  const { t } = useTranslation('audit');
  const instead = {
    title: t('auditor.noAccess.title'),
    description: t('auditor.noAccess.description'),
  };
  return (
    <RestrictedPage needs={getAgentHistory} title={t('histories.title')} instead={instead}>
      <Histories />
    </RestrictedPage>
  );
}

function Histories() {
  const { t } = useTranslation('audit');
  const words = useAuditWords();
  const [given, setKind] = useSearchParam('kind');
  const kind = KINDS.find((each) => each === given) ?? 'agent';
  return (
    <Page title={t('histories.title')} description={t('histories.description')}>
      <Tabs
        value={kind}
        onChange={setKind}
        label={t('histories.kinds')}
        tabs={KINDS.map((value) => ({ value, label: words.kind(value) }))}
      >
        <TabPanel value={kind} className="pt-6">
          <Objects key={kind} kind={kind} />
        </TabPanel>
      </Tabs>
    </Page>
  );
}

function Objects({ kind }: { kind: Kind }) {
  const { t } = useTranslation('audit');
  const [id, setId] = useSearchParam('id');
  const { objects, query } = useObjects(kind);
  const opened = objects?.find((one) => one.id === id);
  return (
    <>
      {objects ? (
        <ObjectList objects={objects} open={setId} />
      ) : (
        <NotLoaded query={query} label={t('loading')} count={4} skeleton="h-10" />
      )}
      {id !== '' && (
        <HistoryDialog
          kind={FEATURES[kind]}
          id={id}
          title={opened?.name ?? t('unknown', { id: id.slice(-SHORT_ID_LENGTH) })}
          description={t('histories.of')}
          canRestore={false}
          currentVersion={opened?.version}
          close={() => setId('')}
        />
      )}
    </>
  );
}

type Named = { id: string; name: string; version: number };

function ObjectList({ objects, open }: { objects: readonly Named[]; open: (id: string) => void }) {
  const { t } = useTranslation('audit');
  if (objects.length === 0) {
    return (
      <EmptyState
        icon={History}
        title={t('histories.empty')}
        description={t('histories.emptyDescription')}
      />
    );
  }
  return (
    <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
      {objects.map(({ id, name, version }) => (
        <li key={id}>
          <button
            type="button"
            onClick={() => open(id)}
            className="flex min-h-11 w-full items-center justify-between gap-4 px-4 py-2 text-left hover:bg-sunken"
          >
            <span className="min-w-0 font-medium break-words">{name}</span>
            <span className="shrink-0 text-xs text-muted">{t('version', { version })}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

/** The objects of a kind that are not deleted. */
function useObjects(kind: Kind) {
  const only = (wanted: Kind) => ({ skip: kind !== wanted });
  const agents = useListAgentsQuery(undefined, only('agent'));
  const articles = useListArticlesQuery(undefined, only('article'));
  const playbooks = useListPlaybooksQuery(undefined, only('playbook'));
  const tools = useListToolsQuery(undefined, only('tool'));
  const query = { agent: agents, article: articles, playbook: playbooks, tool: tools }[kind];
  const titled = (list: readonly { id: string; title: string; version: number }[] | undefined) =>
    list?.map(({ id, title, version }) => ({ id, name: title, version }));
  const objects: readonly Named[] | undefined = {
    agent: agents.data,
    article: titled(articles.data),
    playbook: titled(playbooks.data),
    tool: tools.data,
  }[kind];
  return { objects, query };
}
