import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router-dom';
import { LoadFailed, NotLoaded } from '../../app/loaded.tsx';
import { Page } from '../../app/page.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Card, CardSection } from '../../ui/card.tsx';
import { Link } from '../../ui/link.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { useGetAgentQuery } from '../chat/chat.api.ts';
import { TaskLinks } from '../tasks/task-links.tsx';
import { useListTasksQuery } from '../tasks/tasks.api.ts';
import { ExecuteFields, ExecuteOutcome, useExecuteForm } from './execute-form.tsx';
import { isMissing, MissingAgent } from './missing-agent.tsx';

const LAST_TASKS = 10;

/** `/agents/{id}/execute`: the form, the live result, and the agent's last tasks. */
export function ExecutePage() {
  const { t } = useTranslation('agents');
  const { id = '' } = useParams();
  const { data: agent, error, refetch } = useGetAgentQuery(id);
  if (!agent && isMissing(error)) return <MissingAgent title={t('execute.title')} />;
  if (!agent && error) return <LoadFailed error={error} onRetry={refetch} />;
  return (
    <Page
      title={t('execute.title')}
      description={agent && t('execute.description', { name: agent.name })}
      action={agent && <ButtonLink to={`/agent/${agent.id}`}>{t('execute.chat')}</ButtonLink>}
    >
      {agent ? <Execute agent={agent} /> : <FormLoading />}
    </Page>
  );
}

function FormLoading() {
  const { t } = useTranslation('agents');
  return (
    <Loading label={t('loading')} className="flex flex-col gap-4">
      <Skeletons count={2} className="h-40 rounded-lg" />
    </Loading>
  );
}

function Execute({ agent }: { agent: Agent }) {
  const { t } = useTranslation('agents');
  const state = useExecuteForm(agent);
  const { submit, processing, waitingTask, price, mayRun, attachments } = state;
  return (
    <>
      {!agent.isActive && (
        <Banner tone="warning">{t('execute.paused', { name: agent.name })}</Banner>
      )}
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-6">
          <Card>
            <form noValidate onSubmit={submit} className="flex flex-col gap-4">
              <ExecuteFields {...state} />
              <div className="phone-bar flex justify-end">
                <Button
                  type="submit"
                  variant={waitingTask ? 'secondary' : 'primary'}
                  pending={processing || attachments.isUploading}
                  disabled={(!mayRun || !agent.isActive) && !processing}
                >
                  {t('execute.submit', { count: price })}
                </Button>
              </div>
            </form>
          </Card>
          <h2 className="sr-only">{t('execute.result')}</h2>
          <ExecuteOutcome {...state} />
        </div>
        <LastTasks agentId={agent.id} />
      </div>
    </>
  );
}

function LastTasks({ agentId }: { agentId: string }) {
  const { t } = useTranslation('agents');
  const { data: tasks, error, refetch } = useListTasksQuery({ limit: LAST_TASKS, agentId });
  return (
    <CardSection
      title={t('execute.last')}
      actions={
        <Link
          to={`/tasks?agentId=${agentId}`}
          className="rounded-sm text-accent underline-offset-4 hover:underline"
        >
          {t('execute.allTasks')}
        </Link>
      }
    >
      {!tasks && (
        <NotLoaded
          query={{ error, refetch }}
          label={t('loading')}
          count={4}
          skeleton="my-3 h-6"
          className="flex flex-col"
        />
      )}
      {tasks?.length === 0 && <p className="text-muted">{t('execute.noTasks')}</p>}
      {tasks && tasks.length > 0 && <TaskLinks tasks={tasks} nameOf={({ input }) => input} />}
    </CardSection>
  );
}
