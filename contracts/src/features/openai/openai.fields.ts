import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { TASK_INPUT_MAX } from '../tasks/tasks.endpoints.ts';

/*
 * Bodies of OpenAI's API. What would change the meaning of an answer is refused by its name; what
 * only tunes a model is taken and has no effect, because the agent's own settings decide.
 */

export const OF_OPENAI = {
  access: MEMBERS,
  feature: 'openai',
  protocol: 'openai',
  status: 200,
} as const;

export const MESSAGES_MAX = 1_000;
const PARTS_MAX = 100;
const MODEL_MAX = 200;
const METADATA_MAX = 16;
const METADATA_KEY_MAX = 64;
const METADATA_VALUE_MAX = 512;

/** An agent's id, or its name if no other active agent has it. */
export const Model = z
  .string({ error: "model must be an agent's id or name" })
  .min(1, "model must be an agent's id or name")
  .max(MODEL_MAX, `model must be at most ${MODEL_MAX} characters`);

const CONTENT = 'content must be a text, or a list of text parts';
const text = z
  .string({ error: CONTENT })
  .max(TASK_INPUT_MAX, `content must be at most ${TASK_INPUT_MAX} characters`);

/** A text, or a list instead. Unlike a union, it names the part that is wrong. */
export const textOr = <List, Result>(
  ofText: z.ZodType<string>,
  ofList: z.ZodType<List>,
  resultOf: (value: string | List) => Result,
) =>
  z.unknown().transform((value, context): Result => {
    const { data, error } = (typeof value === 'string' ? ofText : ofList).safeParse(value);
    for (const { path, message } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', path, message });
    }
    return error ? z.NEVER : resultOf(data as string | List);
  });

/** The text of a message, whose parts are joined. `types`: the types that parts of text have. */
export const contentOf = (types: readonly string[]) => {
  const Part = z.object(
    {
      type: z.enum(types, {
        error: `type must be ${types.join(' or ')}: images, audio and files are not supported`,
      }),
      text,
    },
    { error: CONTENT },
  );
  const Parts = z
    .array(Part, { error: CONTENT })
    .min(1, CONTENT)
    .max(PARTS_MAX, `content must be at most ${PARTS_MAX} parts`);
  return textOr(text, Parts, (content) =>
    typeof content === 'string' ? content : content.map((part) => part.text).join('\n'),
  ).meta({ description: 'A text, or a list of text parts.' });
};

export const ROLE = z.enum(['system', 'developer', 'user', 'assistant'], {
  error: 'role must be system, developer, user or assistant',
});

const isNothing = (value: unknown) =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** A parameter that would change the meaning of the answer: only values that ask for nothing. */
export const unsupported = (
  name: string,
  why: string,
  isHarmless: (value: never) => boolean = () => false,
) =>
  z
    .unknown()
    .refine(
      (value) => isNothing(value) || isHarmless(value as never),
      `${name} must be left out: ${why}`,
    )
    .optional();

/** Parameters that are taken and have no effect. */
export const ignored = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()])) as Record<
    Name,
    z.ZodOptional<z.ZodUnknown>
  >;

const PAIRS = `metadata must be up to ${METADATA_MAX} texts by name`;

export const Metadata = z
  .record(
    z
      .string()
      .max(METADATA_KEY_MAX, `metadata must have names of at most ${METADATA_KEY_MAX} characters`),
    z
      .string({ error: 'metadata must have texts as values' })
      .max(
        METADATA_VALUE_MAX,
        `metadata must have texts of at most ${METADATA_VALUE_MAX} characters`,
      ),
    { error: PAIRS },
  )
  .refine((pairs) => Object.keys(pairs).length <= METADATA_MAX, PAIRS)
  .nullish();

export const Stream = z.boolean({ error: 'stream must be true or false' }).nullish();

export const EmbeddingModelName = z
  .string({ error: 'model must be the name of the embedding model' })
  .min(1, 'model must be the name of the embedding model')
  .max(MODEL_MAX, `model must be at most ${MODEL_MAX} characters`);

export const EMBEDDING_INPUTS_MAX = 256;
/** Characters of one text. */
export const EMBEDDING_INPUT_MAX = 32_000;
/** Characters of all texts of a call. */
const EMBEDDING_INPUTS_LENGTH_MAX = 300_000;
export const EMBEDDING_DIMENSIONS_MAX = 8_192;

const TEXTS = `input must be a text, or a list of 1 to ${EMBEDDING_INPUTS_MAX} texts`;

/** The rule that a text breaks. Tokens are the ids of one model's words, which others can't read. */
function brokenRuleOf(one: unknown): string | null {
  if (typeof one !== 'string') return 'input must be texts: tokens are not supported';
  if (one === '') return 'input must not be empty';
  const isTooLong = one.length > EMBEDDING_INPUT_MAX;
  return isTooLong ? `input must be at most ${EMBEDDING_INPUT_MAX} characters a text` : null;
}

/** One text or several. Only the first wrong one is named: there may be thousands of tokens. */
export const EmbeddingTexts = z
  .unknown()
  .transform((input, context): readonly string[] => {
    const refuse = (message: string, path: number[] = []) => {
      context.addIssue({ code: 'custom', path, message });
      return z.NEVER;
    };
    const all: readonly unknown[] = Array.isArray(input) ? input : [input];
    if (typeof input !== 'string' && !Array.isArray(input)) return refuse(TEXTS);
    if (Array.isArray(all[0])) return refuse('input must be texts: tokens are not supported', [0]);
    const isTokens = typeof all[0] === 'number';
    if (!isTokens && (all.length === 0 || all.length > EMBEDDING_INPUTS_MAX)) return refuse(TEXTS);
    const wrong = all.findIndex((one) => brokenRuleOf(one) !== null);
    if (wrong !== -1) {
      return refuse(brokenRuleOf(all[wrong]) ?? TEXTS, typeof input === 'string' ? [] : [wrong]);
    }
    const texts = all as readonly string[];
    if (texts.reduce((sum, text) => sum + text.length, 0) > EMBEDDING_INPUTS_LENGTH_MAX) {
      return refuse(`input must be at most ${EMBEDDING_INPUTS_LENGTH_MAX} characters together`);
    }
    return texts;
  })
  .meta({ description: `A text, or a list of 1 to ${EMBEDDING_INPUTS_MAX} texts.` });
