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
