import { zodResolver } from '@hookform/resolvers/zod';
import { type BaseSyntheticEvent, useRef } from 'react';
import {
  type DefaultValues,
  type FieldErrors,
  type FieldValues,
  type Path,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { useFirstInvalid } from '../ui/first-invalid.ts';
import { showFailure, type ToastMessage } from '../ui/toast.ts';
import { type Announcement, type Outcome, useAnnounce } from './announce.ts';
import { asProblem, describeProblem } from './problem.ts';

/**
 * A form checked by a schema of the contracts: at submission first, then while the user types. It is
 * sent once at a time. After a submission that the schema or the server refused, the first invalid
 * field has the focus.
 */
export function useContractForm<In extends FieldValues, Out extends FieldValues>(
  schema: z.ZodType<Out, In>,
  defaultValues: DefaultValues<In>,
): UseFormReturn<In, unknown, Out> {
  const form = useForm<In, unknown, Out>({
    resolver: zodResolver(schema),
    defaultValues,
    // It would follow the order in which fields are registered, and knows no errors of the server.
    shouldFocusError: false,
  });
  const isSending = useRef(false);
  const leadToFirstInvalid = useFirstInvalid();
  const handleSubmit: typeof form.handleSubmit = (send, refuse) => {
    const submit = form.handleSubmit(send, refuse);
    return (event) => {
      event?.preventDefault();
      // The second of two quick clicks comes before the first one shows as pending.
      if (isSending.current) return Promise.resolve(undefined);
      isSending.current = true;
      const sender: Element | undefined = event?.currentTarget;
      const at = sender?.closest('form') ?? null;
      return submit(event).finally(() => {
        isSending.current = false;
        leadToFirstInvalid(at);
      });
    };
  };
  return { ...form, handleSubmit };
}

export type Form<In extends FieldValues, Out extends FieldValues> = UseFormReturn<In, unknown, Out>;
/** The form of a schema. */
export type FormOf<Schema extends z.ZodType<FieldValues, FieldValues>> = Form<
  z.input<Schema>,
  z.output<Schema>
>;

export type Submission<In extends FieldValues, Out, Data> = Announcement<Data> & {
  /** Sends what the form holds; undefined where there is nothing to send. */
  send: (input: Out) => PromiseLike<Outcome<Data>> | undefined;
  /** Sends the fields that differ from the form's first values, in place of `send`. */
  change?: (changed: Partial<Out>) => PromiseLike<Outcome<Data>>;
  /** Closes the form, after success and where there was nothing to send. */
  close?: () => void;
  onDone?: (data: NonNullable<Data>) => void;
  /** The toast, if any, for a form that breaks a rule of its schema and is not sent. */
  onInvalid?: (errors: FieldErrors<In>) => Pick<ToastMessage, 'title' | 'description'> | undefined;
  /** No toast for a refusal that is shown at its fields. */
  onlyAtFields?: boolean;
  /** The field of the form that shows what a refusal says about a path of the call. */
  fieldOf?: (path: string) => string;
};

/** What a button or a dialog needs to know about a form. */
export type Submitting = {
  submit: (event?: BaseSyntheticEvent) => Promise<void>;
  pending: boolean;
  /** Something was typed that would be lost. */
  dirty: boolean;
};

/** Sends a form and reports the outcome: refusals at their fields or at the form, and a toast. */
export function useSubmit<In extends FieldValues, Out extends FieldValues, Data>(
  form: Form<In, Out>,
  submission: Submission<In, Out, Data>,
): Submitting {
  const { send, change, close, onDone, onInvalid, onlyAtFields, fieldOf, ...announcement } =
    submission;
  const announce = useAnnounce();
  const { t } = useTranslation('common');
  const { isSubmitting: pending, isDirty } = form.formState;
  const onRefused = (error: unknown) => {
    if (announcement.onRefused?.(error)) return true;
    if (showFieldErrors(form, error, fieldOf)) return onlyAtFields === true;
    const message = describeProblem(t, error, announcement.fallback);
    form.setError('root', { type: 'server', message });
    return false;
  };
  const sendChanged = (input: Out) => {
    const changed = changedFields(form, input);
    return change && Object.keys(changed).length > 0 ? change(changed) : undefined;
  };
  const submit = form.handleSubmit(
    async (input) => {
      const call = change ? sendChanged(input) : send(input);
      if (!call) return close?.();
      const { data, error } = await announce(call, { ...announcement, onRefused });
      if (error) return;
      close?.();
      onDone?.(data as NonNullable<Data>);
    },
    (errors) => {
      const toast = onInvalid?.(errors);
      if (toast) showFailure(toast);
    },
  );
  return { submit, pending, dirty: isDirty && !pending };
}

/** Shows the server's `errors` at their fields. False where none belongs to a field of the form. */
function showFieldErrors<In extends FieldValues, Out extends FieldValues>(
  form: Form<In, Out>,
  error: unknown,
  fieldOf = (path: string) => path,
): boolean {
  const names = Object.keys(form.control._fields);
  const known = asProblem(error)
    .errors.map(({ path, message }) => ({ path: fieldOf(path), message }))
    .filter(({ path }) => names.includes(path.split('.')[0] ?? ''));
  for (const { path, message } of known) {
    form.setError(path as Path<In>, { type: 'server', message });
  }
  return known.length > 0;
}

/** The fields of a form's output that differ from its first values. */
export function changedFields<In extends FieldValues, Out extends FieldValues>(
  form: UseFormReturn<In, unknown, Out>,
  output: Out,
): Partial<Out> {
  const start: Readonly<Record<string, unknown>> = form.formState.defaultValues ?? {};
  const now: Readonly<Record<string, unknown>> = form.getValues();
  const isChanged = ([name]: [string, unknown]) =>
    JSON.stringify(now[name]) !== JSON.stringify(start[name]);
  return Object.fromEntries(Object.entries(output).filter(isChanged)) as Partial<Out>;
}

/** The first message of a field, or of the items within it. */
function messageOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('message' in error && typeof error.message === 'string') return error.message;
  if ('root' in error) return messageOf(error.root);
  return Array.isArray(error) ? error.map(messageOf).find(Boolean) : undefined;
}

/**
 * Gives the translated message of a field's error. The contracts' English sentence is the key;
 * a sentence that a language does not know stays as it is.
 */
export function useFieldMessage() {
  const { i18n } = useTranslation();
  return (error: unknown): string | undefined => {
    const message = messageOf(error);
    if (message === undefined) return undefined;
    const texts: Record<string, string> | undefined = i18n.getResourceBundle(
      i18n.language,
      'validation',
    );
    return texts?.[message] ?? message;
  };
}

/** An empty box is null; what is no number stays as it is typed, to be refused at its field. */
export const numberOrNull = (typed: unknown) => {
  const text = String(typed ?? '').trim();
  return text === '' ? null : Number(text);
};
