import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { ProductPicture } from './product-picture.tsx';

const STEPS = ['dashboard', 'execute', 'task', 'ledger'] as const;

/** The product in four pictures of it, one after the other. */
export function DemoTour({ close }: { close: () => void }) {
  const { t } = useTranslation('landing');
  const [at, setAt] = useState(0);
  const step = STEPS[at] ?? STEPS[0];
  const isLast = at === STEPS.length - 1;
  return (
    <Dialog
      open
      onOpenChange={close}
      size="large"
      title={t('demo.title')}
      description={t('demo.step', { number: at + 1, count: STEPS.length })}
    >
      <DialogBody>
        <div aria-live="polite">
          <h3 className="font-semibold">{t(`demo.steps.${step}.title`)}</h3>
          <p className="text-muted">{t(`demo.steps.${step}.text`)}</p>
        </div>
        <div className="mx-auto w-full max-w-[calc(54dvh*1.6)]">
          <ProductPicture image={step} alt="" />
        </div>
      </DialogBody>
      <DialogFooter>
        <Button disabled={at === 0} onClick={() => setAt(at - 1)}>
          {t('demo.back')}
        </Button>
        {isLast ? (
          <ButtonLink variant="primary">
            <Link to="/auth?tab=register">{t('demo.start')}</Link>
          </ButtonLink>
        ) : (
          <Button variant="primary" onClick={() => setAt(at + 1)}>
            {t('demo.next')}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}
