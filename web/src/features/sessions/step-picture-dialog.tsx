import type { SessionStep } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { PageAddress } from './page-address.tsx';
import { useActionName } from './step-action.tsx';
import { StepPicture } from './step-picture.tsx';
import { useKeys } from './use-keys.ts';

/** A step's picture at its full width, and the way to its neighbours. */
export function StepPictureDialog({
  steps,
  index,
  show,
  close,
}: {
  steps: readonly SessionStep[];
  index: number;
  show: (index: number) => void;
  close: () => void;
}) {
  const { t } = useTranslation('sessions');
  const nameOf = useActionName();
  const step = steps[index];
  const [isFirst, isLast] = [index === 0, index === steps.length - 1];
  useKeys(({ key }) => {
    if (key === 'ArrowLeft' && !isFirst) show(index - 1);
    if (key === 'ArrowRight' && !isLast) show(index + 1);
  });
  if (!step) return null;
  const title = t('picture.title', {
    number: step.stepNumber,
    count: steps.length,
    action: nameOf(step.action),
  });
  return (
    <Dialog open onOpenChange={close} size="large" title={title}>
      <DialogBody>
        <StepPicture step={step} />
        {step.metadata.url && <PageAddress label={t('steps.page')} url={step.metadata.url} />}
      </DialogBody>
      <DialogFooter>
        {/* They keep the focus at either end: a disabled button would lose it. */}
        <Button aria-disabled={isFirst} onClick={() => !isFirst && show(index - 1)}>
          <ChevronLeft aria-hidden />
          {t('picture.previous')}
        </Button>
        <Button aria-disabled={isLast} onClick={() => !isLast && show(index + 1)}>
          {t('picture.next')}
          <ChevronRight aria-hidden />
        </Button>
      </DialogFooter>
    </Dialog>
  );
}
