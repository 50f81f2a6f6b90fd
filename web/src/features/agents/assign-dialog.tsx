import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { BookOpen } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import { LoadFailed } from '../../app/load-failed.tsx';
import { describeProblem } from '../../app/problem.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog, DialogBody, DialogCancel, DialogFooter } from '../../ui/dialog.tsx';
import { Loading, Skeletons } from '../../ui/skeleton.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { showToast } from '../../ui/toast.ts';
import { useListArticlesQuery } from '../knowledge/knowledge.api.ts';
import { useAssignResourcesMutation, useGetAssignmentsQuery } from './agents.api.ts';

const TAGS_SHOWN = 2;

type AssignDialogProps = { agent: Agent; close: () => void };

/** Chooses what an agent may answer from; what it has already is chosen at the start. */
export function AssignDialog({ agent, close }: AssignDialogProps) {
  const { t } = useTranslation('agents');
  const articles = useListArticlesQuery();
  const assigned = useGetAssignmentsQuery(agent.id, { refetchOnMountOrArgChange: true });
  // Undefined until something was ticked, so that the server's answer shows when it comes.
  const [chosen, setChosen] = useState<readonly string[]>();
  const [assign, { isLoading }] = useAssignResourcesMutation();
  const before = assigned.data?.articles ?? [];
  const now = chosen ?? before;
  const dirty = now.length !== before.length || now.some((id) => !before.includes(id));
  const submit = async () => {
    if (!assigned.data || isLoading) return;
    const assignments = { ...assigned.data, articles: [...now] };
    const { error } = await assign({ id: agent.id, assignments });
    if (!error) {
      close();
      showToast({ title: t('toasts.assigned') });
      return;
    }
    showToast({
      variant: 'destructive',
      title: t('toasts.assignFailed'),
      description: describeProblem(t, error),
    });
  };
  const error = articles.error ?? assigned.error;
  const loaded = articles.data && assigned.data;
  return (
    <Dialog
      open
      onOpenChange={close}
      dirty={dirty && !isLoading}
      title={t('assign.title')}
      description={t('assign.description', { name: agent.name })}
    >
      <DialogBody>
        {loaded && <ArticlePicker articles={articles.data ?? []} chosen={now} choose={setChosen} />}
        {!loaded && error && (
          <LoadFailed
            error={error}
            onRetry={() => {
              articles.refetch();
              assigned.refetch();
            }}
          />
        )}
        {!loaded && !error && (
          <Loading label={t('assign.loading')} className="flex flex-col gap-3">
            <Skeletons count={4} className="h-10" />
          </Loading>
        )}
      </DialogBody>
      {articles.data && articles.data.length > 0 && (
        <DialogFooter>
          <p className="flex-1 self-center text-muted">
            {t('assign.selected', { count: now.length })}
          </p>
          <DialogCancel />
          <Button variant="primary" pending={isLoading} disabled={!loaded} onClick={submit}>
            {t('assign.submit')}
          </Button>
        </DialogFooter>
      )}
    </Dialog>
  );
}

function ArticlePicker({
  articles,
  chosen,
  choose,
}: {
  articles: readonly Article[];
  chosen: readonly string[];
  choose: (ids: string[]) => void;
}) {
  const { t } = useTranslation('agents');
  if (articles.length === 0) {
    return (
      <EmptyState
        icon={BookOpen}
        title={t('assign.articles')}
        description={t('assign.empty')}
        action={
          <ButtonLink>
            <Link to="/knowledge">{t('assign.emptyAction')}</Link>
          </ButtonLink>
        }
      />
    );
  }
  return (
    <fieldset>
      <legend className="mb-3 font-medium">{t('assign.articles')}</legend>
      <ul className="flex flex-col divide-y divide-line">
        {articles.map((article) => (
          <li key={article.id} className="py-2">
            <Checkbox
              label={article.title}
              help={<ArticleHints article={article} />}
              checked={chosen.includes(article.id)}
              onCheckedChange={(on) =>
                choose(on ? [...chosen, article.id] : chosen.filter((id) => id !== article.id))
              }
            />
          </li>
        ))}
      </ul>
    </fieldset>
  );
}

function ArticleHints({ article }: { article: Article }) {
  const { t } = useTranslation('agents');
  return (
    <span className="mt-1 flex flex-wrap items-center gap-1">
      {article.tags.slice(0, TAGS_SHOWN).map((tag) => (
        <Badge key={tag}>{tag}</Badge>
      ))}
      {article.isPublic && t('assign.public')}
    </span>
  );
}
