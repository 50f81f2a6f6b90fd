import type { ChatCompletionInput } from '@tallyhand/contracts/features/openai/openai.endpoints';
import { invalidField } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';

/** As much as an agent is given beside the request. */
const CONTEXT_MAX = 32_000;
/** Of all instructions together, so that the conversation has room. */
const INSTRUCTIONS_MAX = 16_000;
const HEADING = 'What was said before in this conversation:';

export type Message = Pick<ChatCompletionInput['messages'][number], 'role' | 'content'>;

const SPEAKERS: Readonly<Record<Message['role'], string>> = {
  system: 'Program',
  developer: 'Program',
  user: 'Person',
  assistant: 'You',
};

const isInstruction = ({ role }: Message) => role === 'system' || role === 'developer';

/**
 * The last message as a task's input, and those before it as its context: all instructions, and as
 * many of the newest messages as fit. The context is data. Only the agent's profile instructs it, which
 * a program that runs an agent may not be allowed to change.
 */
export function conversationOf(
  messages: readonly Message[],
  field: string,
  /** Beside the messages. */
  instruction = '',
): { readonly input: string; readonly context?: string } | Refusal {
  const last = messages.at(-1);
  const path = `${field}.${messages.length - 1}`;
  if (last?.role !== 'user')
    return invalidField(`${path}.role`, 'The last message must be of the role user');
  const input = last.content.trim();
  if (input === '') return invalidField(`${path}.content`, 'The last message must have a text');
  const before = messages.slice(0, -1).filter(({ content }) => content.trim() !== '');
  const own: readonly Message[] = instruction.trim()
    ? [{ role: 'developer', content: instruction }]
    : [];
  const instructions = [...own, ...before.filter(isInstruction)].map(lineOf);
  const length = instructions.reduce((sum, line) => sum + line.length, 0);
  if (length > INSTRUCTIONS_MAX) {
    const rule = `System and developer messages must have at most ${INSTRUCTIONS_MAX} characters together`;
    return invalidField(field, rule);
  }
  const said = before.filter((message) => !isInstruction(message)).map(lineOf);
  const lines = [...instructions, ...newest(said, CONTEXT_MAX - HEADING.length - 2 - length)];
  return lines.length > 0 ? { input, context: [HEADING, ...lines].join('\n\n') } : { input };
}

const lineOf = ({ role, content }: Message) => `${SPEAKERS[role]}: ${content.trim()}`;

function newest(lines: readonly string[], lengthMax: number): readonly string[] {
  let length = 0;
  const from = lines.findLastIndex((line) => {
    length += line.length + 2;
    return length > lengthMax;
  });
  return lines.slice(from + 1);
}
