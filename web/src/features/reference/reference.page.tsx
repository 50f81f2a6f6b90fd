import { Search } from 'lucide-react';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useWhenServerIsBack } from '../../app/connection.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { IconInput } from '../../ui/field.tsx';
import { Loading, Skeletons } from '../../ui/loading.tsx';
import { Contents } from '../support/contents.tsx';
import { PublicTitle } from '../support/public-title.tsx';
import { RichText } from '../support/rich-text.tsx';
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
  const { t } = useTranslation('reference');
  const { document, failed, retry } = useDocument();
  return (
    <>
      <PublicTitle title={t('title')} description={t('description')}>
        <p className="mt-4 max-w-[68ch] text-sm">
          <RichText text={t('keyVariable')} />{' '}
          <a className="text-accent underline underline-offset-4" href={ADDRESS}>
            {t('document')}
          </a>
        </p>
        <Downloads />
      </PublicTitle>
      <div className="mx-auto max-w-[1200px] px-6 py-12">
        {failed && !document && <DocumentFailed onRetry={retry} />}
        {!failed && !document && (
          <Loading label={t('loading')}>
            <Skeletons count={8} className="my-2 h-10" />
          </Loading>
        )}
        {document && <Reference document={document} />}
      </div>
    </>
  );
}

function DocumentFailed({ onRetry }: { onRetry: () => void }) {
  const { t } = useTranslation('reference');
  useWhenServerIsBack(onRetry);
  return <ErrorState title={t('failed')} description={t('failedDescription')} onRetry={onRetry} />;
}

/** As a heading: `api-keys` as `API keys`. */
const titleOf = (tag: string) =>
  tag
    .replaceAll('-', ' ')
    .replace(/\bapi\b/, 'API')
    .replace(/^./, (letter) => letter.toUpperCase());

function Reference({ document }: { document: ApiDocument }) {
  const { t } = useTranslation('reference');
  const [words, setWords] = useState('');
  // Shared by all calls, and gone with the page.
  const [apiKey, setApiKey] = useState('');
  const wanted = words.trim();
  const calls = useRef<HTMLDivElement>(null);
  useArrows(calls);
  useShowAllForLinks(() => setWords(''));
  const groups = groupsOf(document)
    .map((group) => ({
      ...group,
      operations: group.operations.filter((one) => isFound(one, wanted)),
    }))
    .filter(({ operations }) => operations.length > 0);
  const events = eventsOf(document).filter(([type]) =>
    type.toLowerCase().includes(wanted.toLowerCase()),
  );
  const sections = [
    ...groups.map(({ tag }) => ({ id: `tag-${tag}`, title: titleOf(tag) })),
    ...(events.length > 0 ? [{ id: 'tag-events', title: t('events') }] : []),
  ];
  const count = groups.reduce((sum, { operations }) => sum + operations.length, events.length);
  return (
    <div ref={calls} className="grid gap-x-12 gap-y-8 md:grid-cols-[14rem_minmax(0,1fr)]">
      <Contents title={t('parts')} sections={sections}>
        <search className="mb-4 block p-0.5">
          <IconInput
            type="search"
            icon={Search}
            aria-label={t('search')}
            placeholder={t('search')}
            value={words}
            onChange={({ target }) => setWords(target.value)}
          />
          <p role="status" className="mt-1 text-xs text-muted">
            {wanted && t('found', { count })}
          </p>
        </search>
      </Contents>
      <div className="flex min-w-0 flex-col gap-10">
        {count === 0 && (
          <div>
            <p>{t('noMatch')}</p>
            <Button className="mt-3" onClick={() => setWords('')}>
              {t('showAll')}
            </Button>
          </div>
        )}
        {groups.map(({ tag, description, operations }) => (
          <section key={tag} id={`tag-${tag}`} className="scroll-mt-20">
            <h2 className="text-lg font-semibold">{titleOf(tag)}</h2>
            <p className="mb-2 max-w-[68ch] text-sm text-muted">{description}</p>
            {operations.map((operation) => (
              <OperationView
                key={operation.operationId}
                operation={operation}
                apiKey={apiKey}
                onKey={setApiKey}
              />
            ))}
          </section>
        ))}
        {events.length > 0 && (
          <section id="tag-events" className="scroll-mt-20">
            <h2 className="text-lg font-semibold">{t('events')}</h2>
            <p className="mb-2 max-w-[68ch] text-sm text-muted">{t('eventsDescription')}</p>
            {events.map(([type, schema]) => (
              <Unfolding
                key={type}
                id={`event-${type}`}
                heading={<code className="font-mono text-sm font-normal">{type}</code>}
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

/** A link to a call that the search hides shows all calls again. */
function useShowAllForLinks(showAll: () => void) {
  const latest = useRef(showAll);
  useEffect(() => {
    latest.current = showAll;
  });
  useEffect(() => {
    const follow = () => {
      const id = decodeURIComponent(window.location.hash.slice(1));
      if (id && !window.document.getElementById(id)) latest.current();
    };
    window.document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
}

const STOPS = 'input[type="search"], details[id] > summary';

/** Arrow keys move from the search field to the calls that it found, and between calls. */
function useArrows(within: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = within.current;
    const move = (event: KeyboardEvent) => {
      const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
      const stops = [...(element?.querySelectorAll<HTMLElement>(STOPS) ?? [])];
      const at = stops.indexOf(event.target as HTMLElement);
      const next = at < 0 || step === 0 ? undefined : stops[at + step];
      if (!next) return;
      event.preventDefault();
      next.focus();
    };
    element?.addEventListener('keydown', move);
    return () => element?.removeEventListener('keydown', move);
  }, [within]);
}

/** A package that the build offers (downloads.ts). */
type Download = {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly integrity: string;
};
const downloads: readonly Download[] = import.meta.env.DOWNLOADS ?? [];

/** How programs and shells install what this server offers. */
function Downloads() {
  const { t } = useTranslation('reference');
  if (downloads.length === 0) return null;
  return (
    <details className="mt-4 text-sm">
      <summary className="cursor-pointer text-accent">{t('downloads.title')}</summary>
      {downloads.map(({ name, version, path, integrity }) => {
        const isCli = name.endsWith('/cli');
        return (
          <div key={name} className="mt-4">
            <p>{`${t(isCli ? 'downloads.cli' : 'downloads.client')} ${version}`}</p>
            <pre className="mt-1 rounded-md bg-sunken p-3 font-mono break-words whitespace-pre-wrap">
              {`npm install ${isCli ? '--global ' : ''}${window.location.origin}${path}`}
            </pre>
            <p className="mt-1 text-xs break-all text-muted">
              {t('downloads.integrity', { integrity })}
            </p>
          </div>
        );
      })}
    </details>
  );
}
