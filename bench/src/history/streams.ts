import {
  AgentActivated,
  AgentChanged,
  AgentCreated,
  AgentPaused,
} from '@tallyhand/contracts/features/agents/agents.events';
import {
  ConversationStarted,
  MessageSent,
  ReplyGiven,
} from '@tallyhand/contracts/features/chat/chat.events';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import { UserRegistered } from '@tallyhand/contracts/features/identity/identity.events';
import {
  ArticleChanged,
  ArticleCreated,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import {
  MemberJoined,
  OrganizationRegistered,
} from '@tallyhand/contracts/features/organizations/organizations.events';
import {
  TaskRequested,
  TaskStarted,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { NewEvent } from '@tallyhand/service-kit/event-store/event-log';
import type { Cast } from './cast.ts';

/** The events of a stream from its first on. */
export type Stream = { readonly name: string; readonly events: readonly NewEvent[] };

const MESSAGES = 20;
/** What an agent is given to read. */
const ARTICLES_OF_AGENT = 20;
const LATER = '2027-01-01T00:00:00.000Z';
const model = 'built-in';
const TEXT = 'Items can be returned within 30 days of delivery, in the box that they came in. ';
const SENTENCES_OF_ARTICLE = 20;
/** One in so many articles begins with TEXT. */
const ABOUT_RETURNS_ONE_IN = 50;
const WHO = [
  'The carrier',
  'A customer',
  'Our warehouse',
  'The finance team',
  'A manager',
] as const;
const DOES = ['checks', 'sends', 'confirms', 'stores', 'corrects', 'pays for', 'labels'] as const;
const WHAT = [
  'the invoice',
  'each parcel',
  'a discount',
  'the warranty card',
  'every order of items',
  'the delivery address',
  'spare parts',
  'a subscription',
  'the tax form',
  'gift vouchers',
  'the contract',
] as const;
const WHEN = [
  'on working days',
  'before the weekend',
  'within two hours',
  'at the end of the month',
  'after the holidays',
  'when stock runs low',
  'once a year',
  'after payment',
  'in the first week',
  'during the sale',
  'by the next morning',
  'at any time',
  'within five days',
] as const;

/** The same for the same number; neighbours share few sentences. */
function articleText(number: number): string {
  const sentences = Array.from({ length: SENTENCES_OF_ARTICLE }, (_, at) => {
    const seed = number * 7_919 + at * 31;
    const pick = (words: readonly string[], by: number) => words[(seed * by) % words.length];
    return `${pick(WHO, 1)} ${pick(DOES, 3)} ${pick(WHAT, 5)} ${pick(WHEN, 11)}. `;
  });
  return `${number % ABOUT_RETURNS_ONE_IN === 0 ? TEXT : ''}${sentences.join('')}`;
}

/** Who and what there is before the first task. */
export function beginnings(cast: Cast, articles: number): Stream[] {
  const { organizationId, event, people } = cast;
  const articleIds = Array.from({ length: articles }, () => newId());
  const members = people.map(({ userId, encrypt }, at) => {
    const person = { userId, organizationId, invitationId: null };
    const [username, email] = [`Ada ${at}`, `ada.${at}@example.com`].map(encrypt);
    return {
      joined: event(
        MemberJoined({ ...person, role: at === 0 ? 'Admin' : 'Viewer', lastDay: null }),
      ),
      registered: event(UserRegistered({ ...person, username, email } as never)),
    };
  });
  const registered = event(OrganizationRegistered({ organizationId, name: 'Bench' }));
  return [
    {
      name: `organization-${organizationId}`,
      events: [registered, ...members.map(({ joined }) => joined)],
    },
    ...members.map((member, at) => ({
      name: `user-${people[at]?.userId}`,
      events: [member.registered],
    })),
    ...articleIds.map((articleId, number) => articleStream(cast, articleId, number)),
    ...cast.agents.map((agentId) => agentStream(cast, agentId, articleIds)),
  ];
}

function agentStream(
  { organizationId, event }: Cast,
  agentId: string,
  articleIds: readonly string[],
): Stream {
  const agent = { agentId, organizationId };
  const persona = {
    role: 'Support agent',
    personality: 'Patient, precise and kind',
    expertise: ['Returns'],
    communicationStyle: 'friendly' as const,
    responseFormat: 'concise' as const,
  };
  const texts = { name: 'Support', description: 'Answers the questions of customers' };
  const articles = articleIds.slice(0, ARTICLES_OF_AGENT);
  const resources = { articles, playbooks: [], tools: [] };
  return {
    name: `agent-${agentId}`,
    events: [
      event(
        AgentCreated({
          ...agent,
          version: 1,
          ...texts,
          persona,
          ...resources,
          model: null,
          isActive: true,
        }),
      ),
      event(AgentChanged({ ...agent, version: 2, name: 'Helpdesk' })),
      event(AgentPaused(agent)),
      event(AgentActivated(agent)),
    ],
  };
}

function articleStream({ organizationId, event }: Cast, articleId: string, number: number): Stream {
  const article = { articleId, organizationId };
  const content = { kind: 'inline' as const, text: articleText(number) };
  const rest = { category: 'General', tags: ['returns'], isPublic: true };
  return {
    name: `article-${article.articleId}`,
    events: [
      event(ArticleCreated({ ...article, version: 1, title: 'Draft', content, ...rest })),
      event(ArticleChanged({ ...article, version: 2, title: `Handbook, part ${number}` })),
    ],
  };
}

export async function conversationStream(cast: Cast, agentId: string): Promise<Stream> {
  const { organizationId, userId: startedBy, event } = cast;
  const conversation = { conversationId: newId(), organizationId };
  const title = cast.encrypt('Returns');
  const events = [event(ConversationStarted({ ...conversation, agentId, startedBy, title }))];
  for (let message = 0; message < MESSAGES; message += 1) {
    const inReplyTo = newId();
    const text = cast.encrypt('Within how many days can items be returned?');
    const reply = cast.encrypt(JSON.stringify({ response: TEXT, sources: [] }));
    const own = { ...conversation, startedBy };
    events.push(
      event(MessageSent({ ...own, messageId: inReplyTo, text })),
      event(
        ReplyGiven({ ...own, messageId: newId(), inReplyTo, reply, model, agentVersion: 1 }),
        'worker',
      ),
    );
  }
  return { name: `conversation-${conversation.conversationId}`, events };
}

/** What a task costs, and what becomes of it. */
export function taskEvents(cast: Cast, agentId: string) {
  const { organizationId, userId: memberId, event, link } = cast;
  const taskId = newId();
  const work = { kind: 'task' as const, id: taskId };
  const terms = {
    organizationId,
    reservationId: taskId,
    amount: 1,
    work,
    workType: 'query' as const,
    agentId,
    memberId,
    price: 1,
  };
  const task = { taskId, organizationId };
  const input = 'Within how many days can items be returned?';
  const asked = { ...task, agentId, taskType: 'query' as const, input, requestedBy: memberId };
  const stream: Stream = {
    name: `task-${taskId}`,
    events: [
      event(TaskRequested({ ...asked, price: 1, deadline: LATER })),
      event(TaskStarted({ ...task, model, agentVersion: 1, articles: [] }), 'worker'),
      event(
        TaskSucceeded({
          ...task,
          output: TEXT,
          reasoning: null,
          sources: [],
          model,
          executionTimeMs: 12,
        }),
        'worker',
      ),
    ],
  };
  const ledger = [
    link(CreditsReserved({ ...terms, expiresAt: LATER })),
    link(CreditsCharged(terms)),
  ];
  return { ledger, stream };
}
