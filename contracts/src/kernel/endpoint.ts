import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One call of the API: routes, the web client and the OpenAPI document all come from it. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  IsPublic extends boolean = boolean,
> = {
  readonly name: string;
  readonly method: Method;
  /** Path with parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly feature: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** The status of success. */
  readonly status: 200 | 201 | 202 | 204;
  /** Absent where the answer has no body. */
  readonly answer?: Answer;
  /** The type of an answer that is not JSON, as `text/csv`. */
  readonly media?: string;
  /**
   * Asked with `Accept: text/event-stream`, the answer comes as server-sent events while it is made:
   * the feature's own, at last `reply` with the answer, or `failed` with the problem.
   */
  readonly isStreamed?: boolean;
  /** The codes of refusals that are particular to this call. */
  readonly refusals?: readonly string[];
  /** Whether it takes no sign-in: routes and the API document follow from it. */
  readonly isPublic: IsPublic;
};

/** A call of members and API keys. */
export type MemberEndpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Endpoint<Params, Query, Body, Answer, false>;

/** A call that takes no sign-in. */
export type PublicEndpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Endpoint<Params, Query, Body, Answer, true>;

const declare =
  <IsPublic extends boolean>(isPublic: IsPublic) =>
  <
    Params extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
    Answer extends z.ZodType = z.ZodUndefined,
  >(
    declaration: Omit<Endpoint<Params, Query, Body, Answer>, 'isPublic'>,
  ): Endpoint<Params, Query, Body, Answer, IsPublic> => ({ ...declaration, isPublic });

/** Declares an endpoint and keeps its precise types. */
export const endpoint = declare(false);

/** As `endpoint`, for a call that takes no sign-in. */
export const publicEndpoint = declare(true);

/** The types that a call takes and gives. */
export type ParamsOf<E> =
  E extends Endpoint<infer P, infer _Q, infer _B, infer _A> ? z.infer<P> : never;
export type QueryOf<E> =
  E extends Endpoint<infer _P, infer Q, infer _B, infer _A> ? z.infer<Q> : never;
export type BodyOf<E> =
  E extends Endpoint<infer _P, infer _Q, infer B, infer _A> ? z.infer<B> : never;
export type AnswerOf<E> =
  E extends Endpoint<infer _P, infer _Q, infer _B, infer A> ? z.infer<A> : never;

/** The address of a call: parameters in place of the braces, percent-encoded. */
export function pathOf(
  { path }: Pick<Endpoint, 'path'>,
  params: Readonly<Record<string, string>> = {},
): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
