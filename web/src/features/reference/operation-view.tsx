import { Link2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { CopyButton } from '../../ui/icon-button.tsx';
import { scrollable } from '../../ui/scrollable.ts';
import { callersOf, type Operation } from './document.ts';
import { asCurl, asFetch, requestOf } from './example.ts';
import { SchemaView } from './schema-view.tsx';

const tones: Record<Operation['method'], Tone> = {
  get: 'info',
  post: 'success',
  put: 'warning',
  delete: 'danger',
};

/** Opened by the address that names it; what is inside is made when it is first opened. */
export function Unfolding({
  id,
  heading,
  children,
}: {
  id: string;
  heading: ReactNode;
  children: () => ReactNode;
}) {
  const ref = useRef<HTMLDetailsElement>(null);
  const [isOpened, setOpened] = useState(false);
  useEffect(() => {
    const follow = () => {
      if (window.location.hash !== `#${id}` || !ref.current) return;
      ref.current.open = true;
      ref.current.scrollIntoView();
    };
    follow();
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, [id]);
  return (
    <details
      id={id}
      ref={ref}
      onToggle={({ currentTarget }) => setOpened((before) => before || currentTarget.open)}
      className="scroll-mt-20 border-b border-line last:border-0"
    >
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-sm py-2">
        {heading}
      </summary>
      {isOpened && <div className="flex flex-col gap-4 pb-4">{children()}</div>}
    </details>
  );
}

export function OperationView({ operation }: { operation: Operation }) {
  const { method, path, summary, operationId } = operation;
  return (
    <Unfolding
      id={operationId}
      heading={
        <>
          <Badge tone={tones[method]} className="w-16 justify-center font-mono">
            {method.toUpperCase()}
          </Badge>
          <code className="min-w-0 font-mono text-sm break-all">{path}</code>
          <span className="w-full text-sm text-muted">{summary}</span>
        </>
      }
    >
      {() => <Details operation={operation} />}
    </Unfolding>
  );
}

function Details({ operation }: { operation: Operation }) {
  const { t } = useTranslation('developers');
  const { operationId, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const answers = Object.entries(responses);
  const refusals = answers.filter(([status]) => Number(status) >= 400);
  const request = requestOf(operation, window.location.origin);
  return (
    <>
      <p className="max-w-[68ch] text-sm">{description.split('\n\n')[0]?.replaceAll('`', '')}</p>
      <p className="text-sm">
        <strong className="font-medium">{t('api.who')}</strong> <Who operation={operation} />
        <a
          href={`#${operationId}`}
          className="ml-3 inline-flex items-center gap-1 text-accent underline"
        >
          <Link2 aria-hidden className="size-3" />
          {operationId}
        </a>
      </p>
      {parameters.length > 0 && (
        <Part title={t('api.parameters')}>
          <SchemaView
            schema={{
              properties: Object.fromEntries(
                parameters.map(({ name, schema, description }) => [
                  name,
                  { ...schema, description },
                ]),
              ),
              required: parameters.filter(({ required }) => required).map(({ name }) => name),
            }}
          />
        </Part>
      )}
      {body && (
        <Part title={t('api.body')}>
          <SchemaView schema={body} />
        </Part>
      )}
      {answers
        .filter(([status]) => Number(status) < 400)
        .map(([status, { content = {} }]) => (
          <Part key={status} title={t('api.answer', { status })}>
            {Object.entries(content).map(([media, { schema }]) => (
              <div key={media}>
                <p className="font-mono text-xs text-muted">{media}</p>
                {schema && <SchemaView schema={schema} />}
              </div>
            ))}
            {Object.keys(content).length === 0 && (
              <p className="text-sm text-muted">{t('api.noContent')}</p>
            )}
          </Part>
        ))}
      <Part title={t('api.refusals')}>
        <ul className="text-sm">
          {refusals.map(([status, { description }]) => (
            <li key={status}>
              <code className="font-mono text-xs font-semibold">{status}</code>{' '}
              <span className="text-muted">{description.replaceAll('`', '')}</span>
            </li>
          ))}
        </ul>
      </Part>
      <Example title="curl" text={asCurl(request)} />
      <Example title="fetch" text={asFetch(request)} />
    </>
  );
}

function Who({ operation }: { operation: Operation }) {
  const { t } = useTranslation('developers');
  const { t: common } = useTranslation('common');
  const { 'x-roles': roles } = operation;
  if (!roles) return t(`api.${callersOf(operation)}`);
  return roles.map((role) => common(`roles.${role}` as 'roles.Admin')).join(', ');
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-sm font-medium">{title}</h3>
      {children}
    </section>
  );
}

function Example({ title, text }: { title: string; text: string }) {
  const { t } = useTranslation('developers');
  return (
    <div className="min-w-0">
      <div className="flex items-center justify-between">
        <h3 className="text-sm font-medium">{t('api.example', { title })}</h3>
        <CopyButton text={text} label={t('api.copy', { title })} />
      </div>
      <pre
        {...scrollable}
        className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs"
      >
        {text}
      </pre>
    </div>
  );
}
