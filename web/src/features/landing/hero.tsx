import { SIGN_UP_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { Check, Play } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { part } from '../../app/part.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Mark } from '../../ui/logo.tsx';
import { Backdrop } from './backdrop.tsx';
import { claims } from './claims.ts';

// It weighs more than the page, and comes when somebody wants to see it.
const DemoTour = part([], ['landing'], async () => (await import('./demo-tour.tsx')).DemoTour);

/** The first words, beside the strokes, and the ways to go on. */
export function Hero() {
  const { t } = useTranslation('landing');
  const [isShown, setShown] = useState(false);
  return (
    <section className="relative overflow-hidden">
      <div className="relative mx-auto max-w-[1200px] px-6 py-12 sm:py-16 md:py-24">
        <Backdrop className="absolute top-4 right-0 left-28 h-36 sm:h-44 md:inset-y-0 md:left-[54%] md:h-auto" />
        <Mark className="mb-12 size-16 sm:mb-16 md:mb-8" />
        <div className="relative md:max-w-[52%]">
          <p className="text-sm font-medium text-accent">{t('hero.badge')}</p>
          <h1 className="mt-3 max-w-[18ch] text-2xl font-semibold tracking-tight text-balance sm:text-4xl">
            {t('hero.title')}
          </h1>
          <p className="mt-4 max-w-[52ch] text-base text-muted sm:text-lg">{t('hero.text')}</p>
          <div className="mt-8 flex flex-col gap-3 sm:flex-row">
            <ButtonLink variant="primary" size="lg">
              <Link to="/auth?tab=register">{t('hero.start')}</Link>
            </ButtonLink>
            <Button size="lg" onClick={() => setShown(true)}>
              <Play aria-hidden />
              {t('hero.demo')}
            </Button>
          </div>
          <Facts />
        </div>
      </div>
      {isShown && (
        <Suspense>
          <DemoTour close={() => setShown(false)} />
        </Suspense>
      )}
    </section>
  );
}

function Facts() {
  const { t } = useTranslation('landing');
  const { setupMinutes, deploymentMinutes, organizations } = claims;
  const facts = [
    t('facts.credits', { count: SIGN_UP_CREDITS }),
    t('facts.card'),
    setupMinutes && t('facts.setup', { count: setupMinutes }),
    deploymentMinutes && t('facts.deployment', { count: deploymentMinutes }),
    organizations && t('facts.organizations', { number: String(organizations) }),
  ].filter((fact) => typeof fact === 'string');
  return (
    <ul className="mt-8 flex flex-wrap gap-x-6 gap-y-2 text-sm text-muted">
      {facts.map((fact) => (
        <li key={fact} className="flex items-center gap-2">
          <Check aria-hidden className="size-4 shrink-0 text-success" />
          {fact}
        </li>
      ))}
    </ul>
  );
}
