import { useTranslation } from 'react-i18next';
import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import { ObjectHistory } from '../audit/object-history.tsx';
import { useListToolsQuery } from './tools.api.ts';

type ToolHistoryProps = { id: string; canRestore: boolean; close: () => void };

/** Who changed a tool, when and what, with the way back to an older version. */
export function ToolHistoryDialog({ id, canRestore, close }: ToolHistoryProps) {
  const { t } = useTranslation('tools');
  const { data: tools } = useListToolsQuery();
  const tool = tools?.find((one) => one.id === id);
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={tool ? t('history.title', { name: tool.name }) : t('history.untitled')}
      description={t('history.description')}
    >
      <DialogBody>
        <ObjectHistory
          kind="tools"
          id={id}
          canRestore={canRestore}
          // A tool that was deleted has no version that is in use now.
          currentVersion={tool?.version ?? 0}
        />
      </DialogBody>
    </Dialog>
  );
}
