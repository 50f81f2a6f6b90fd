import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { createArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { laterPart } from '../../app/part.ts';
import { Button } from '../../ui/button.tsx';
import { CardSection } from '../../ui/card.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';

/** Adds the sample data when it is shown. */
const AddSample = laterPart(
  ['problems', 'sample', 'templates'],
  async () => (await import('./sample-dialogs.tsx')).AddSample,
);

/** Removes the sample data after asking. */
const RemoveSample = laterPart(
  ['problems', 'sample', 'templates'],
  async () => (await import('./sample-dialogs.tsx')).RemoveSample,
);

/** Adds and removes the sample data, for members who may write its articles and its agent. */
export function SampleCard() {
  const { t } = useTranslation('settings');
  const { role } = useCurrentUser();
  const [shown, setShown] = useState<'add' | 'remove'>();
  if (!mayCall(role, createArticle) || !mayCall(role, createAgent)) return null;
  const close = () => setShown(undefined);
  return (
    <CardSection title={t('sample.title')} className="mt-6 max-w-[560px]">
      <p className="text-muted">{t('sample.text')}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button onClick={() => setShown('add')}>{t('sample.add')}</Button>
        <Button onClick={() => setShown('remove')}>{t('sample.remove')}</Button>
      </div>
      {shown === 'add' && <AddSample close={close} />}
      {shown === 'remove' && <RemoveSample close={close} />}
    </CardSection>
  );
}
