import type { Assignments } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { Users } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { HistoryChanges } from './history-change.tsx';
import { OtherChangePanel, useHistory } from './other-change-panel.tsx';
import { isSame } from './three-way-merge.ts';

const RESOURCE_KINDS = ['articles', 'playbooks', 'tools'] as const;

/** What another member assigned to an agent while the user chose its resources. */
export function AssignmentsConflict({
  agentId,
  opened,
  present,
  dirty,
  takesFocus,
  end,
}: {
  agentId: string;
  opened: Assignments;
  present: Assignments;
  /** The user chose something too. */
  dirty: boolean;
  takesFocus: boolean;
  end: () => void;
}) {
  const { t } = useTranslation('audit');
  const entries = useHistory({ kind: 'agents', id: agentId });
  const isAssignment = ({ changes }: HistoryEntry) =>
    changes.some(({ field }) => RESOURCE_KINDS.some((kind) => kind === field));
  const changes = RESOURCE_KINDS.map((field) => {
    const [before, now] = [opened[field], present[field]];
    const kept = before.filter((id) => now.includes(id));
    return { field, before, after: [...kept, ...now.filter((id) => !before.includes(id))] };
  }).filter(({ before, after }) => !isSame(before, after));
  return (
    <OtherChangePanel
      icon={Users}
      title={t('conflict.title')}
      entries={entries?.filter(isAssignment).slice(0, present.version - opened.version)}
      summary={t(dirty ? 'conflict.summary.assigned' : 'conflict.summary.theirs')}
      takesFocus={takesFocus}
      end={end}
    >
      <HistoryChanges kind="agents" changes={changes} />
    </OtherChangePanel>
  );
}
