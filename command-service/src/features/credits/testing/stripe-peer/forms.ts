import { invalid } from './api-error.ts';

/** A decoded form: `line_items[0][quantity]=1` is `{ line_items: { 0: { quantity: '1' } } }`. */
export type Form = { [key: string]: string | Form };

/** Reads the body of a POST, or the query of a GET, in the bracketed keys that Stripe takes. */
export function parseForm(text: string): Form {
  const form: Form = Object.create(null);
  for (const [key, value] of new URLSearchParams(text)) {
    const path = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
    if (!path?.[1]) throw invalid(undefined, `Invalid request: malformed key ${key}`);
    const rest = [...(path[2] ?? '').matchAll(/\[([^[\]]*)\]/g)].map((match) => match[1] ?? '');
    put(form, [path[1], ...rest], value);
  }
  return form;
}

function put(form: Form, [key = '', ...rest]: readonly string[], value: string): void {
  // `expand[]=a` takes the next place of the list.
  const place = key === '' ? String(Object.keys(form).length) : key;
  if (rest.length === 0) {
    form[place] = value;
    return;
  }
  const inner = form[place] ?? Object.create(null);
  if (typeof inner === 'string') throw invalid('parameter_invalid_hash', 'Invalid hash', place);
  form[place] = inner;
  put(inner, rest, value);
}
