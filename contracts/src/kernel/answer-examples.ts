import { z } from 'zod';
import type { AnswerOf, Endpoint } from './endpoint.ts';

/**
 * Examples of the answers that a module's calls give: by the name of the answer's schema, and by the
 * name of the call where the schema has none. A list of a schema has the schema's example in it.
 */
export type AnswerExamples<Module> = {
  readonly [Name in keyof Module]?: Module[Name] extends z.ZodType
    ? z.output<Module[Name]>
    : AnswerOf<Module[Name]>;
};

export type AnswerExample = { readonly name: string; readonly value: unknown };

/** Finds the example of a call's answer; null if the answer has no body, or no example. */
export function answerExampleFinder(
  schemas: Readonly<Record<string, unknown>>,
  examples: Readonly<Record<string, unknown>>,
): (endpoint: Pick<Endpoint, 'name' | 'answer'>) => AnswerExample | null {
  const nameOf = new Map(Object.entries(schemas).map(([name, schema]) => [schema, name]));
  return ({ name, answer }) => {
    if (!answer) return null;
    if (name in examples) return { name, value: examples[name] };
    const element = answer instanceof z.ZodArray ? answer.element : null;
    const schema = nameOf.get(element ?? answer) ?? '';
    if (!(schema in examples)) return null;
    const value = examples[schema];
    return element ? { name: `${schema}List`, value: [value] } : { name: schema, value };
  };
}
