import type * as OpenAi from 'openai';

let loaded: typeof OpenAi | undefined;

/** OpenAI's library, loaded when the first model is called: many installations call none. */
export const loadOpenAi = async (): Promise<typeof OpenAi> => {
  loaded ??= await import('openai');
  return loaded;
};

/** An error that the endpoint answered with, or that kept it from answering. */
export const isApiError = (error: unknown): error is OpenAi.APIError =>
  loaded !== undefined && error instanceof loaded.APIError;

/** The library gave up an attempt, or the whole call. */
export const isGivenUp = (error: unknown): boolean =>
  loaded !== undefined &&
  (error instanceof loaded.APIUserAbortError || error instanceof loaded.APIConnectionTimeoutError);
