import { Dialog, DialogBody } from '../../ui/dialog.tsx';
import type { EventHistorySubject } from './event-history.api.ts';
import { EventHistory } from './event-history.tsx';

export function EventHistoryDialog({
  title,
  description,
  subject,
  close,
}: {
  title: string;
  description: string;
  subject: EventHistorySubject;
  close: () => void;
}) {
  return (
    <Dialog open onOpenChange={close} size="wide" title={title} description={description}>
      <DialogBody className="min-h-80 gap-0">
        <EventHistory subject={subject} />
      </DialogBody>
    </Dialog>
  );
}
