import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWhenServerIsBack } from '../../app/connection.ts';
import { IconInput } from '../../ui/field.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { usePageHead } from '../support/public-title.tsx';
import { type ApiDocument, eventsOf, groupsOf, isFound, resolvedDocument } from './document.ts';
import { OperationView, Unfolding } from './operation-view.tsx';
import { SchemaView } from './schema-view.tsx';

const ADDRESS = '/api/openapi.json';

type Loaded = { document?: ApiDocument; failed?: true };

/** The document that the server serves; public, so nothing of the app's store is needed. */
function useDocument() {
  const [loaded, setLoaded] = useState<Loaded>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const cache = tries === 0 ? 'default' : 'reload';
    fetch(ADDRESS, { signal: leaving.signal, cache })
      .then((response) => (response.ok ? response.json() : Promise.reject(response)))
      .then((document: unknown) => setLoaded({ document: resolvedDocument(document) }))
      .catch(() => !leaving.signal.aborted && setLoaded({ failed: true }));
    return () => leaving.abort();
  }, [tries]);
  return { ...loaded, retry: () => setTries((before) => before + 1) };
}

export function ReferencePage() {
  const { t } = useTranslation('developers');
  const { document, failed, retry } = useDocument();
  usePageHead({ title: t('reference'), description: t('api.description') });
  return (
    <div className="mx-auto flex max-w-[1200px] flex-col gap-8 px-6 py-12">
      <div className="max-w-[68ch]">
        <h1 className="text-xl font-semibold">{t('reference')}</h1>
        <p className="mt-2 text-muted">{t('api.description')}</p>
        <p className="mt-2 text-sm">
          <a className="text-accent underline" href={ADDRESS}>
            {t('api.document')}
          </a>
        </p>
      </div>
      {failed && !document && <DocumentFailed onRetry={retry} />}
      {!failed && !document && (
        <Loading label={t('api.loading')}>
          <Skeletons count={8} className="my-2 h-10" />
        </Loading>
      )}
      {document && <Reference document={document} />}
    </div>
  );
}

function DocumentFailed({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('developers');
  useWhenServerIsBack(onRetry);
  return (
    <ErrorState
      title={t('api.failed')}
      description={t('api.failedDescription')}
      onRetry={onRetry}
    />
  );
}

function Reference({ document }: { document: ApiDocument }) {
  const { t } = useTranslation('developers');
  const [words, setWords] = useState('');
  const wanted = words.trim();
  const groups = [...groupsOf(document)]
    .map(([tag, operations]) => [tag, operations.filter((one) => isFound(one, wanted))] as const)
    .filter(([, operations]) => operations.length > 0);
  const events = eventsOf(document).filter(([type]) =>
    type.toLowerCase().includes(wanted.toLowerCase()),
  );
  const tags = [...groups.map(([tag]) => tag), ...(events.length > 0 ? ['events'] : [])];
  return (
    <div className="grid gap-x-12 gap-y-8 md:grid-cols-[14rem_minmax(0,1fr)]">
      <nav aria-label={t('api.parts')} className="text-sm md:sticky md:top-20 md:self-start">
        <IconInput
          type="search"
          icon={Search}
          aria-label={t('api.search')}
          placeholder={t('api.search')}
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <ul className="mt-3 hidden flex-col md:flex">
          {tags.map((tag) => (
            <li key={tag}>
              <a href={`#tag-${tag}`} className="inline-block py-1 text-muted hover:text-text">
                {tag}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex min-w-0 flex-col gap-10">
        {tags.length === 0 && <p>{t('api.noMatch')}</p>}
        {groups.map(([tag, operations]) => (
          <section key={tag} id={`tag-${tag}`} className="scroll-mt-20">
            <h2 className="mb-2 text-lg font-semibold">{tag}</h2>
            {operations.map((operation) => (
              <OperationView key={operation.operationId} operation={operation} />
            ))}
          </section>
        ))}
        {events.length > 0 && (
          <section id="tag-events" className="scroll-mt-20">
            <h2 className="mb-2 text-lg font-semibold">{t('api.events')}</h2>
            <p className="mb-2 max-w-[68ch] text-sm text-muted">{t('api.eventsDescription')}</p>
            {events.map(([type, schema]) => (
              <Unfolding
                key={type}
                id={`event-${type}`}
                heading={<code className="font-mono text-sm">{type}</code>}
              >
                {() => <SchemaView schema={schema} />}
              </Unfolding>
            ))}
          </section>
        )}
      </div>
    </div>
  );
}
