import {
  type MeaningSearch,
  setMeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import type { Connection } from '@tallyhand/contracts/features/models/models.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { useTranslation } from 'react-i18next';
import { useAnnounce } from '../../app/announce.ts';
import { describeSentence } from '../../app/sentence.ts';
import { Banner } from '../../ui/banner.tsx';
import { CardSection } from '../../ui/card.tsx';
import { Field, Select } from '../../ui/field.tsx';
import { numberFormat } from '../../ui/formats.ts';
import { Progress } from '../../ui/progress.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';
import {
  useGetMeaningSearchQuery,
  useListConnectionsQuery,
  useSetMeaningSearchMutation,
} from './models.api.ts';

const LOOK_AGAIN_MS = 3_000;

/** The model that finds passages by meaning, and how many articles it has read. */
export function MeaningSearchCard() {
  const { t } = useTranslation('models');
  const options = { pollingInterval: LOOK_AGAIN_MS, skipPollingIfUnfocused: true };
  const { data: search } = useGetMeaningSearchQuery(undefined, options);
  const { data: connections } = useListConnectionsQuery();
  if (!search || !connections) return null;
  return (
    <CardSection title={t('meaning.title')} className="mt-6">
      <p className="-mt-2 mb-4 max-w-[68ch] text-muted">{t('meaning.description')}</p>
      <div className="flex max-w-xl flex-col gap-4">
        <Choice search={search} connections={connections} />
        <State search={search} />
      </div>
    </CardSection>
  );
}

type ChoiceProps = { search: MeaningSearch; connections: readonly Connection[] };

function Choice({ search, connections }: ChoiceProps) {
  const { t } = useTranslation('models');
  const { role } = useCurrentUser();
  const announce = useAnnounce();
  const [choose, { isLoading }] = useSetMeaningSearchMutation();
  const chosen = search.connectionId ?? search.source;
  const able = connections.filter(({ embeddingModel }) => embeddingModel !== null);
  const isGone = search.connectionId !== null && !able.some(({ id }) => id === chosen);
  const options = [
    { value: 'default', label: t('meaning.default') },
    ...able.map(({ id, name, embeddingModel }) => ({
      value: id,
      label: `${name}: ${embeddingModel}`,
    })),
    ...(isGone ? [{ value: chosen, label: t('meaning.gone') }] : []),
    { value: 'off', label: t('meaning.off') },
  ];
  const change = (value: string) =>
    announce(
      choose(
        value === 'default' || value === 'off'
          ? { source: value }
          : { source: 'connection', connectionId: value },
      ),
      { done: t('toasts.meaningChanged'), failed: t('toasts.meaningFailed') },
    );
  return (
    <Field label={t('meaning.model')} help={t('meaning.help')}>
      <Select
        value={chosen}
        options={options}
        disabled={isLoading || !mayCall(role, setMeaningSearch)}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}

function State({ search }: { search: MeaningSearch }) {
  const { t, i18n } = useTranslation('models');
  const { model, articles, embedded, inputTokens, isEstimated, failure } = search;
  const number = numberFormat(i18n.language);
  if (model === null && !failure) return <p className="text-muted">{t('meaning.wordsOnly')}</p>;
  const tokens = { tokens: number.format(inputTokens) };
  return (
    <>
      {failure && (
        <Banner tone="warning">
          {describeSentence(t, failure, failure.text)} {t('meaning.failing')}
        </Banner>
      )}
      {model !== null && (
        <>
          <Progress
            label={t('meaning.progress')}
            percent={articles === 0 ? 100 : (100 * embedded) / articles}
            detail={t('meaning.embedded', {
              embedded: number.format(embedded),
              articles: number.format(articles),
            })}
          />
          <p className="text-xs text-muted">
            {model} · {isEstimated ? t('meaning.about', tokens) : t('meaning.tokens', tokens)}
          </p>
        </>
      )}
    </>
  );
}
