import type { Agent, Assignments } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { BookOpen, ListOrdered, Wrench } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { NotLoaded } from '../../app/loaded.tsx';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { useAssignResourcesMutation, useGetAssignmentsQuery } from './agents.api.ts';
import { ResourcePicker } from './resource-picker.tsx';
import { type Resources, useResources } from './use-resources.ts';

type Kind = keyof Assignments;

const kinds = [
  { kind: 'articles', icon: BookOpen, to: '/knowledge' },
  { kind: 'playbooks', icon: ListOrdered, to: '/knowledge?tab=playbooks' },
  { kind: 'tools', icon: Wrench, to: '/tools' },
] as const;

type AssignDialogProps = { agent: Agent; close: () => void };

/** What is ticked: at the start what the agent has already. What is deleted can't be assigned. */
function useChoice(agent: Agent, resources: Resources | undefined) {
  const assigned = useGetAssignmentsQuery(agent.id, { refetchOnMountOrArgChange: true });
  const [chosen, setChosen] = useState<Partial<Assignments>>({});
  const before = (kind: Kind) => {
    const there = new Set(resources?.[kind].map(({ id }) => id));
    return assigned.data?.[kind].filter((id) => there.has(id)) ?? [];
  };
  const now = (kind: Kind) => chosen[kind] ?? before(kind);
  const isChanged = (kind: Kind) =>
    now(kind).length !== before(kind).length || now(kind).some((id) => !before(kind).includes(id));
  return {
    assigned,
    now,
    all: { articles: now('articles'), playbooks: now('playbooks'), tools: now('tools') },
    dirty: kinds.some(({ kind }) => isChanged(kind)),
    choose: (kind: Kind, ids: string[]) => setChosen({ ...chosen, [kind]: ids }),
  };
}

/** Chooses what an agent may answer from, follow and call. */
export function AssignDialog({ agent, close }: AssignDialogProps) {
  const { t } = useTranslation('agents');
  const resources = useResources();
  const { assigned, now, all, dirty, choose } = useChoice(agent, resources.data);
  const announce = useAnnounce();
  const [assign, { isLoading }] = useAssignResourcesMutation();
  const loaded = resources.data && assigned.currentData;
  const submit = async () => {
    if (!loaded || isLoading) return;
    const { error } = await announce(assign({ id: agent.id, assignments: all }), {
      done: t('toasts.assigned'),
      failed: t('toasts.assignFailed'),
      fallback: t('toasts.assignFailedDescription'),
    });
    if (!error) close();
  };
  const error = resources.error ?? assigned.error;
  const retry = () => {
    resources.refetch();
    if (assigned.error) void assigned.refetch();
  };
  const count = kinds.reduce((sum, { kind }) => sum + now(kind).length, 0);
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={dirty && !isLoading}
      title={t('assign.title')}
      description={t('assign.description', { name: agent.name })}
    >
      <DialogBody className="min-h-80">
        {loaded && resources.data && (
          <Pickers resources={resources.data} now={now} choose={choose} />
        )}
        {!loaded && (
          <NotLoaded
            error={error}
            refetch={retry}
            label={t('assign.loading')}
            count={4}
            skeleton="h-10"
            className="flex flex-col gap-3"
          />
        )}
      </DialogBody>
      <DialogFooter>
        <p aria-live="polite" className="flex-1 self-center text-muted">
          {loaded && t('assign.selected', { count })}
        </p>
        <DialogCancel />
        <Button variant="primary" pending={isLoading} disabled={!loaded} onClick={submit}>
          {t('assign.submit')}
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
