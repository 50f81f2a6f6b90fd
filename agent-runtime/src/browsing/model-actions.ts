import { z } from 'zod';
import { argumentsOf, definitionOf, offeredOf } from '../openai/functions.ts';
import type { AskedCall } from '../openai/turn.ts';
import {
  type BrowsingAction,
  FINISH_RESULTS,
  type PlannedStep,
  type PlanRequest,
} from './planner.ts';

const reason = z.string().max(4_000).describe('One sentence: why this is the next step');
const Ref = z
  .string()
  .regex(/^(?:f\d{1,7})?e\d{1,7}$/, 'is no reference as in [ref=e12]')
  .describe('The reference of an element of the page, as e12');
const WebAddress = z
  .url({ protocol: /^https?$/, error: 'is no address that starts with http:// or https://' })
  .max(2_000);
const Sentences = z.array(z.string().trim().min(1).max(2_000)).max(20);

type Described = { description: string; parameters: z.ZodType<object>; as: BrowsingAction['type'] };

/** One function for each action of a browser; what tools add comes beside. */
const FUNCTIONS: Readonly<Record<string, Described>> = {
  open_page: {
    as: 'open',
    description: 'Opens a web address.',
    parameters: z.strictObject({ reason, url: WebAddress }),
  },
  click: {
    as: 'click',
    description: 'Clicks an element.',
    parameters: z.strictObject({ reason, ref: Ref }),
  },
  type_text: {
    as: 'type',
    description: 'Types into a field, instead of what is in it; submit presses Enter afterwards.',
    parameters: z.strictObject({
      reason,
      ref: Ref,
      text: z.string().max(2_000),
      submit: z.boolean(),
    }),
  },
  select_option: {
    as: 'select',
    description: 'Chooses an option of a select field by its label.',
    parameters: z.strictObject({ reason, ref: Ref, option: z.string().min(1).max(500) }),
  },
  scroll: {
    as: 'scroll',
    description: 'Scrolls by a screen.',
    parameters: z.strictObject({ reason, direction: z.enum(['up', 'down']) }),
  },
  go_back: {
    as: 'back',
    description: 'Goes back to the page before.',
    parameters: z.strictObject({ reason }),
  },
  read_page: {
    as: 'extract',
    description: 'Gives the whole text of the page, where the outline is not enough.',
    parameters: z.strictObject({ reason, about: z.string().min(1).max(500) }),
  },
  search_page: {
    as: 'search',
    description: 'Finds words on the page, and what stands around them.',
    parameters: z.strictObject({ reason, words: z.string().min(1).max(500) }),
  },
  note_finding: {
    as: 'note',
    description:
      'Keeps a finding that helps to reach the goal, with the address of the page. Only what ' +
      'stands on the page, best in its own words. Earlier pages are not shown again.',
    parameters: z.strictObject({ reason, finding: z.string().trim().min(1).max(2_000) }),
  },
  finish: {
    as: 'finish',
    description:
      'Ends the work: when the goal is reached, when it can not be reached, or with the last step.',
    parameters: z.strictObject({
      reason,
      result: z
        .enum(FINISH_RESULTS)
        .describe('uncertain: what was found does not answer the goal for certain'),
      summary: z.string().trim().min(1).max(4_000),
      keyFindings: Sentences.describe('Each with the address of the page that it comes from'),
      nextSteps: Sentences.describe('What a person could do next; what only a person can do'),
    }),
  },
};

type Parsed = { step: PlannedStep } | { fault: string };

/**
 * The actions of a request as a model is offered them, and how its choice is read. With the last step
 * it can only finish.
 */
export function modelActions({ tools, stepsLeft }: PlanRequest) {
  const isLast = stepsLeft <= 1;
  const own = Object.entries(FUNCTIONS).filter(([, { as }]) => !isLast || as === 'finish');
  const offered = offeredOf(isLast ? [] : tools, (name) => name in FUNCTIONS);
  const names = [...own.map(([name]) => name), ...offered.keys()];
  return {
    hasTools: offered.size > 0,
    definitions: [
      ...own.map(([name, { description, parameters }]) => ({
        type: 'function' as const,
        function: { name, description, parameters: schemaOf(parameters) },
      })),
      ...[...offered].map(([name, one]) => definitionOf(name, one)),
    ],

    /** A step, or what is wrong with the call, for the model. `said` is what stood beside it. */
    read({ name, arguments: text }: AskedCall, said: string): Parsed {
      const args = argumentsOf(text);
      if (!args) return { fault: 'The arguments are no JSON object.' };
      const tool = offered.get(name);
      if (tool) {
        const { operation } = tool;
        const action = { toolId: tool.tool.id, operation: operation.name, args };
        return { step: { action: { type: 'use_tool', ...action }, reasoning: said } };
      }
      const known = names.includes(name) ? FUNCTIONS[name] : undefined;
      if (!known) return { fault: `There is no such function. There are: ${names.join(', ')}.` };
      const { data, error } = known.parameters.safeParse({ reason: said, ...args });
      if (error) return { fault: `The arguments do not fit: ${faultsOf(error)}.` };
      const { reason: reasoning, ...rest } = data as { reason: string };
      return { step: { action: { type: known.as, ...rest } as BrowsingAction, reasoning } };
    },
  };
}

function schemaOf(parameters: z.ZodType<object>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters);
  return schema;
}

function faultsOf({ issues }: z.ZodError): string {
  const all = issues.map(({ path, message }) => `${path.join('.') || 'they'}: ${message}`);
  return all.slice(0, 5).join('; ').slice(0, 600);
}
