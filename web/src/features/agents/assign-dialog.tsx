import type { Agent, Assignments } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { ResourceKind } from '@tallyhand/contracts/features/agents/agents.fields';
import { BookOpen, ListOrdered, type LucideIcon, Search, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { asProblem } from '../../app/problem.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { IconInput } from '../../ui/field.tsx';
import { later, useLater } from '../../ui/later.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { Checkbox } from '../../ui/toggles.tsx';
import { matchingArticles } from '../knowledge/articles.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useListPlaybooksQuery } from '../playbooks/playbooks.api.ts';
import { useListToolsQuery } from '../tools/tools.api.ts';
import { useAssignResourcesMutation, useGetAssignmentsQuery } from './agents.api.ts';

type Kind = ResourceKind;

const kinds = [
  { kind: 'articles', icon: BookOpen, to: '/knowledge' },
  { kind: 'playbooks', icon: ListOrdered, to: '/knowledge?tab=playbooks' },
  { kind: 'tools', icon: Wrench, to: '/tools' },
] as const;

type AssignDialogProps = { agent: Agent; close: () => void };

/** What the user ticked and unticked, apart from what is assigned already. */
type Choice = Readonly<Record<Kind, { on: readonly string[]; off: readonly string[] }>>;

const untouched = { on: [], off: [] };
const NO_CHOICE: Choice = { articles: untouched, playbooks: untouched, tools: untouched };

/**
 * What is ticked: what the agent has already, also by another member meanwhile, with the user's choice
 * on top. What is deleted can't be assigned.
 */
function useChoice(agent: Agent, resources: Resources | undefined) {
  const [refusedAt, setRefusedAt] = useState<number>();
  const [opened, setOpened] = useState<Assignments>();
  const [choice, setChoice] = useState(NO_CHOICE);
  const assigned = useGetAssignmentsQuery(agent.id, {
    refetchOnMountOrArgChange: true,
    // The read models may be a moment behind the refusal.
    pollingInterval: refusedAt === undefined ? 0 : POLL_MS,
  });
  const present = assigned.currentData;
  const isBehind = refusedAt !== undefined && present?.version === refusedAt;
  if (present && !isBehind && refusedAt !== undefined) setRefusedAt(undefined);
  if (present && !opened && !assigned.isFetching) setOpened(present);
  const before = (kind: Kind) => {
    const there = new Set(resources?.[kind].map(({ id }) => id));
    return present?.[kind].filter((id) => there.has(id)) ?? [];
  };
  const now = (kind: Kind) => {
    const { on, off } = choice[kind];
    const kept = before(kind).filter((id) => !off.includes(id));
    return [...kept, ...on.filter((id) => !kept.includes(id))];
  };
  const isChanged = (kind: Kind) =>
    now(kind).length !== before(kind).length || now(kind).some((id) => !before(kind).includes(id));
  return {
    assigned,
    opened,
    present,
    isBehind,
    now,
    all: { articles: now('articles'), playbooks: now('playbooks'), tools: now('tools') },
    dirty: kinds.some(({ kind }) => isChanged(kind)),
    choose: (kind: Kind, ids: string[]) =>
      setChoice({
        ...choice,
        [kind]: {
          on: ids.filter((id) => !before(kind).includes(id)),
          off: before(kind).filter((id) => !ids.includes(id)),
        },
      }),
    /** Another member was faster. */
    refuse: () => setRefusedAt(present?.version),
    /** The user has read what changed. */
    acknowledge: () => setOpened(present),
  };
}

const POLL_MS = 1_000;

const conflict = later(
  async () => (await import('../audit/assignments-conflict.tsx')).AssignmentsConflict,
);

/** Chooses what an agent may answer from, follow and call. */
export function AssignDialog({ agent, close }: AssignDialogProps) {
  const { t } = useTranslation(['agents', 'audit']);
  const resources = useResources();
  const state = useChoice(agent, resources.data);
  const { assigned, opened, present, isBehind, now, all, dirty, choose } = state;
  const announce = useAnnounce();
  const [assign, { isLoading }] = useAssignResourcesMutation();
  const [isRefused, setRefused] = useState(false);
  const pending = isLoading || isBehind;
  const isMet = !pending && opened && present && opened.version !== present.version;
  const Conflict = useLater(conflict, Boolean(isMet));
  const submit = async () => {
    if (!present || pending) return;
    const seen = { id: agent.id, version: present.version };
    const { error } = await announce(assign({ seen, body: all }), {
      done: t('toasts.assigned'),
      failed: t('toasts.assignFailed'),
      fallback: t('toasts.assignFailedDescription'),
      onRefused: (refusal) => asProblem(refusal).code === 'version-changed',
    });
    if (!error) return close();
    if (asProblem(error).code !== 'version-changed') return;
    setRefused(true);
    state.refuse();
  };
  const error = resources.error ?? assigned.error;
  const retry = () => {
    resources.refetch();
    if (assigned.error) void assigned.refetch();
  };
  const count = kinds.reduce((sum, { kind }) => sum + now(kind).length, 0);
  const isMerged = isMet && dirty;
  return (
    <Dialog
      close={close}
      dirty={dirty && !isLoading}
      title={t('assign.title')}
      description={t('assign.description', { name: agent.name })}
    >
      <DialogBody className="min-h-80">
        <div aria-live="polite" className="shrink-0">
          {isMet && Conflict && (
            <Conflict
              agentId={agent.id}
              opened={opened}
              present={present}
              dirty={dirty}
              takesFocus={isRefused}
              end={() => {
                setRefused(false);
                state.acknowledge();
              }}
            />
          )}
        </div>
        {resources.data && present && (
          <Pickers resources={resources.data} now={now} choose={choose} />
        )}
        {!(resources.data && present) && (
          <NotLoaded
            query={{ error, refetch: retry }}
            label={t('assign.loading')}
            count={4}
            skeleton="h-10"
          />
        )}
      </DialogBody>
      <DialogFooter>
        <p aria-live="polite" className="flex-1 self-center text-muted">
          {present && resources.data && t('assign.selected', { count })}
        </p>
        <DialogCancel label={isMerged ? t('audit:conflict.discardMine') : undefined} />
        <Button
          variant="primary"
          pending={pending}
          disabled={!(resources.data && present)}
          onClick={submit}
        >
          {isMerged ? t('audit:conflict.saveBoth') : t('assign.submit')}
        </Button>
      </DialogFooter>
    </Dialog>
  );
}

function Pickers({
  resources,
  now,
  choose,
}: {
  resources: Resources;
  now: (kind: Kind) => string[];
  choose: (kind: Kind, ids: string[]) => void;
}) {
  const { t } = useTranslation('agents');
  const [kind, setKind] = useState<Kind>('articles');
  return (
    <Tabs
      value={kind}
      onChange={setKind}
      label={t('assign.kinds')}
      className="flex-none"
      tabs={kinds.map((one) => ({
        value: one.kind,
        label: t('assign.chosen', {
          kind: t(`assign.${one.kind}`),
          count: now(one.kind).length,
        }),
      }))}
    >
      {kinds.map(({ kind: one, icon, to }) => (
        <TabPanel key={one} value={one} keep>
          <ResourcePicker
            label={t(`assign.${one}`)}
            resources={resources[one]}
            chosen={now(one)}
            choose={(ids) => choose(one, ids)}
            empty={{ icon, to, title: t(`assign.${one}`), description: t(`assign.empty.${one}`) }}
          />
        </TabPanel>
      ))}
    </Tabs>
  );
}

type Resources = Readonly<Record<Kind, readonly Resource[]>>;

/** All that can be assigned to an agent, as soon as everything is loaded. */
function useResources(): { data?: Resources; error?: unknown; refetch: () => void } {
  const { t } = useTranslation('agents');
  const articles = useListArticlesQuery();
  const playbooks = useListPlaybooksQuery();
  const tools = useListToolsQuery();
  const refetch = () => {
    for (const list of [articles, playbooks, tools]) if (list.error) void list.refetch();
  };
  if (!articles.data || !playbooks.data || !tools.data) {
    return { error: articles.error ?? playbooks.error ?? tools.error, refetch };
  }
  return {
    refetch,
    data: {
      articles: articles.data.map(({ id, title, tags, isPublic }) => {
        return { id, title, tags, ...(isPublic && { note: t('assign.public') }) };
      }),
      playbooks: playbooks.data.map(({ id, title, tags }) => ({ id, title, tags })),
      tools: tools.data.map(({ id, name, type }) => {
        return { id, title: name, tags: [t(`assign.toolTypes.${type}`)] };
      }),
    },
  };
}

/** Something that can be assigned. */
type Resource = { id: string; title: string; tags: readonly string[]; note?: string };

const TAGS_SHOWN = 2;
/** With more of them one can search. */
const SEARCHED_FROM = 9;

type ResourcePickerProps = {
  /** What the list holds, for a screen reader. */
  label: string;
  resources: readonly Resource[];
  chosen: readonly string[];
  choose: (ids: string[]) => void;
  empty: { icon: LucideIcon; title: string; description: string; to: string };
};

/** Resources of one kind, each to be ticked. */
function ResourcePicker({ label, resources, chosen, choose, empty }: ResourcePickerProps) {
  const { t } = useTranslation('agents');
  const [query, setQuery] = useState('');
  if (resources.length === 0) {
    return (
      <EmptyState
        icon={empty.icon}
        title={empty.title}
        description={empty.description}
        action={<ButtonLink to={empty.to}>{t('assign.emptyAction')}</ButtonLink>}
      />
    );
  }
  const found = matchingArticles(resources, query);
  return (
    <>
      {resources.length >= SEARCHED_FROM && (
        <IconInput
          icon={Search}
          type="search"
          className="mb-2"
          aria-label={t('assign.search')}
          placeholder={t('assign.search')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
      )}
      {found.length === 0 && (
        <EmptyState
          icon={Search}
          title={t('assign.noMatch')}
          description={t('assign.noMatchHint')}
        />
      )}
      <ul aria-label={label} className="flex flex-col divide-y divide-line">
        {found.map((resource) => (
          <li key={resource.id} className="py-2 first:pt-0">
            <Checkbox
              label={resource.title}
              help={hasHints(resource) && <Hints resource={resource} />}
              checked={chosen.includes(resource.id)}
              onCheckedChange={(on) =>
                choose(on ? [...chosen, resource.id] : chosen.filter((id) => id !== resource.id))
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

const hasHints = ({ tags, note }: Resource) => tags.length > 0 || note !== undefined;

function Hints({ resource: { tags, note } }: { resource: Resource }) {
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1">
      {tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Badge key={tag}>
          <span className="truncate">{tag}</span>
        </Badge>
      ))}
      {note}
    </span>
  );
}
