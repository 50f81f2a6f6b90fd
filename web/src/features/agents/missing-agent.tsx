import { Bot } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Page } from '../../app/page.tsx';
import { asProblem } from '../../app/problem.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';

/** There is no such agent, or its id in the address is not one. */
export const isMissing = (error: unknown): boolean =>
  error !== undefined && [404, 422].includes(asProblem(error).status);

export function MissingAgent({ title }: { title: string }) {
  const { t } = useTranslation('agents');
  return (
    <Page title={title}>
      <EmptyState
        icon={Bot}
        title={t('missing.title')}
        description={t('missing.description')}
        action={
          <ButtonLink variant="primary" to="/agents">
            {t('missing.action')}
          </ButtonLink>
        }
      />
    </Page>
  );
}
