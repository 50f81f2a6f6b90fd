import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { keyReadsOnly, mayCall } from '@tallyhand/contracts/kernel/access';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { z } from 'zod';
import type { ProductApi } from './product-api.ts';

/** One call of a tool. */
export type ToolCall = {
  readonly api: ProductApi;
  readonly idempotencyKey: string | undefined;
  /** Reports what has been done; nothing is sent to clients that did not ask for it. */
  readonly progress: (message: string) => void;
  /** The client has cancelled the call. */
  readonly cancelled: AbortSignal;
};

/** `problem`: why the tool did not do what it should. */
export type Outcome<O> =
  | { readonly problem: Problem; readonly structured?: O }
  | { readonly problem?: undefined; readonly text: string; readonly structured: O };

/** A tool that every organization has. */
export type FixedTool = {
  readonly shown: Tool;
  /** The calls that it makes: keys that may not make them do not see it. */
  readonly calls: readonly Endpoint[];
  run(input: unknown, call: ToolCall): Promise<Outcome<object>> | z.ZodError;
};

type Declared<I extends z.ZodObject, O extends z.ZodObject> = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: O;
  readonly annotations: ToolAnnotations;
  readonly calls: readonly Endpoint[];
  run(input: z.infer<I>, call: ToolCall): Promise<Outcome<z.infer<O>>>;
};

export function fixedTool<I extends z.ZodObject, O extends z.ZodObject>({
  input,
  output,
  calls,
  run,
  ...shown
}: Declared<I, O>): FixedTool {
  return {
    shown: { ...shown, inputSchema: schemaOf(input), outputSchema: schemaOf(output) },
    calls,
    run(given, call) {
      const { data, error } = input.safeParse(given ?? {});
      return error ?? run(data as z.infer<I>, call);
    },
  };
}

/** The JSON Schema of what a client sends, or is sent. */
export const schemaOf = (schema: z.ZodObject) =>
  z.toJSONSchema(schema, { io: 'input' }) as Tool['inputSchema'];

/** Whether a key with this role may make all calls. */
export const mayMakeAll = (role: Role, calls: readonly Endpoint[]): boolean =>
  calls.every((call) => mayCall(role, call) && !keyReadsOnly(role, call));
