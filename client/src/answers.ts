import { AnswerError } from './errors.ts';

const ANSWER_BYTES_MAX = 256 * 1024 * 1024;
const PROBLEM_BYTES_MAX = 1024 * 1024;

/** The JSON of an answer. */
export async function jsonOf(response: Response): Promise<unknown> {
  if (!isJson(response)) {
    void response.body?.cancel().catch(() => {});
    throw new AnswerError(
      `The answer is not JSON but ${response.headers.get('content-type') ?? 'of no type'}. Is baseUrl the address of Tallyhand?`,
    );
  }
  const text = await textOf(response, ANSWER_BYTES_MAX);
  try {
    return JSON.parse(text);
  } catch {
    throw new AnswerError('The answer is not valid JSON');
  }
}

/** The problem document of a refusal, or undefined if the answer is none. */
export async function problemOf(response: Response): Promise<unknown> {
  if (!isJson(response)) {
    void response.body?.cancel().catch(() => {});
    return undefined;
  }
  try {
    return JSON.parse(await textOf(response, PROBLEM_BYTES_MAX));
  } catch {
    // Cut off or not a problem: the status counts.
    return undefined;
  }
}

const isJson = ({ headers }: Response) =>
  /^application\/([\w.-]+\+)?json\b/i.test(headers.get('content-type') ?? '');

async function textOf(response: Response, bytesMax: number): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > bytesMax) {
      void reader?.cancel().catch(() => {});
      throw new AnswerError(`The answer is larger than ${bytesMax} bytes`);
    }
    text += decoder.decode(value, { stream: true });
  }
}
