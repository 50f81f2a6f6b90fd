import { authorizedTool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { Page, RestrictedPage } from '../../app/page.tsx';
import { describeProblem } from '../../app/problem.ts';
import { withReason } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { showToast } from '../../ui/toast.ts';
import { useAuthorizedToolMutation } from './tools.api.ts';

/** Where the authorization page of an MCP server leads back to. */
export function SignedInPage() {
  const { t } = useTranslation('tools');
  const instead = { title: t('signIn.restricted'), description: t('empty.forOthers') };
  return (
    <RestrictedPage needs={authorizedTool} title={t('signIn.title')} instead={instead}>
      <Page narrow title={t('signIn.title')}>
        <Card className="p-6">
          <Completing />
        </Card>
      </Page>
    </RestrictedPage>
  );
}

function Completing() {
  const { t } = useTranslation('tools');
  const navigate = useNavigate();
  const [complete] = useAuthorizedToolMutation();
  const [failure, setFailure] = useState<string>();
  const begun = useRef(false);

  useEffect(() => {
    // The state counts once, and effects may run twice.
    if (begun.current) return;
    begun.current = true;
    const answer = takeAnswer();
    if (!answer) return setFailure(t('signIn.nothing'));
    const completing = async () => {
      const { data, error } = await complete(answer);
      if (!data) return setFailure(describeProblem(t, withReason(t, error)));
      showToast({ title: t('signIn.done', { name: data.name }) });
      navigate('/tools', { replace: true });
    };
    void completing();
  }, [complete, navigate, t]);

  if (failure === undefined) return <p role="status">{t('signIn.completing')}</p>;
  return (
    <>
      <Banner tone="danger" title={t('signIn.failed')}>
        {failure}
      </Banner>
      <ButtonLink variant="primary" className="mt-4 max-sm:w-full" to="/tools" replace>
        {t('signIn.back')}
      </ButtonLink>
    </>
  );
}

/** What the authorization page has added to the address; it does not stay in the history. */
function takeAnswer() {
  const { search, pathname } = window.location;
  window.history.replaceState(window.history.state, '', pathname);
  const given = new URLSearchParams(search);
  const state = given.get('state');
  if (!state) return undefined;
  const [code, iss, error] = ['code', 'iss', 'error'].map((name) => given.get(name) ?? undefined);
  return { state, code, iss, error };
}
