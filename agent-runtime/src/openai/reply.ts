import { z } from 'zod';
import { EngineFailure } from '../engine.ts';
import { cleanText } from './clean-text.ts';

export type Reply = { answer: string; usedPassages: number[]; reasoning: string };

const answerLengthMax = 20_000;
const reasoningLengthMax = 4_000;

/** The same shape as a JSON schema for endpoints with structured outputs. */
export const replyJsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['answer', 'usedPassages', 'reasoning'],
  properties: {
    answer: { type: 'string' },
    usedPassages: { type: 'array', items: { type: 'integer' } },
    reasoning: { type: 'string' },
  },
};

/**
 * Of the whole completion only this is relied on; compatible endpoints differ in everything else.
 */
const Completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
});

const ReplyObject = z.object({
  answer: z.string().trim().min(1),
  usedPassages: z.array(z.coerce.number().int().catch(0)).catch([]).default([]),
  reasoning: z.string().catch('').default(''),
});

/** Reads what an endpoint answered; whatever is no usable answer is an `EngineFailure`. */
export function replyFrom(completion: unknown, passagesCount: number): Reply {
  const choice = Completion.safeParse(completion).data?.choices[0];
  if (!choice) throw invalid('The model sent an answer that could not be read.');
  if (choice.message.refusal || choice.finish_reason === 'content_filter') {
    throw new EngineFailure('model-rejected', 'The model refused to answer this request.');
  }
  const content = withoutThoughts(choice.message.content ?? '');
  if (content === '') throw invalid('The model sent an empty answer.');
  const reply = parseReply(content, choice.finish_reason === 'length');
  const answer = cleanText(reply.answer, answerLengthMax);
  if (answer === '') throw invalid('The model sent an empty answer.');
  const known = reply.usedPassages.filter((one) => one >= 1 && one <= passagesCount);
  return {
    answer,
    usedPassages: [...new Set(known)],
    reasoning: cleanText(reply.reasoning, reasoningLengthMax),
  };
}

/**
 * The JSON object, also inside a code fence or between other words; plain text counts as the answer
 * itself.
 */
function parseReply(content: string, wasCut: boolean): Reply {
  const bare = withoutFence(content);
  for (const candidate of [bare, bare.slice(bare.indexOf('{'), bare.lastIndexOf('}') + 1)]) {
    const value = parsed(candidate);
    if (value === undefined || value === null || typeof value !== 'object') continue;
    const reply = ReplyObject.safeParse(value);
    if (reply.success) return reply.data;
    if (candidate === bare) throw invalid('The model sent an answer of the wrong form.');
  }
  if (bare.startsWith('{')) {
    throw invalid(wasCut ? 'The answer of the model was cut off.' : 'The model sent broken JSON.');
  }
  const cited = [...bare.matchAll(/\[(\d{1,3})\]/g)].map((match) => Number(match[1]));
  return { answer: bare, usedPassages: cited, reasoning: '' };
}

function withoutFence(content: string): string {
  if (!content.startsWith('```')) return content;
  const inside = content.endsWith('```') ? content.slice(0, -3) : content;
  return inside.replace(/^```[a-z]*/i, '').trim();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Reasoning models of some endpoints put their thoughts before the answer. */
function withoutThoughts(content: string): string {
  return content.replace(/^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i, '').trim();
}

function invalid(message: string): EngineFailure {
  return new EngineFailure('model-output-invalid', message);
}
