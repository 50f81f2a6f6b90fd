import type { z } from 'zod';
import type { Access } from './access.ts';
import type { DeclaredRefusal } from './refusal.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One call of the API: routes, the web client and the OpenAPI document all come from it. */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
  IsPublic extends boolean = boolean,
> = Access<IsPublic> & {
  readonly name: string;
  readonly method: Method;
  /** Path with parameters in braces, as OpenAPI writes them. */
  readonly path: string;
  readonly feature: string;
  readonly summary: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** A body that the call takes, for the API document and its reference. */
  readonly example?: z.input<Body>;
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
  /** Refusals that are particular to this call. */
  readonly refusals?: readonly DeclaredRefusal[];
};

/** A call of members and API keys. */
export type MemberEndpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Endpoint<Params, Query, Body, Answer, false>;

type Declaration<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  IsPublic extends boolean,
> = Omit<Endpoint<Params, Query, Body, Answer>, keyof Access> & {
  readonly access: Access<IsPublic>;
};

/** Declares an endpoint and keeps its precise types. */
/* @__NO_SIDE_EFFECTS__ */
export function endpoint<
  IsPublic extends boolean,
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodUndefined,
>({
  access,
  ...call
}: Declaration<Params, Query, Body, Answer, IsPublic>): Endpoint<
  Params,
  Query,
  Body,
  Answer,
  IsPublic
> {
  return { ...call, ...access };
}

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
