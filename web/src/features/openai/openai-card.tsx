import { useTranslation } from 'react-i18next';
import { CardSection } from '../../ui/card.tsx';
import { CodeSample, PlainCode } from '../../ui/code-sample.tsx';
import { useListAgentsQuery } from '../agents/agents.api.ts';
import { baseUrlOf, modelOf, openAiSample } from './openai-samples.ts';

/** How programs that speak OpenAI's API use agents. */
export function OpenAiCard() {
  const { t } = useTranslation('developers');
  const { data: agents = [] } = useListAgentsQuery();
  const { origin } = window.location;
  return (
    <CardSection title={t('openai.title')}>
      <p className="mb-3 text-sm text-muted">{t('openai.explained')}</p>
      <div className="flex flex-col gap-3">
        <PlainCode title={t('openai.baseUrl')} text={baseUrlOf(origin)} />
        <CodeSample
          title={t('openai.title')}
          codeIn={(language) => openAiSample(language, origin, modelOf(agents))}
        />
      </div>
    </CardSection>
  );
}
