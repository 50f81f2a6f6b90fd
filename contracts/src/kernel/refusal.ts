/**
 * A refusal is an expected "no": a value with a stable code, never thrown by a decider. It is
 * translated to problem+json in one place (service-kit/http/problem.ts).
 */
export type Refusal<Code extends string = string> = {
  readonly kind: 'refusal';
  readonly code: Code;
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

export type RefusalKind<P extends Parameters, Code extends string = string> = ((
  params: P,
  errors?: readonly FieldError[],
) => Refusal<Code>) & {
  readonly code: Code;
  readonly status: number;
  readonly title: string;
};

/** A kind of refusal, whatever its parameters. */
export type DeclaredRefusal = Pick<Refusal, 'code' | 'status' | 'title'>;

/** The values of one or several declarations: `RefusalOf<typeof NotFound | typeof NotDeleted>`. */
export type RefusalOf<K extends DeclaredRefusal> = Refusal<K['code']>;

/** Declares a refusal; calling it creates the value. `fields`: the fields that it always names. */
/* @__NO_SIDE_EFFECTS__ */
export function refusal<const Code extends string, P extends Parameters>(
  code: Code,
  status: number,
  title: string,
  detail: (params: P) => string,
  fields?: readonly FieldError[],
): RefusalKind<P, Code> {
  const make = (params: P, errors = fields): Refusal<Code> => ({
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
