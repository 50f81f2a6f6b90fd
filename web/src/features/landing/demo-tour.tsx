import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { cx } from '../../ui/cx.ts';
import { Dialog, DialogBody, DialogFooter } from '../../ui/dialog.tsx';
import { ProductPicture } from '../support/product-picture.tsx';
import { pictureNamed } from '../support/product-pictures.ts';

const STEPS = [
  'dashboard',
  'article',
  'agents',
  'execute',
  'task',
  'session',
  'ledger',
  'audit',
] as const;
const LAST = STEPS.length - 1;
const within = (step: number) => Math.min(Math.max(step, 0), LAST);

/** The product in pictures of it, one after the other: by buttons, by arrow keys, or by choice. */
export function DemoTour({ close }: { close: () => void }) {
  const { t } = useTranslation('demo');
  const [at, setAt] = useState(0);
  const step = STEPS[at] ?? STEPS[0];
  const go = (to: number) => setAt(within(to));
  useEffect(() => {
    const goByKey = ({ key }: KeyboardEvent) => {
      const way = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
      setAt((before) => within(before + way));
    };
    window.addEventListener('keydown', goByKey);
    return () => window.removeEventListener('keydown', goByKey);
  }, []);
  return (
    <Dialog
      close={close}
      size="large"
      title={t('title')}
      description={t('step', { number: at + 1, count: STEPS.length })}
    >
      <DialogBody>
        <div className="flex flex-col gap-4">
          <div aria-live="polite">
            <h3 className="font-semibold">{t(`steps.${step}.title`)}</h3>
            <p className="text-muted">{t(`steps.${step}.text`)}</p>
          </div>
          <div
            key={step}
            className="mx-auto w-full animate-fade max-sm:max-w-[calc(48dvh*0.56)] sm:max-w-[calc(54dvh*1.6)]"
          >
            <ProductPicture file={pictureNamed(step)} alt={t(`steps.${step}.alt`)} />
          </div>
          <Strokes at={at} go={go} />
        </div>
      </DialogBody>
      <DialogFooter>
        <Button disabled={at === 0} onClick={() => go(at - 1)}>
          {t('back')}
        </Button>
        {at === LAST ? (
          <ButtonLink variant="primary" to="/auth?tab=register">
            {t('start')}
          </ButtonLink>
        ) : (
          <Button variant="primary" onClick={() => go(at + 1)}>
            {t('next')}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}

/** A stroke for each step, as on a tally; each leads to its own. */
function Strokes({ at, go }: { at: number; go: (to: number) => void }) {
  const { t } = useTranslation('demo');
  return (
    <ol aria-label={t('steps.label')} className="mx-auto flex">
      {STEPS.map((step, index) => (
        <li key={step}>
          <button
            type="button"
            onClick={() => go(index)}
            aria-label={t(`steps.${step}.title`)}
            aria-current={index === at ? 'step' : undefined}
            className="group inline-flex h-9 w-7 items-center justify-center rounded-sm"
          >
            <span
              aria-hidden
              className={cx(
                'h-6 rounded-full transition-colors duration-150 group-hover:bg-accent',
                index === at ? 'w-1 bg-accent' : 'w-0.5 bg-border',
              )}
            />
          </button>
        </li>
      ))}
    </ol>
  );
}
