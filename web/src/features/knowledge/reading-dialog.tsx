import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadFailed } from '../../app/load-failed.tsx';
import { asProblem } from '../../app/problem.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';

export type View = 'text' | 'history';

export type ReadingDialogProps = {
  /** Absent while it loads. */
  title?: string;
  category?: string;
  /** Names of the tabs, of the button and of what loads. */
  words: { label: string; text: string; history: string; edit: string; loading: string };
  error?: unknown;
  refetch: () => void;
  view: View;
  setView: (view: View) => void;
  /** Absent for those who may not. */
  onEdit?: () => void;
  close: () => void;
  text: ReactNode;
  history: ReactNode;
};

/** One article or playbook, whole, with its history in a second tab; of one that is deleted that alone. */
export function ReadingDialog(props: ReadingDialogProps) {
  const { t } = useTranslation('common');
  const { title, words, error, refetch, view, setView, onEdit, close } = props;
  const loaded = title !== undefined;
  // From its history it can be brought back, where it ever was.
  const isGone = !loaded && Boolean(error) && asProblem(error).status === 404;
  return (
    <Dialog
      open
      onOpenChange={close}
      size="wide"
      title={title ?? words.label}
      description={props.category}
    >
      <DialogBody className="gap-0">
        {loaded && (
          <Tabs
            value={view}
            onChange={setView}
            label={words.label}
            // As high as most of its contents, so that changing the tab moves nothing.
            className="min-h-80 flex-none"
            tabs={[
              { value: 'text', label: words.text },
              { value: 'history', label: words.history },
            ]}
          >
            <TabPanel value="text">{props.text}</TabPanel>
            <TabPanel value="history">{props.history}</TabPanel>
          </Tabs>
        )}
        {isGone && props.history}
        {!loaded && Boolean(error) && !isGone && <LoadFailed error={error} onRetry={refetch} />}
        {!loaded && !error && (
          <Loading label={words.loading} className="flex min-h-80 flex-col gap-3">
            <Skeletons count={5} />
          </Loading>
        )}
      </DialogBody>
      {loaded && onEdit && (
        <DialogFooter>
          <DialogCancel label={t('actions.close')} />
          <Button variant="primary" onClick={onEdit}>
            {words.edit}
          </Button>
        </DialogFooter>
      )}
    </Dialog>
  );
}
