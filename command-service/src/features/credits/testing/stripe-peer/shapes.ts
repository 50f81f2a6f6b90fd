/** How one published parameter is checked. */
export type Shape =
  | { readonly kind: 'text'; readonly max?: number }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'whole'; readonly min?: number; readonly max?: number }
  | { readonly kind: 'yes-or-no' }
  | { readonly kind: 'address' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'list'; readonly of: Shape; readonly max: number }
  | { readonly kind: 'fields'; readonly of: Fields; readonly needs: readonly string[] }
  /** Stripe takes it; this peer does not, and says so. */
  | { readonly kind: 'published' };
export type Fields = Readonly<Record<string, Shape>>;

export const text = (max = 5_000): Shape => ({ kind: 'text', max });
export const whole = (min?: number, max?: number): Shape => ({ kind: 'whole', min, max });
export const yesOrNo: Shape = { kind: 'yes-or-no' };
export const address: Shape = { kind: 'address' };
export const metadata: Shape = { kind: 'metadata' };
export const published: Shape = { kind: 'published' };
export const choice = (...of: readonly string[]): Shape => ({ kind: 'choice', of });
export const list = (of: Shape, max: number): Shape => ({ kind: 'list', of, max });
export const fields = (of: Fields, ...needs: readonly string[]): Shape => ({
  kind: 'fields',
  of,
  needs,
});

type Value = Form | string;

/** Throws Stripe's own error for the first parameter that is not as published. */
export function check(shape: Shape, value: Value, name: string): void {
  switch (shape.kind) {
    case 'published':
      throw invalid(undefined, `The local peer does not serve the parameter ${name}`, name);
    case 'fields':
      checkFields(shape, form(value, name), name);
      break;
    case 'list':
      checkList(shape, form(value, name), name);
      break;
    case 'metadata':
      checkMetadata(form(value, name), name);
      break;
    default:
      if (typeof value !== 'string') throw invalid(undefined, `Invalid string: ${name}`, name);
      checkText(shape, value, name);
  }
}

type List = Extract<Shape, { kind: 'list' }>;

function checkList(shape: List, given: Form, name: string): void {
  const entries = Object.entries(given);
  if (entries.length > shape.max) throw invalid(undefined, `Too many: ${name}`, name);
  entries.forEach(([place, each], index) => {
    if (place !== String(index)) throw invalid(undefined, `Invalid array: ${name}`, name);
    check(shape.of, each, `${name}[${place}]`);
  });
}

export function checkFields(
  { of, needs }: Extract<Shape, { kind: 'fields' }>,
  given: Form,
  name = '',
): void {
  const called = (key: string) => (name ? `${name}[${key}]` : key);
  for (const [key, value] of Object.entries(given)) {
    const shape = Object.hasOwn(of, key) ? of[key] : undefined;
    const param = called(key);
    if (!shape) throw invalid('parameter_unknown', `Received unknown parameter: ${param}`, param);
    check(shape, value, param);
  }
  for (const key of needs.filter((each) => given[each] === undefined)) {
    throw invalid('parameter_missing', `Missing required param: ${called(key)}.`, called(key));
  }
}

function form(value: Value, name: string): Form {
  if (typeof value === 'string') throw invalid(undefined, `Invalid object: ${name}`, name);
  return value;
}

type TextShape = Exclude<Shape, { kind: 'published' | 'fields' | 'list' | 'metadata' }>;

function checkText(shape: TextShape, value: string, name: string): void {
  switch (shape.kind) {
    case 'text':
      if (value === '') {
        const said = `You passed an empty string for '${name}'. We assume empty values are an attempt to unset a parameter; however '${name}' cannot be unset.`;
        throw invalid('parameter_invalid_empty', said, name);
      }
      if (shape.max !== undefined && value.length > shape.max) {
        throw invalid(undefined, `Invalid string: ${name} must be at most ${shape.max}`, name);
      }
      return;
    case 'choice': {
      const said = `Invalid ${name}: must be one of ${shape.of.join(', ')}`;
      if (!shape.of.includes(value)) throw invalid(undefined, said, name);
      return;
    }
    case 'whole':
      if (!/^-?\d{1,15}$/.test(value)) {
        throw invalid('parameter_invalid_integer', `Invalid integer: ${value}`, name);
      }
      if (Number(value) < (shape.min ?? -Infinity) || Number(value) > (shape.max ?? Infinity)) {
        throw invalid('parameter_invalid_integer', `Out of range: ${name}`, name);
      }
      return;
    case 'yes-or-no':
      if (!/^(true|false)$/.test(value))
        throw invalid(undefined, `Invalid boolean: ${value}`, name);
      return;
    case 'address':
      if (!URL.canParse(value) || !/^https?:/.test(value)) {
        throw invalid('url_invalid', 'Not a valid URL', name);
      }
  }
}

/** At most 50 pairs; keys of 40 characters, texts of 500. */
function checkMetadata(given: Form, name: string): void {
  const entries = Object.entries(given);
  if (entries.length > 50) throw invalid(undefined, 'Metadata can have up to 50 keys', name);
  for (const [key, value] of entries) {
    const param = `${name}[${key}]`;
    if (typeof value !== 'string' || value.length > 500 || key.length > 40) {
      throw invalid(undefined, `Invalid metadata: ${param}`, param);
    }
  }
}

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

/** What Stripe answers instead of an object: `{ error: { type, code, message, param } }`. */
export type ErrorBody = {
  readonly type: 'invalid_request_error' | 'idempotency_error' | 'api_error';
  readonly code?: string;
  readonly message: string;
  readonly param?: string;
};

export class ApiError extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

export function invalid(code: string | undefined, message: string, param?: string): ApiError {
  return new ApiError(400, { type: 'invalid_request_error', code, message, param });
}

export function missing(what: string, id: string, param: string): ApiError {
  const message = `No such ${what}: '${id}'`;
  return new ApiError(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message,
    param,
  });
}
