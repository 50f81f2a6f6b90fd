import { SIGN_UP_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { Check, Play } from 'lucide-react';
import { type ComponentType, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { laterPart } from '../../app/part.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';

/**
 * What the landing page claims in figures. An operator replaces them before the web is built; what
 * is null is not shown. Which figure stands for which use case is said by its words.
 */
export const claims: {
  /** US dollars. */
  readonly pricePerTask: number | null;
  readonly setupMinutes: number | null;
  readonly deploymentMinutes: number | null;
  readonly replyHours: number | null;
  /** At least so many. */
  readonly organizations: number | null;
  readonly useCases: Readonly<Record<UseCase, number | null>>;
} = {
  pricePerTask: 0.1,
  setupMinutes: 2,
  deploymentMinutes: 2,
  replyHours: 24,
  organizations: 1000,
  useCases: { support: 80, content: 5, analysis: 90, workflow: 60 },
};

export type UseCase = 'support' | 'content' | 'analysis' | 'workflow';

// It is heavier than the page, and loads on request.
const DemoFilm = laterPart(['demo'], async () => (await import('./demo-film.tsx')).DemoFilm);

/** The first words, beside the strokes, and the ways to go on. */
export function Hero() {
  const { t } = useTranslation('landing');
  const [isShown, setShown] = useState(false);
  return (
    <section className="relative overflow-hidden">
      <div className="relative mx-auto max-w-[1200px] px-6 py-12 sm:py-16 md:py-24">
        <Backdrop className="absolute inset-x-0 top-4 h-36 sm:h-44 md:inset-y-0 md:left-[54%] md:h-auto" />
        <div className="relative mt-28 sm:mt-32 md:mt-0 md:max-w-[52%]">
          <p className="text-sm font-medium text-accent">{t('hero.badge')}</p>
          <h1 className="mt-3 max-w-[18ch] text-2xl font-semibold tracking-tight text-balance sm:text-4xl">
            {t('hero.title')}
          </h1>
          <p className="mt-4 max-w-[52ch] text-base text-muted sm:text-lg">{t('hero.text')}</p>
          <div className="mt-8 flex flex-col gap-3 sm:flex-row">
            <ButtonLink variant="primary" size="lg" to="/auth?tab=register">
              {t('hero.start')}
            </ButtonLink>
            <Button icon={Play} size="lg" onClick={() => setShown(true)}>
              {t('hero.demo')}
            </Button>
          </div>
          <Facts />
        </div>
      </div>
      {isShown && <DemoFilm close={() => setShown(false)} />}
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

/**
 * Strokes in ink that float beside the words: a still drawing where the machine would have to work
 * hard for each picture, without a graphics card. Nothing waits for them, and nothing needs them.
 */
function Backdrop({ className }: { className: string }) {
  const host = useRef<HTMLDivElement>(null);
  const [Flat, setFlat] = useState<ComponentType | null>(null);
  useEffect(() => {
    const shown = new AbortController();
    const begin = async () => {
      const { drawBackdrop } = await import('./backdrop.ts');
      if (!host.current || shown.signal.aborted) return;
      const flat = await drawBackdrop(host.current, shown.signal);
      if (flat) setFlat(() => flat);
    };
    const forget = whenUsable(() => void begin());
    return () => {
      forget();
      shown.abort();
    };
  }, []);
  return (
    <div ref={host} aria-hidden className={`pointer-events-none ${className}`}>
      {Flat && <Flat />}
    </div>
  );
}

/** Where the browser does not tell when it is idle: what was asked for before has then come. */
const LATER_MS = 300;

/** Runs once the page has loaded and the browser has nothing better to do. Gives how to forget it. */
function whenUsable(run: () => void): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  const later = () => {
    const once = () => !signal.aborted && run();
    if ('requestIdleCallback' in window) window.requestIdleCallback(once);
    else setTimeout(once, LATER_MS);
  };
  if (document.readyState === 'complete') later();
  else window.addEventListener('load', later, { once: true, signal });
  return () => ending.abort();
}
