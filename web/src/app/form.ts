import { zodResolver } from '@hookform/resolvers/zod';
import { useRef } from 'react';
import {
  type DefaultValues,
  type FieldValues,
  type Path,
  type UseFormReturn,
  useForm,
} from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import type { z } from 'zod';
import { asProblem } from './problem.ts';

/**
 * A form checked by a schema of the contracts: at submission first, then while one types. It is sent
 * once at a time.
 */
export function useContractForm<In extends FieldValues, Out extends FieldValues>(
  schema: z.ZodType<Out, In>,
  defaultValues: DefaultValues<In>,
): UseFormReturn<In, unknown, Out> {
  const form = useForm<In, unknown, Out>({ resolver: zodResolver(schema), defaultValues });
  const isSending = useRef(false);
  const handleSubmit: typeof form.handleSubmit = (send, refuse) => {
    const submit = form.handleSubmit(send, refuse);
    return (event) => {
      event?.preventDefault();
      // The second of two quick clicks comes before the first one shows as pending.
      if (isSending.current) return Promise.resolve(undefined);
      isSending.current = true;
      return submit(event).finally(() => {
        isSending.current = false;
      });
    };
  };
  return { ...form, handleSubmit };
}

/**
 * Shows the server's `errors` at their fields and focuses the first one.
 * False where none of them belongs to a field of the form, so that the caller tells it otherwise.
 */
export function showFieldErrors<In extends FieldValues, Out extends FieldValues>(
  form: UseFormReturn<In, unknown, Out>,
  error: unknown,
): boolean {
  const names = Object.keys(form.control._fields);
  const known = asProblem(error).errors.filter(({ path }) =>
    names.includes(path.split('.')[0] ?? ''),
  );
  for (const [index, { path, message }] of known.entries()) {
    form.setError(path as Path<In>, { type: 'server', message }, { shouldFocus: index === 0 });
  }
  return known.length > 0;
}

/** Of what a form gives, the fields that are other than at its start. */
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
