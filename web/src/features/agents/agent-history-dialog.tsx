import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { ObjectHistory } from '../audit/object-history.tsx';
import { useListAgentsQuery } from './agents.api.ts';

type AgentHistoryProps = { id: string; canRestore: boolean; close: () => void };

/** Who changed, paused or equipped an agent, and when. */
export function AgentHistoryDialog({ id, canRestore, close }: AgentHistoryProps) {
  const { t } = useTranslation('agents');
  const { data: agents } = useListAgentsQuery();
  const agent = agents?.find((one) => one.id === id);
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={t('history.title')}
      description={agent?.name}
    >
      <DialogBody className="min-h-80">
        <ObjectHistory
          kind="agents"
          id={id}
          canRestore={canRestore}
          // An agent that was deleted has no version that is in use now.
          currentVersion={agent?.version ?? 0}
        />
      </DialogBody>
    </Dialog>
  );
}
