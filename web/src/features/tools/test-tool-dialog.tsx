import type { Tool, ToolTestResult } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describeProblem } from '../../app/problem.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Field, Textarea } from '../../ui/field.tsx';
import { openapiSummary } from './openapi-summary.ts';
import { useTestToolMutation } from './tools.api.ts';

/** Runs a tool once with what is typed, and shows its real answer. Closing stops the run. */
export function TestToolDialog({ tool, close }: { tool: Tool; close: () => void }) {
  const { t } = useTranslation('tools');
  const [input, setInput] = useState('');
  const [test, { data: result, error, isLoading: pending }] = useTestToolMutation();
  const running = useRef<ReturnType<typeof test>>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending) running.current = test({ id: tool.id, input });
  };
  const { label, help, placeholder } = useInputWords(tool);
  return (
    <FormDialog
      size="wide"
      title={t('test.title', { name: tool.name })}
      description={t('test.description')}
      submit={submit}
      submitLabel={t('test.submit')}
      pending={pending}
      pendingLabel={t('test.running')}
      close={close}
    >
      <Field label={label} help={help}>
        <Textarea
          name="input"
          rows={2}
          spellCheck={false}
          className="font-mono"
          placeholder={placeholder}
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
      </Field>
      <div aria-live="polite" className="flex flex-col gap-3">
        {error && !pending && <Banner tone="danger">{describeProblem(t, error)}</Banner>}
        {result && !pending && <TestResult result={result} />}
      </div>
    </FormDialog>
  );
}

/** What there is to type: a request, a page, or what a script works on. */
function useInputWords({ type, config }: Tool) {
  const { t } = useTranslation('tools');
  if (type === 'browser') {
    const placeholder = config.extras.startUrl || t('form.startUrlPlaceholder');
    return { label: t('test.page'), help: t('test.pageHelp'), placeholder };
  }
  if (type === 'custom') {
    const placeholder = '{"number": 7}';
    return { label: t('test.scriptInput'), help: t('test.scriptHelp'), placeholder };
  }
  if (type === 'mcp') {
    const named = config.mcpTools?.find(({ enabled }) => enabled);
    const operation = named?.alias ?? named?.name ?? 'find_order';
    const placeholder = `{"operation": "${operation}", "arguments": {}}`;
    return { label: t('test.input'), help: t('test.mcpHelp'), placeholder };
  }
  const hasOperations = openapiSummary(config.openapi ?? '').kind === 'operations';
  return {
    label: t('test.input'),
    ...(hasOperations
      ? {
          help: t('test.operationHelp'),
          placeholder: '{"operation": "findOrder", "arguments": {"number": 7}}',
        }
      : { help: t('test.requestHelp'), placeholder: 'GET /orders/7' }),
  };
}

function TestResult({ result }: { result: ToolTestResult }) {
  const { t } = useTranslation('tools');
  const { success, status, output, error, executionTimeMs } = result;
  return (
    <section
      aria-label={t('test.result')}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4"
    >
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
        <StatusBadge
          status={success ? 'success' : 'failed'}
          label={success ? t('test.succeeded') : t('test.failed')}
        />
        {status !== null && <span className="tabular">{t('test.status', { status })}</span>}
        <span className="tabular">{t('test.time', { ms: executionTimeMs })}</span>
      </div>
      {error !== null && <p className="break-words">{error}</p>}
      {output !== null && output !== '' && (
        <pre className="font-mono text-xs break-words whitespace-pre-wrap">{output}</pre>
      )}
      {output === '' && <p className="text-muted">{t('test.noOutput')}</p>}
    </section>
  );
}
