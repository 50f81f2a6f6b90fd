import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Badge } from '../../ui/badge.tsx';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { PlainCode } from '../../ui/code-sample.tsx';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { Field, Input, Textarea } from '../../ui/field.tsx';
import { FileInput } from '../../ui/file-input.tsx';
import { useFirstInvalid } from '../../ui/first-invalid.ts';
import { numberFormat } from '../../ui/formats.ts';
import type { Operation } from './document.ts';
import {
  type Answer,
  callOf,
  type Entered,
  type Faults,
  firstBody,
  isCall,
  parametersOf,
  send,
  takesFile,
  takesKey,
} from './trial.ts';

type TrialFormProps = {
  operation: Operation;
  /** Shared by all calls of the page, in its memory only. */
  apiKey: string;
  onKey: (key: string) => void;
};

/** Sends a call for real, with a key that the reader pastes. */
export function TrialForm({ operation, apiKey, onKey }: TrialFormProps) {
  const { t } = useTranslation('reference');
  const first = firstBody(operation);
  const [values, setValues] = useState<Entered['values']>({});
  const [body, setBody] = useState(first ?? '');
  const [file, setFile] = useState<File>();
  const [faults, setFaults] = useState<Faults>({});
  const [isAsking, setAsking] = useState(false);
  const leadToFirstInvalid = useFirstInvalid();
  const { answer, hasFailed, isSending, start, stop } = useTrial();

  const entered = () =>
    callOf(operation, { key: apiKey, values, body, file }, window.location.origin);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const call = entered();
    setFaults(isCall(call) ? {} : call);
    if (!isCall(call)) return leadToFirstInvalid(event.currentTarget);
    if (operation.method === 'get') start(call);
    else setAsking(true);
  };
  const confirm = () => {
    const call = entered();
    setAsking(false);
    if (isCall(call)) start(call);
  };
  const errorOf = (name: string) => (faults[name] ? { error: t(`try.${faults[name]}`) } : {});
  const title = `${operation.method.toUpperCase()} ${operation.path}`;
  return (
    <form onSubmit={submit} noValidate className="flex min-w-0 flex-col gap-4">
      {takesKey(operation) && (
        <Field label={t('try.label')} help={t('try.keyHelp')} required {...errorOf('key')}>
          {/* No password field: a browser would offer to store the key. */}
          <Input
            name="key"
            value={apiKey}
            onChange={({ target }) => onKey(target.value)}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            className="max-w-[560px] font-mono [-webkit-text-security:disc]"
          />
        </Field>
      )}
      {parametersOf(operation).length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {parametersOf(operation).map(({ name, required = false }) => (
            <Field key={name} label={name} required={required} {...errorOf(name)}>
              <Input
                name={name}
                value={values[name] ?? ''}
                onChange={({ target }) => setValues({ ...values, [name]: target.value })}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
              />
            </Field>
          ))}
        </div>
      )}
      {first !== null && !file && (
        <Field label={t('body')} {...errorOf('body')}>
          <Textarea
            name="body"
            rows={4}
            value={body}
            onChange={({ target }) => setBody(target.value)}
            spellCheck={false}
            className="font-mono"
          />
        </Field>
      )}
      {takesFile(operation) && (
        <Field label={t('try.file')} help={t('try.fileHelp')}>
          <FileInput file={file} onChoose={setFile} accept="" />
        </Field>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" variant="primary" pending={isSending} pendingLabel={t('try.sending')}>
          {t('try.send')}
        </Button>
        {isSending && <Button onClick={stop}>{t('try.stop')}</Button>}
      </div>
      {hasFailed && (
        <Banner tone="danger" title={t('try.failed')}>
          <p>{t('try.failedDescription')}</p>
        </Banner>
      )}
      {answer && <AnswerView answer={answer} />}
      {isAsking && (
        <ConfirmDialog
          open
          onOpenChange={setAsking}
          title={t('try.confirmTitle', { call: title })}
          description={t('try.confirmDescription')}
          confirmLabel={t('try.send')}
          variant={operation.method === 'delete' ? 'destructive' : 'primary'}
          onConfirm={confirm}
        />
      )}
    </form>
  );
}

function AnswerView({ answer }: { answer: Answer }) {
  const { t, i18n } = useTranslation('reference');
  const { status, statusText, headers, ms, text, bytes, isCut } = answer;
  const numbers = numberFormat(i18n.language);
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <p className="flex flex-wrap items-center gap-2 text-sm">
        <span role="status">
          <Badge tone={status < 400 ? 'success' : 'danger'}>
            {`${status} ${statusText}`.trim()}
          </Badge>
        </span>
        <span className="tabular text-muted">
          {t('try.took', { ms: numbers.format(Math.round(ms)) })}
        </span>
      </p>
      <details>
        <summary className="cursor-pointer rounded-sm text-sm text-muted">
          {t('try.headers')}
        </summary>
        <PlainCode
          title={t('try.headers')}
          text={headers.map(([name, value]) => `${name}: ${value}`).join('\n')}
        />
      </details>
      {text ? (
        <PlainCode title={t('try.answer')} text={text} />
      ) : (
        <p className="text-sm text-muted">
          {bytes === 0 ? t('noContent') : t('try.binary', { bytes: numbers.format(bytes), type })}
        </p>
      )}
      {isCut && <p className="text-sm text-muted">{t('try.cut')}</p>}
    </div>
  );
}

/** One call at a time; leaving the page ends it. */
function useTrial() {
  const [answer, setAnswer] = useState<Answer>();
  const [hasFailed, setFailed] = useState(false);
  const [isSending, setSending] = useState(false);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (call: Parameters<typeof send>[0]) => {
    const controller = new AbortController();
    running.current = controller;
    const { signal } = controller;
    setAnswer(undefined);
    setFailed(false);
    setSending(true);
    try {
      await send(call, signal, (given) => !signal.aborted && setAnswer(given));
    } catch {
      if (!signal.aborted) setFailed(true);
    }
    if (running.current === controller) setSending(false);
  };
  return { answer, hasFailed, isSending, start, stop: () => running.current?.abort() };
}
