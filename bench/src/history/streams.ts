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

const ARTICLES = 20;
const MESSAGES = 20;
const LATER = '2027-01-01T00:00:00.000Z';
const model = 'built-in';
const TEXT = 'Items can be returned within 30 days of delivery, in the box that they came in. ';

/** Who and what there is before the first task. */
export async function beginnings(cast: Cast): Promise<Stream[]> {
  const { organizationId, userId, event } = cast;
  const [username, email] = ['Ada', 'ada@example.com'].map(cast.encrypt);
  const person = { userId, organizationId, invitationId: null };
  return [
    {
      name: `organization-${organizationId}`,
      events: [
        event(OrganizationRegistered({ organizationId, name: 'Bench' })),
        event(MemberJoined({ ...person, role: 'Admin', lastDay: null })),
      ],
    },
    {
      name: `user-${userId}`,
      events: [event(UserRegistered({ ...person, username, email } as never))],
    },
    ...cast.agents.map((agentId) => agentStream(cast, agentId)),
    ...Array.from({ length: ARTICLES }, () => articleStream(cast)),
  ];
}

function agentStream({ organizationId, event }: Cast, agentId: string): Stream {
  const agent = { agentId, organizationId };
  const persona = {
    role: 'Support agent',
    personality: 'Patient, precise and kind',
    expertise: ['Returns'],
    communicationStyle: 'friendly' as const,
    responseFormat: 'concise' as const,
  };
  const texts = { name: 'Support', description: 'Answers the questions of customers' };
  const resources = { articles: [], playbooks: [], tools: [] };
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

function articleStream({ organizationId, event }: Cast): Stream {
  const article = { articleId: newId(), organizationId };
  const content = { kind: 'inline' as const, text: TEXT.repeat(20) };
  const rest = { category: 'General', tags: ['returns'], isPublic: true };
  return {
    name: `article-${article.articleId}`,
    events: [
      event(ArticleCreated({ ...article, version: 1, title: 'Returns', content, ...rest })),
      event(ArticleChanged({ ...article, version: 2, title: 'Returns and exchanges' })),
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
