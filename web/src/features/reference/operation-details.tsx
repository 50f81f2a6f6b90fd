import { Link2, Play } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PartBoundary } from '../../app/page-boundary.tsx';
import { laterPart } from '../../app/part.ts';
import { Button } from '../../ui/button.tsx';
import { CodeSample, PlainCode } from '../../ui/code-sample.tsx';
import { Spinner } from '../../ui/loading.tsx';
import { RichText } from '../support/rich-text.tsx';
import { callersOf, type Operation } from './document.ts';
import { codeOf, jsonText } from './request-code.ts';
import { answerExampleOf, JSON_TYPE, requestOf, variantsOf } from './request-example.ts';
import { SchemaView } from './schema-view.tsx';

const TrialForm = laterPart(
  ['reference'],
  async () => (await import('./trial-form.tsx')).TrialForm,
  Spinner,
);

type DetailsProps = { operation: Operation; apiKey: string; onKey: (key: string) => void };

export function OperationDetails({ operation, apiKey, onKey }: DetailsProps) {
  const { t } = useTranslation('reference');
  const { operationId, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const answers = Object.entries(responses);
  const refusals = answers.filter(([status]) => Number(status) >= 400);
  return (
    <>
      <div>
        <p className="max-w-[68ch] text-sm">
          <RichText text={description.split('\n\n')[0] ?? ''} />
        </p>
        <p className="mt-2 text-sm">
          <strong className="font-medium">{t('who')}</strong> <Who operation={operation} />
          <a
            href={`#${operationId}`}
            className="ml-3 inline-flex items-center gap-1 text-accent underline"
          >
            <Link2 aria-hidden className="size-3" />
            {operationId}
          </a>
        </p>
      </div>
      <Examples operation={operation} />
      <Trial operation={operation} apiKey={apiKey} onKey={onKey} />
      {parameters.length > 0 && (
        <Part title={t('parameters')}>
          <SchemaView
            schema={{
              properties: Object.fromEntries(
                parameters.map(({ name, schema, description: about }) => [
                  name,
                  { ...schema, description: about },
                ]),
              ),
              required: parameters.filter(({ required }) => required).map(({ name }) => name),
            }}
          />
        </Part>
      )}
      {body && (
        <Part title={t('body')}>
          <SchemaView schema={body} />
        </Part>
      )}
      {answers
        .filter(([status]) => Number(status) < 400)
        .map(([status, { content = {} }]) => (
          <Part key={status} title={t('answer', { status })}>
            {Object.entries(content).map(([media, { schema }]) => (
              <div key={media}>
                <p className="font-mono text-xs text-muted">{media}</p>
                {schema && <SchemaView schema={schema} />}
              </div>
            ))}
            {Object.keys(content).length === 0 && (
              <p className="text-sm text-muted">{t('noContent')}</p>
            )}
          </Part>
        ))}
      <Part title={t('refusals')}>
        <ul className="flex flex-col gap-1 text-sm">
          {refusals.map(([status, { description: about }]) => (
            <li key={status}>
              <code className="font-mono text-xs font-semibold">{status}</code>{' '}
              <span className="text-muted">
                <RichText text={about} />
              </span>
            </li>
          ))}
        </ul>
      </Part>
    </>
  );
}

/** The request in each way that it can be made, and what is answered. */
function Examples({ operation }: { operation: Operation }) {
  const { t } = useTranslation('reference');
  const { origin } = window.location;
  const answer = answerExampleOf(operation);
  return (
    <div className="grid min-w-0 gap-3 lg:grid-cols-2 lg:items-start">
      {variantsOf(operation).map((variant) => (
        <Part key={variant} title={t(`request.${variant}`)}>
          <CodeSample
            title={t(`request.${variant}`)}
            codeIn={(language) => codeOf(language, requestOf(operation, variant), origin)}
          />
        </Part>
      ))}
      {answer !== undefined && (
        <Part title={t('answerExample')}>
          <PlainCode title={JSON_TYPE} text={jsonText(answer)} />
        </Part>
      )}
    </div>
  );
}

/** Closed at first. Its form is loaded when it is opened. */
function Trial(props: DetailsProps) {
  const { t } = useTranslation('reference');
  const [isOpen, setOpen] = useState(false);
  if (callersOf(props.operation) === 'people') {
    return <p className="text-sm text-muted">{t('try.noKeys')}</p>;
  }
  return (
    <div className="rounded-lg border border-line bg-surface p-4">
      <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Play aria-hidden />
        {t('try.title')}
      </Button>
      {isOpen && (
        <div className="mt-4">
          <PartBoundary>
            <TrialForm {...props} />
          </PartBoundary>
        </div>
      )}
    </div>
  );
}

function Who({ operation }: { operation: Operation }) {
  const { t } = useTranslation('reference');
  const { t: common } = useTranslation('common');
  const { 'x-roles': roles } = operation;
  if (!roles) return t(callersOf(operation));
  return roles.map((role) => common(`roles.${role}` as 'roles.Admin')).join(', ');
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="min-w-0">
      <h4 className="mb-1 text-sm font-medium">{title}</h4>
      {children}
    </section>
  );
}
