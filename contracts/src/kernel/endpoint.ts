import type { z } from 'zod';
import type { Access } from './access.ts';
import type { DeclaredRefusal } from './refusal.ts';

export const IDEMPOTENCY_KEY_LENGTH_MAX = 200;

export const EVENT_STREAM = 'text/event-stream';

export type Deprecation = {
  /** Days, as `2027-01-31`. The call works until the end of `sunset`. */
  readonly since: string;
  readonly sunset: string;
  /** What to call instead, as a sentence. */
  readonly instead: string;
};

/** What each answer of a deprecated call says of it (RFC 9745, RFC 8594). */
export const deprecationHeaders = ({
  deprecated,
}: Pick<Endpoint, 'deprecated'>): Readonly<Record<string, string>> =>
  deprecated
    ? {
        deprecation: `@${Date.parse(deprecated.since) / 1000}`,
        sunset: new Date(`${deprecated.sunset}T23:59:59Z`).toUTCString(),
      }
    : {};

export type Protocol = 'openai';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One API call: routes, the web client and the OpenAPI document are derived from it. */
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
  /** What a caller must know beyond the summary: rules, costs, what follows. */
  readonly description?: string;
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  /** An example of the body, for the OpenAPI document and the API reference. */
  readonly example?: z.input<Body>;
  /** The status of a successful answer. */
  readonly status: 200 | 201 | 202 | 204;
  /** Absent if the answer has no body. */
  readonly answer?: Answer;
  /** An example of the answer, which calls between processes lack. */
  readonly answerExample?: unknown;
  /**
   * Takes no idempotency key: a hash of the body would be stored, and it holds a password; each part
   * of the body has its own key; or a repeat changes nothing, and its answer is too large to be stored.
   */
  readonly isKeyless?: true;
  /** The answer of status 202 to `Prefer: respond-async`: the work continues. */
  readonly accepted?: z.ZodType;
  /** The answer of status 202 when the work waits for a person; a stream has it as its `reply`. */
  readonly waits?: z.ZodType;
  /** The answer is a versioned object, whose `ETag` it carries. */
  readonly hasEtag?: true;
  /** Changes a versioned object only in the state that `If-Match` names, if it is sent. */
  readonly takesIfMatch?: true;
  /** The path in the answer's `Location` header; its parameters are fields of the answer. */
  readonly location?: string;
  /** The field of a multipart body that takes a file instead of a JSON body. */
  readonly fileField?: string;
  /** The media type of an answer that is not JSON, such as `text/csv`. */
  readonly media?: string;
  /**
   * With `Accept: text/event-stream`, the answer is streamed as server-sent events while it is
   * generated: these events, by name, finally `reply` with the answer, or `failed` with the problem.
   * With this media type, the answer is always a stream of these events.
   */
  readonly streamed?: Readonly<Record<string, z.ZodType>>;
  /** A stream that is resumed after the event that `Last-Event-ID` names. */
  readonly takesLastEventId?: true;
  /**
   * The call is one of OpenAI's API: problems have the shape and the statuses of its errors, and
   * `stream: true` in the body, not a header, asks for the events. They are its own, without `reply`
   * and `failed`.
   */
  readonly protocol?: Protocol;
  /** The call will be removed. */
  readonly deprecated?: Deprecation;
  /** Refusals specific to this call. */
  readonly refusals?: readonly DeclaredRefusal[];
};

/** A call of members and API keys. */
export type MemberEndpoint<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Endpoint<Params, Query, Body, Answer, false>;

export type DeepReadonly<T> = T extends readonly (infer Each)[]
  ? readonly DeepReadonly<Each>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** A body needs an example, and so does an answer. */
type Declaration<
  Params extends z.ZodType,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  IsPublic extends boolean,
> = Omit<
  Endpoint<Params, Query>,
  keyof Access | 'body' | 'example' | 'answer' | 'answerExample'
> & { readonly access: Access<IsPublic> } & (
    | { readonly body?: undefined; readonly example?: undefined }
    | { readonly body: Body; readonly example: z.input<Body> }
  ) &
  (
    | { readonly answer?: undefined; readonly answerExample?: undefined }
    | { readonly answer: Answer; readonly answerExample: DeepReadonly<z.output<Answer>> }
  );

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

/** The input and output types of a call. */
export type ParamsOf<E> =
  E extends Endpoint<infer P, infer _Q, infer _B, infer _A> ? z.infer<P> : never;
export type QueryOf<E> =
  E extends Endpoint<infer _P, infer Q, infer _B, infer _A> ? z.infer<Q> : never;
export type BodyOf<E> =
  E extends Endpoint<infer _P, infer _Q, infer B, infer _A> ? z.infer<B> : never;
export type AnswerOf<E> =
  E extends Endpoint<infer _P, infer _Q, infer _B, infer A> ? z.infer<A> : never;

/** Whether a call happens once for each `Idempotency-Key`. */
export const takesIdempotencyKey = ({
  method,
  isPublic,
  isKeyless,
}: Pick<Endpoint, 'method' | 'isPublic' | 'isKeyless'>): boolean =>
  method !== 'GET' && !isPublic && !isKeyless;

/** The URL of a call, with percent-encoded parameters in place of the braces. */
export function pathOf(
  { path }: Pick<Endpoint, 'path'>,
  params: Readonly<Record<string, string>> = {},
): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
