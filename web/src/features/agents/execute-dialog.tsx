import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { PRICE_OF } from '@tallyhand/contracts/features/credits/credits.prices';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { ExecuteFields, ExecuteOutcome, useExecuteForm } from './execute-form.tsx';

/** Instructions, then the work, then its result. Closing resets all three. */
export function ExecuteDialog({ agent, close }: { agent: Agent; close: () => void }) {
  const { t } = useTranslation('agents');
  const { t: common } = useTranslation('common');
  const state = useExecuteForm(agent);
  const { form, submit, processing, execution, mayRun } = state;
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={form.formState.isDirty && !processing && !execution}
      size="wide"
      title={t('execute.title')}
      description={t('execute.description', { name: agent.name })}
    >
      <form noValidate onSubmit={submit} className="flex min-h-0 flex-1 flex-col">
        <DialogBody>
          <ExecuteFields {...state} />
          <ExecuteOutcome {...state} />
        </DialogBody>
        <DialogFooter>
          <DialogCancel label={common('actions.close')} />
          <Button
            type="submit"
            variant="primary"
            pending={processing}
            disabled={!mayRun && !processing}
          >
            {t('execute.submit', { count: PRICE_OF.task })}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
