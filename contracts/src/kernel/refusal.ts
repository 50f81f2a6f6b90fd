/**
 * A refusal is an expected "no": a value with a stable code, never thrown by a decider. It is
 * translated to problem+json in one place (service-kit/http/problem.ts).
 */
export type Refusal = {
  readonly kind: 'refusal';
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** A sentence for people: what happened and what to do. */
  readonly detail: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Invalid fields, by their path in the request. */
  readonly errors?: readonly FieldError[];
};

export type FieldError = { readonly path: string; readonly message: string };

type Parameters = Record<string, unknown>;

export type RefusalKind<P extends Parameters> = ((
  params: P,
  errors?: readonly FieldError[],
) => Refusal) & {
  readonly code: string;
  readonly status: number;
  readonly title: string;
};

/** A kind of refusal, whatever its parameters. */
export type DeclaredRefusal = Pick<Refusal, 'code' | 'status' | 'title'>;

/** Declares a refusal; calling it creates the value. `fields`: the fields that it always names. */
/* @__NO_SIDE_EFFECTS__ */
export function refusal<P extends Parameters>(
  code: string,
  status: number,
  title: string,
  detail: (params: P) => string,
  fields?: readonly FieldError[],
): RefusalKind<P> {
  const make = (params: P, errors = fields): Refusal => ({
    kind: 'refusal',
    code,
    status,
    title,
    detail: detail(params),
    params,
    ...(errors ? { errors } : {}),
  });
  return Object.assign(make, { code, status, title });
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && (value as Refusal).kind === 'refusal';
}
