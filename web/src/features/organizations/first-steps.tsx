import {
  type Agent,
  assignResources,
  createAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import type { OrganizationStats } from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { executeTask, type TaskStats } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { issueInvitation } from '@tallyhand/contracts/features/team/team.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { Circle, CircleCheck, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asRead } from '../../app/api.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { cx } from '../../ui/cx.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { ProgressBar } from '../../ui/progress.tsx';
import { remember, remembered } from '../../ui/remembered.ts';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { BLANK_PATH, GALLERY_PATH, SAMPLE } from '../agents/gallery-path.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { useGetTaskStatsQuery } from '../tasks/tasks.api.ts';
import { useGetOrganizationStatsQuery } from './organizations.api.ts';

type StepName = 'article' | 'agent' | 'assign' | 'task' | 'invite';
type Step = { name: StepName; to: string; isDone: boolean };

/** What is left of the way to the first answer; `next` is missing where the steps are not shown. */
export type Way = {
  steps: readonly Step[];
  next: Step | undefined;
  isKnown: boolean;
  dismiss: () => void;
};

/** The first steps of members who may create agents: until each is done, or they are dismissed. */
export function useFirstSteps(): Way {
  const { id, role } = useCurrentUser();
  const { steps, isKnown } = useSteps(role);
  const [isDismissed, setDismissed] = useState(() => remembered('firstSteps') === id);
  const next = steps.find(({ isDone }) => !isDone);
  const isThrough = isKnown && !next;
  useEffect(() => {
    if (isThrough) remember('firstSteps', id);
  }, [isThrough, id]);
  const dismiss = () => {
    remember('firstSteps', id);
    setDismissed(true);
  };
  const isShown = !isDismissed && mayCall(role, createAgent);
  return { steps, next: isShown ? next : undefined, isKnown, dismiss };
}

/**
 * Has its place while it is unknown what is done, so that nothing below moves on a first day; who
 * was through once keeps no place.
 */
export function FirstSteps({ way: { steps, next, isKnown, dismiss } }: { way: Way }) {
  const { t } = useTranslation('organizations');
  const { role } = useCurrentUser();
  if (!next) return null;
  const fromTemplate = steps.some(({ name, isDone }) => name === 'agent' && !isDone);
  const done = steps.filter(({ isDone }) => isDone).length;
  const progress = t('firstSteps.progress', { done, total: steps.length });
  return (
    <CardSection
      className={isKnown ? undefined : 'invisible'}
      title={t('firstSteps.title')}
      actions={
        <div className="flex items-center gap-2 text-sm text-muted">
          <span className="tabular">{progress}</span>
          <IconButton
            icon={X}
            label={t('firstSteps.dismiss')}
            className="-mr-2"
            onClick={dismiss}
          />
        </div>
      }
    >
      <ProgressBar label={progress} percent={(100 * done) / steps.length} />
      {fromTemplate && (
        <div className="mt-3 flex flex-wrap items-center justify-between gap-x-3 gap-y-2 rounded-md bg-sunken p-3">
          <p>{t('firstSteps.template.text')}</p>
          <div className="flex flex-wrap gap-2">
            {mayCall(role, createArticle) && (
              <ButtonLink size="sm" {...SAMPLE}>
                {t('firstSteps.sample')}
              </ButtonLink>
            )}
            <ButtonLink size="sm" variant="primary" to={GALLERY_PATH}>
              {t('firstSteps.template.action')}
            </ButtonLink>
          </div>
        </div>
      )}
      <ol className="mt-2 flex flex-col">
        {steps.map((step) => (
          <StepRow key={step.name} step={step} isNext={step === next && !fromTemplate} />
        ))}
      </ol>
    </CardSection>
  );
}

function StepRow({ step: { name, to, isDone }, isNext }: { step: Step; isNext: boolean }) {
  const { t } = useTranslation('organizations');
  const Icon = isDone ? CircleCheck : Circle;
  return (
    <li className="flex items-center gap-3 border-t border-line py-3 first:border-0">
      <Icon
        role="img"
        aria-label={isDone ? t('firstSteps.done') : t('firstSteps.open')}
        className={cx('size-5 shrink-0', isDone ? 'text-success' : 'text-muted')}
      />
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <p className={cx('font-medium', isDone && 'text-muted')}>
            {t(`firstSteps.${name}.title`)}
          </p>
          {!isDone && <p className="text-muted">{t(`firstSteps.${name}.text`)}</p>}
        </div>
        {!isDone && (
          <ButtonLink size="sm" variant={isNext ? 'primary' : 'secondary'} to={to}>
            {t(`firstSteps.${name}.action`)}
          </ButtonLink>
        )}
      </div>
    </li>
  );
}

/** The steps that the role may take; none counts as done while that is unknown. */
function useSteps(role: Role): { steps: Step[]; isKnown: boolean } {
  const counts = useGetOrganizationStatsQuery(undefined, asRead<OrganizationStats>()).data;
  const tasks = useGetTaskStatsQuery(undefined, asRead<TaskStats>()).data;
  const agents = useListAgentsQuery(undefined, asRead<Agent[]>()).data;
  const [agent] = agents ?? [];
  const steps = [
    {
      name: 'article',
      by: createArticle,
      to: '/knowledge?new=article',
      isDone: (counts?.articles ?? 0) > 0,
    },
    { name: 'agent', by: createAgent, to: BLANK_PATH, isDone: (counts?.agents ?? 0) > 0 },
    {
      name: 'assign',
      by: assignResources,
      to: agent ? `/agents/${agent.id}` : '/agents',
      isDone: counts?.hasAssignedAgent === true,
    },
    {
      name: 'task',
      by: executeTask,
      to: agent ? `/agents/${agent.id}/execute` : '/agents',
      isDone: (tasks?.total ?? 0) > 0,
    },
    {
      name: 'invite',
      by: issueInvitation,
      to: '/team?new=invitation',
      isDone: counts?.hasTeammates === true,
    },
  ] as const;
  return {
    steps: steps.filter(({ by }) => mayCall(role, by)),
    isKnown: counts !== undefined && tasks !== undefined && agents !== undefined,
  };
}
