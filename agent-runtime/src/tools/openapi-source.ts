import { parse, YAMLError } from 'yaml';
import type { GuardedResponse, OutboundInit } from '../guard/guarded-fetch.ts';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { operationsOf } from './openapi-operations.ts';
import { OpenApiRefused } from './openapi-schema.ts';

/** The guarded fetch with its policy filled in. */
type DocumentFetch = (
  url: string,
  init: OutboundInit,
) => Promise<Pick<GuardedResponse, 'status' | 'text' | 'discard'>>;

const bytesMax = 2_000_000;
const fetchMsMax = 15_000;
const accept = 'application/json, application/yaml, text/yaml, */*;q=0.1';

/**
 * The JSON of an OpenAPI document that was given as JSON, as YAML, or as the address of either.
 * Throws OpenApiRefused for what is none, or is longer than `charactersMax` as JSON.
 */
export async function readOpenApi(
  given: string,
  fetch: DocumentFetch,
  charactersMax: number,
): Promise<string> {
  const text = isAddress(given) ? await fetched(given.trim(), fetch) : given;
  const document = isJson(text) ? text : fromYaml(text);
  if (document.length > charactersMax) {
    throw new OpenApiRefused(`The document has more than ${charactersMax} characters.`);
  }
  operationsOf(document);
  return document;
}

const isAddress = (text: string) => /^https?:\/\/\S+$/i.test(text.trim());
/** YAML may begin so too, but then it is JSON but for its quotes. */
const isJson = (text: string) => /^\ufeff?\s*[{[]/.test(text);

function fromYaml(text: string): string {
  try {
    // Few aliases: a small document must not grow into a large one.
    return JSON.stringify(parse(text, { maxAliasCount: 100, logLevel: 'error' })) ?? '';
  } catch (error) {
    const isFault = error instanceof YAMLError || error instanceof ReferenceError;
    if (!isFault && !(error instanceof TypeError)) throw error;
    throw new OpenApiRefused('The document is neither JSON nor YAML that can be read.');
  }
}

async function fetched(url: string, fetch: DocumentFetch): Promise<string> {
  try {
    const limits = { bodyBytes: bytesMax, totalMs: fetchMsMax, headersMs: fetchMsMax };
    const response = await fetch(url, { headers: { accept }, limits });
    if (response.status === 200) return await response.text();
    response.discard();
    throw new OpenApiRefused(
      `The address of the document answered with status ${response.status}.`,
    );
  } catch (error) {
    const isKnown = error instanceof OutboundRefused || error instanceof OutboundFailed;
    if (isKnown) throw new OpenApiRefused(error.message);
    throw error;
  }
}
