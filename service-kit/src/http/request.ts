import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { NotFound, ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import type { FieldError, Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { checkHygiene } from './json-body.ts';

export type Parsed<P, Q, B> = { readonly params: P; readonly query: Q; readonly body: B };

/**
 * Checks a request against its contract; the refusal names each invalid field. `what`: the object
 * of a 404; by default the feature's name in the singular.
 */
export function parseRequest<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  A extends z.ZodType,
>(
  endpoint: Endpoint<P, Q, B, A>,
  request: FastifyRequest,
  what: string = endpoint.feature.replace(/s$/, ''),
): Parsed<z.infer<P>, z.infer<Q>, z.infer<B>> | Refusal {
  checkHygiene(request.params);
  const params = parse(endpoint.params, request.params);
  // An id that can't be one is as unknown as any other.
  if (!params.success) return NotFound({ what });
  const query = parseQuery(request, endpoint.query);
  // No body is an empty one; the fields that it lacks are named.
  const given = request.body === undefined && endpoint.body ? {} : request.body;
  const body = parse(endpoint.body, given);
  const errors = [...query.errors, ...fieldErrors(body.error, 'field')];
  if (errors.length > 0) return validationFailed(errors);
  return {
    params: params.data as z.infer<P>,
    query: query.data as z.infer<Q>,
    body: body.data as z.infer<B>,
  };
}

/** The query of a call outside the contracts; without a schema it accepts no parameter. */
export function queryOf<Q extends z.ZodType = z.ZodObject>(
  request: FastifyRequest,
  schema?: Q,
): z.infer<Q> | Refusal {
  const { data, errors } = parseQuery(request, schema);
  return errors.length > 0 ? validationFailed(errors) : (data as z.infer<Q>);
}

const NO_PARAMETERS = z.strictObject({});

/** An undeclared parameter is refused: its sender believes that it has an effect. */
function parseQuery({ query }: FastifyRequest, schema: z.ZodType = NO_PARAMETERS) {
  checkHygiene(query);
  const { data, error } = schema.safeParse(query);
  const repeated = Object.entries(query as object).filter(([, value]) => Array.isArray(value));
  const twice = repeated.map(([path]) => ({ path, message: 'Give this parameter once' }));
  return { data, errors: twice.length > 0 ? twice : fieldErrors(error, 'parameter') };
}

const ANYTHING = z.unknown();

function parse(schema: z.ZodType | undefined, value: unknown) {
  return (schema ?? ANYTHING).safeParse(value);
}

function fieldErrors(error: z.ZodError | undefined, what: 'field' | 'parameter'): FieldError[] {
  return (error?.issues ?? []).flatMap((issue) => {
    if (issue.code === 'invalid_type' && issue.path.length === 0) {
      return [{ path: '', message: 'The body must be an object' }];
    }
    if (issue.code !== 'unrecognized_keys') {
      return [{ path: issue.path.join('.'), message: issue.message }];
    }
    return issue.keys.map((key) => ({
      path: [...issue.path, key].join('.'),
      message: `There is no such ${what}`,
    }));
  });
}

function validationFailed(errors: readonly FieldError[]): Refusal {
  const first = errors[0];
  const where = first?.path ? `${first.path}: ` : '';
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  return ValidationFailed({ summary: `${where}${first?.message ?? 'Invalid'}${more}.` }, errors);
}
