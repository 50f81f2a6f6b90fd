import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { Task } from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { ListChecks } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { asRead } from '../../app/api.ts';
import { LoadFailed } from '../../app/load-failed.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { TaskLinks } from '../tasks/task-links.tsx';
import { useListTasksQuery } from '../tasks/tasks.api.ts';

const SHOWN = 5;

/** The latest tasks, each leading to its details. */
export function RecentActivity() {
  const { t } = useTranslation('organizations');
  const { data: tasks } = useListTasksQuery({ limit: SHOWN }, asRead<Task[]>());
  return (
    <CardSection
      title={t('recent.title')}
      actions={
        tasks &&
        tasks.length > 0 && (
          <Link to="/tasks" className="rounded-sm text-accent underline-offset-4 hover:underline">
            {t('recent.all')}
          </Link>
        )
      }
    >
      <LatestTasks />
    </CardSection>
  );
}

function LatestTasks() {
  const { t } = useTranslation('organizations');
  const { t: ofTasks } = useTranslation('tasks');
  const { data: tasks, error, refetch } = useListTasksQuery({ limit: SHOWN }, asRead<Task[]>());
  const { data: agents = [], isLoading: isNaming } = useListAgentsQuery(
    undefined,
    asRead<Agent[]>(),
  );
  const mayCreate = mayCall(useCurrentUser().role, createAgent);
  if (!tasks && error) return <LoadFailed error={error} onRetry={refetch} />;
  // Until the names are here nobody knows which agent is gone.
  if (!tasks || isNaming) {
    return (
      <Loading label={t('recent.loading')} className="flex flex-col">
        <Skeletons count={SHOWN} className="my-3 h-6" />
      </Loading>
    );
  }
  if (tasks.length === 0) {
    return (
      <EmptyState
        icon={ListChecks}
        title={t('recent.empty')}
        description={t('recent.emptyDescription')}
        action={
          mayCreate && (
            <ButtonLink>
              <Link to="/agents">{t('recent.emptyAction')}</Link>
            </ButtonLink>
          )
        }
      />
    );
  }
  const names = new Map(agents.map(({ id, name }) => [id, name]));
  return (
    <TaskLinks
      tasks={tasks}
      nameOf={({ agentId }) => names.get(agentId) ?? ofTasks('unknownAgent')}
    />
  );
}
