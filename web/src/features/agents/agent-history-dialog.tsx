import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { ObjectHistory } from '../audit/object-history.tsx';
import { useAgentVersion } from './use-agent-version.ts';

/** Who changed, paused or equipped an agent, and when. */
export function AgentHistoryDialog({
  agent,
  canRestore,
  close,
}: {
  agent: Agent;
  canRestore: boolean;
  close: () => void;
}) {
  const { t } = useTranslation('agents');
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={t('history.title')}
      description={agent.name}
    >
      <DialogBody className="min-h-80">
        <ObjectHistory
          kind="agents"
          id={agent.id}
          canRestore={canRestore}
          currentVersion={useAgentVersion(agent)}
        />
      </DialogBody>
    </Dialog>
  );
}
