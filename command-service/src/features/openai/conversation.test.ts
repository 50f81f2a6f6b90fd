import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { describe, expect, it } from 'vitest';
import { conversationOf, type Message } from './conversation.ts';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const system = (content: string): Message => ({ role: 'system', content });

const contextOf = (...messages: Message[]) => {
  const conversation = conversationOf(messages, 'messages');
  if (isRefusal(conversation)) throw new Error(conversation.detail);
  return conversation.context;
};
const refusedField = (...messages: Message[]) => {
  const conversation = conversationOf(messages, 'messages');
  return isRefusal(conversation) ? conversation.errors?.[0]?.path : null;
};

describe('the messages of a call', () => {
  it('are the input alone if there is one', () => {
    expect(conversationOf([user('  Hello ')], 'messages')).toEqual({ input: 'Hello' });
  });

  it('become the context of the last one, in their order, instructions first', () => {
    expect(contextOf(user('Hi'), system('Be brief.'), assistant('Hello.'), user('Days?'))).toBe(
      'What was said before in this conversation:\n\nProgram: Be brief.\n\nPerson: Hi\n\nYou: Hello.',
    );
  });

  it('leave out the oldest that do not fit, and no instructions', () => {
    const long = 'x'.repeat(15_000);
    const context = contextOf(
      user(`first ${long}`),
      assistant(`second ${long}`),
      system('Be brief.'),
      user(`third ${long}`),
      user('Days?'),
    );
    expect(context?.length).toBeLessThanOrEqual(32_000);
    expect(context).toContain('Be brief.');
    expect(context).toContain('third');
    expect(context).toContain('second');
    expect(context).not.toContain('first');
  });

  it('are refused if the last one is not of the user, or empty', () => {
    expect(refusedField(user('Hi'), assistant('Hello.'))).toBe('messages.1.role');
    expect(refusedField(user('Hi'), user(' \n'))).toBe('messages.1.content');
  });

  it('are refused if the instructions leave no room for the conversation', () => {
    expect(refusedField(system('x'.repeat(16_000)), user('Hi'))).toBe('messages');
  });
});
