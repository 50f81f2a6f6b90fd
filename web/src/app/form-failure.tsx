import type { FieldValues } from 'react-hook-form';
import { Banner } from '../ui/banner.tsx';
import type { Form } from './form.ts';

/** Why the form was refused, where no field is at fault. Goes when the form is sent again. */
export function FormFailure<In extends FieldValues, Out extends FieldValues>({
  form,
}: {
  form: Form<In, Out>;
}) {
  const message = form.formState.errors.root?.message;
  return message ? <Banner tone="danger">{message}</Banner> : null;
}
