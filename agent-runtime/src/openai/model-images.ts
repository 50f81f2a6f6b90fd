import { APIError } from 'openai';

/**
 * Models that are publicly documented to take text alone, as of 2026-11. A member who attaches an
 * image to another one gets the endpoint's answer.
 */
const textOnly = [
  /^gpt-(?:3|4-(?:0|32)|4$|oss)/,
  /^o1-mini|^o3-mini/,
  /^deepseek-(?:chat|reasoner|r1|v3|coder)/,
  /^llama-?3\.?(?:1|3)?(?:$|[:-](?!.*vision))/,
  /^llama3\.2(?:$|:)/,
  /^(?:qwen2\.5|qwen3|qwen2|qwq)(?!.*vl)(?:$|[:.-])/,
  /^(?:mixtral|codestral|mistral-(?:7b|nemo|tiny)|ministral-(?:3|8)b-2410)/,
  /^phi-?[34](?!.*(?:vision|multimodal))/,
  /^gemma-?2?(?:$|:|-\d+b)/,
  /^grok-3/,
  /^command-r/,
];

/** Whether the model of this name is known to take no images. */
export function takesNoImages(model: string): boolean {
  const name = model.toLowerCase().split('/').at(-1) ?? '';
  return textOnly.some((pattern) => pattern.test(name));
}

/** What endpoints say of a request with images that they can't read. */
const REFUSED = /image|vision|multi-?modal|content must be a string|unknown variant/i;

/** Whether an endpoint has refused a request because of its images. */
export const refusesImages = (error: unknown): boolean =>
  error instanceof APIError &&
  [400, 404, 415, 422, 501].includes(error.status ?? 0) &&
  REFUSED.test(`${error.code ?? ''} ${error.param ?? ''} ${error.message}`);
