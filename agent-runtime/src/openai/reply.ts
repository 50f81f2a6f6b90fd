import {
  ModelAnswerBroken,
  ModelAnswerCut,
  ModelAnswerEmpty,
  ModelAnswerMisformed,
  ModelRefusedAnswer,
} from '@tallyhand/contracts/features/tasks/work-failures';
import { z } from 'zod';
import { EngineFailure, type JsonObject } from '../engine.ts';
import { cleanText } from './clean-text.ts';
import type { Turn } from './turn.ts';

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

const ReplyObject = z.object({
  answer: z.string().trim().min(1),
  usedPassages: z.array(z.coerce.number().int().catch(0)).catch([]).default([]),
  reasoning: z.string().catch('').default(''),
});

/** Parses the answer of a turn; throws an `EngineFailure` for an unusable one. */
export function replyFrom(turn: Turn, form: 'json' | 'text', passagesCount: number): Reply {
  if (turn.isRefused) {
    throw new EngineFailure(ModelRefusedAnswer({}));
  }
  const content = withoutThoughts(turn.text).replace(OWN_MARK, '').trim();
  if (content === '') throw new EngineFailure(ModelAnswerEmpty({}));
  const reply = form === 'json' ? parseReply(content, turn.isCut) : plainReply(content);
  const answer = cleanText(reply.answer, answerLengthMax);
  if (answer === '') throw new EngineFailure(ModelAnswerEmpty({}));
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
  for (const { value, isWhole } of objectsIn(bare)) {
    const reply = ReplyObject.safeParse(value);
    if (reply.success) return reply.data;
    if (isWhole) throw new EngineFailure(ModelAnswerMisformed({}));
  }
  if (bare.startsWith('{')) {
    throw new EngineFailure(wasCut ? ModelAnswerCut({}) : ModelAnswerBroken({}));
  }
  return plainReply(bare);
}

/** The JSON object that a text is or contains. */
export function objectIn(text: string): JsonObject | undefined {
  return objectsIn(withoutFence(withoutThoughts(text)))[0]?.value;
}

function objectsIn(bare: string): { value: JsonObject; isWhole: boolean }[] {
  const inside = bare.slice(bare.indexOf('{'), bare.lastIndexOf('}') + 1);
  return [bare, inside].flatMap((candidate) => {
    const value = parsed(candidate);
    if (value === null || typeof value !== 'object') return [];
    return [{ value: value as JsonObject, isWhole: candidate === bare }];
  });
}

/** Passages are cited as [2]; readers of the answer do not know their numbers. */
function plainReply(content: string): Reply {
  const cited = [...content.matchAll(CITATION)].map((match) => Number(match[1]));
  return { answer: content.replace(CITATION, ''), usedPassages: cited, reasoning: '' };
}

/** The lines of prompts that fence text. Models repeat them now and then; readers must not see them. */
const OWN_MARK =
  /[ \t]*<<<(?:end )?(?:passage|request|context|tool|page|image)\b[^<>\n]{0,60}>>>[ \t]*\n?/g;

const CITATION = /[ \t]*\[(\d{1,3})\](?!\()/g;
/** The end of a text that may still become a citation or a mark, or the space after one. */
const UNSETTLED = /[ \t]*(?:\[(?:\d{0,3}|\d{1,3}\])|<{1,3}|<<<[^<>\n]{1,80}>{0,3})?$/;

const visible = (raw: string) =>
  withoutThoughts(raw, 'start').replace(OWN_MARK, '').replace(CITATION, '');

/** Streams the text of an answer without thoughts, citations and marks of the prompt. */
export function visibleText(tell: (piece: string) => void) {
  let raw = '';
  let sent = 0;
  const show = (text: string) => {
    if (text.length <= sent) return;
    tell(text.slice(sent));
    sent = text.length;
  };
  return {
    add(piece: string) {
      raw += piece;
      const isThinking = /^\s*(?:<[a-z]{0,8}$|<think(?:ing)?>(?![\s\S]*<\/think))/i.test(raw);
      if (isThinking) return;
      show(visible(raw.replace(UNSETTLED, '')));
    },
    end() {
      show(visible(raw));
    },
  };
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

/** Reasoning models of some endpoints write their thoughts before the answer. */
function withoutThoughts(content: string, trimmed: 'start' | 'both' = 'both'): string {
  const text = content.replace(/^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i, '');
  return trimmed === 'both' ? text.trim() : text.trimStart();
}
