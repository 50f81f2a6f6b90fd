import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { CirclePause, CirclePlay } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { BulkAction } from '../../app/bulk.ts';
import { BulkBar, type BulkState } from '../../app/bulk-bar.tsx';
import { BulkExport } from '../audit/bulk-export.tsx';
import { useBulkDelete } from '../audit/bulk-versioned.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useSetAgentActiveMutation } from './agents.api.ts';

/** What can be done with several agents. Every member may pause and activate them. */
export function AgentBulkBar(state: BulkState<Agent>) {
  const { t } = useTranslation('bulk');
  const { role } = useCurrentUser();
  const [change] = useSetAgentActiveMutation();
  const remove = useBulkDelete('agents');
  const actions: BulkAction<Agent>[] = [
    {
      key: 'activate',
      icon: CirclePlay,
      label: (n) => t('activate.action', { n }),
      appliesTo: ({ isActive }) => !isActive,
      run: ({ id }) => change({ id, isActive: true }),
      done: (n) => t('activate.done', { n }),
    },
    {
      key: 'pause',
      icon: CirclePause,
      label: (n) => t('pause.action', { n }),
      appliesTo: ({ isActive }) => isActive,
      run: ({ id }) => change({ id, isActive: false }),
      done: (n) => t('pause.done', { n }),
    },
    ...(mayCall(role, createAgent) ? [remove] : []),
  ];
  return (
    <BulkBar {...state} nameOf={({ name }) => name} actions={actions}>
      {(selected, report) => <BulkExport kind="agents" selected={selected} report={report} />}
    </BulkBar>
  );
}
