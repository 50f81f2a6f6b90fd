import type {
  Session,
  SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  STEP_ACTIONS,
  type StepAction,
} from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  ArrowLeft,
  ArrowUpDown,
  BookmarkPlus,
  CircleCheck,
  CircleDot,
  CirclePause,
  CircleX,
  FileText,
  Flag,
  Keyboard,
  Lightbulb,
  Link2,
  ListFilter,
  type LucideIcon,
  MousePointerClick,
  Search,
  User,
  Wrench,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { ExactTime } from '../../ui/time.tsx';
import { LedgerEntryLink } from '../credits/ledger-entry-link.tsx';
import { isFree, type StepResult, stepResult } from './steps.ts';

/** All that was done, in its order, with what was thought, read and paid. */
export function SessionSteps({
  session,
  steps,
}: {
  session: Session;
  steps: readonly SessionStep[];
}) {
  const { t } = useTranslation('sessions');
  // The outcome says what they came to.
  const isFolded = session.status === 'completed' || session.status === 'terminated';
  return (
    <details open={!isFolded} className="group border-t border-line pt-4">
      <summary className="cursor-pointer rounded-sm group-open:mb-3">
        <h2 className="inline font-medium">{t('steps.title')}</h2>{' '}
        <span className="tabular text-xs text-muted">
          {t('activity.count', { count: steps.length })}
        </span>
      </summary>
      {steps.length === 0 && <p className="text-muted">{t('steps.none')}</p>}
      {steps.length > 0 && (
        <ol className="flex flex-col gap-3">
          {steps.map((step) => (
            <li key={step.id} className="rounded-md bg-sunken px-3 py-2">
              <StepDetails step={step} />
            </li>
          ))}
        </ol>
      )}
    </details>
  );
}

export function StepDetails({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const { input, output, reasoning, finding, metadata, charge } = step;
  return (
    <div className="flex flex-col gap-2">
      <StepHead step={step} />
      {step.interrupted && <p className="text-muted">{t('steps.interruptedWhy')}</p>}
      {input && <p className="break-words">{input}</p>}
      {reasoning && (
        <p className="break-words text-muted">
          <span className="sr-only">{t('steps.reasoning')}: </span>
          {reasoning}
        </p>
      )}
      {finding && (
        <p className="border-l-2 border-accent pl-3 break-words">
          <span className="block text-xs text-muted">{t('steps.finding')}</span>
          {finding.text}
          {finding.url && <PageAddress label={t('steps.source')} url={finding.url} />}
        </p>
      )}
      {metadata.url && <PageAddress label={t('steps.page')} url={metadata.url} />}
      {output && (
        <details>
          <summary className="rounded-sm text-xs text-muted">{t('steps.output')}</summary>
          <pre className="mt-1 font-mono text-xs break-words whitespace-pre-wrap">{output}</pre>
        </details>
      )}
      {charge && (
        <p className="flex flex-wrap gap-x-2 text-xs text-muted">
          <LedgerEntryLink
            sequence={charge.sequence}
            label={t('steps.charge', { sequence: charge.sequence })}
          />
          <span aria-hidden>·</span>
          <ExactTime at={charge.at} />
        </p>
      )}
    </div>
  );
}

const RESULTS = {
  worked: { icon: CircleCheck, color: 'text-success' },
  failed: { icon: CircleX, color: 'text-danger' },
  interrupted: { icon: CirclePause, color: 'text-muted' },
} satisfies Record<StepResult, object>;

function StepHead({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const nameOf = useActionName();
  const { stepNumber: number, creditsUsed: count, takenBy } = step;
  const result = stepResult(step);
  const { icon: Icon, color } = RESULTS[result];
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <Icon role="img" aria-label={t(`steps.${result}`)} className={`size-4 ${color}`} />
      <span className="tabular text-xs text-muted">{t('steps.step', { number })}</span>
      <span className="flex min-w-0 items-center gap-1.5 font-medium">
        <ActionIcon action={step.action} />
        {nameOf(step.action)}
      </span>
      {step.toolUsed && <span className="text-xs break-words text-muted">{step.toolUsed}</span>}
      {takenBy && (
        <span className="flex items-center gap-1 text-xs text-muted">
          <User aria-hidden className="size-3" />
          {t('steps.byPerson', { name: takenBy.name ?? t('formerMember') })}
        </span>
      )}
      <span className="ml-auto tabular text-xs text-muted">
        {isFree(step) ? t('steps.free') : t('list.credits', { count })}
      </span>
    </div>
  );
}

const icons: Record<StepAction, LucideIcon> = {
  plan: Lightbulb,
  open: Link2,
  click: MousePointerClick,
  type: Keyboard,
  select: ListFilter,
  scroll: ArrowUpDown,
  back: ArrowLeft,
  extract: FileText,
  search: Search,
  use_tool: Wrench,
  note: BookmarkPlus,
  finish: Flag,
};

const isKnown = (action: string): action is StepAction =>
  (STEP_ACTIONS as readonly string[]).includes(action);

/** An action's name in words; one that a newer server knows stays as it is. */
export function useActionName(): (action: string) => string {
  const { t } = useTranslation('sessions');
  return (action) => (isKnown(action) ? t(`actions.${action}`) : action);
}

export function ActionIcon({ action }: { action: string }) {
  const Icon = isKnown(action) ? icons[action] : CircleDot;
  return <Icon aria-hidden className="size-4 shrink-0 text-muted" />;
}

/** The window of a session's browser; keeps the place while a picture comes. */
export const PICTURE_WIDTH = 1280;
export const PICTURE_HEIGHT = 800;

/** The page as it was after a step. */
export function StepPicture({ step }: { step: SessionStep }) {
  const { t } = useTranslation('sessions');
  const [url] = step.metadata.screenshotUrls;
  if (!url) {
    return (
      <p className="flex aspect-video items-center justify-center rounded-lg border border-line bg-sunken px-4 text-center text-muted">
        {t('activity.noPicture')}
      </p>
    );
  }
  return (
    <img
      src={url}
      alt={t('picture.alt', { number: step.stepNumber })}
      width={PICTURE_WIDTH}
      height={PICTURE_HEIGHT}
      className="h-auto w-full rounded-lg border border-line bg-sunken"
    />
  );
}

/** The address of a page that the agent saw, which leads there; `label` is read aloud. */
export function PageAddress({ label, url }: { label: string; url: string }) {
  const isOnTheWeb = /^https?:\/\//i.test(url);
  const name = (
    <>
      <span className="sr-only">{label}: </span>
      {url}
    </>
  );
  return (
    <span className="block truncate font-mono text-xs text-muted" title={url}>
      {isOnTheWeb ? (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer nofollow"
          className="rounded-sm underline-offset-4 hover:underline"
        >
          {name}
        </a>
      ) : (
        name
      )}
    </span>
  );
}
