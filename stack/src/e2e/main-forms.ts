import { agentInput } from '@tallyhand/test-kit/api-client';
import type { Page } from 'playwright';
import { anArticle, aPlaybook, dialog, field, press, someone } from './steps.ts';

/** A form that creates an object, and how its tests use it. */
export type MainForm = {
  readonly of: string;
  readonly path: string;
  /** The button that opens it, unless it is part of its page. */
  readonly open?: string;
  readonly send: string;
  /** The first required field, and its message when empty. */
  readonly first: readonly [name: string, message: string];
  /** A field of one line: Enter sends. */
  readonly line: string;
  /** A field of many lines. */
  readonly text: string;
  /** Fills in all required fields, under a unique name. */
  readonly fill: (page: Page, name: string) => Promise<void>;
  readonly name: string;
  /** The field of the name. */
  readonly nameField: string;
  readonly failed: string;
  readonly done: string;
  /** The page that creates and lists such objects. */
  readonly api: string;
  /** The page that shows the name afterwards. */
  readonly shownAt?: string;
};

/** Scripts stay text in both directions of writing. */
const STRANGE_NAME = '<script>alert(1)</script> שלום 👋';

async function fillFields(page: Page, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) await field(page, name).fill(value);
}

const fillAgent = async (page: Page, name: string) => {
  const { role, personality } = agentInput.personaConfig;
  await fillFields(page, { name, description: agentInput.description });
  await fillFields(page, { 'personaConfig.role': role, 'personaConfig.personality': personality });
  await press(dialog(page), 'Research');
};
const fillPlaybook = (page: Page, title: string) =>
  fillFields(page, {
    title,
    description: aPlaybook.description,
    steps: aPlaybook.steps.join('\n'),
  });
const fillArticle = (page: Page, title: string) =>
  fillFields(page, { title, content: anArticle.content, category: anArticle.category });
const fillTool = (page: Page, name: string) =>
  fillFields(page, { name, description: 'Looks orders up in the shop' });
const fillTicket = (page: Page, subject: string) =>
  fillFields(page, { subject, message: 'The export of the audit log never becomes ready.' });
const fillInvitation = (page: Page, email: string) =>
  fillFields(page, { email, message: STRANGE_NAME });

export const mainForms: readonly MainForm[] = [
  {
    of: 'an agent',
    path: '/agents',
    open: 'Create Agent',
    send: 'Create Agent',
    first: ['name', 'Name must be at least 2 characters'],
    line: 'name',
    text: 'description',
    fill: fillAgent,
    name: STRANGE_NAME,
    nameField: 'name',
    failed: 'Failed to create agent',
    done: 'Agent created',
    api: '/api/agents',
  },
  {
    of: 'an article',
    path: '/knowledge',
    open: 'Add Article',
    send: 'Add Article',
    first: ['title', 'Title must be at least 3 characters'],
    line: 'title',
    text: 'content',
    fill: fillArticle,
    name: STRANGE_NAME,
    nameField: 'title',
    failed: 'Failed to create article',
    done: 'Article created',
    api: '/api/knowledge',
  },
  {
    of: 'a playbook',
    path: '/knowledge?tab=playbooks',
    open: 'Create Playbook',
    send: 'Create Playbook',
    first: ['title', 'Title must be at least 3 characters'],
    line: 'title',
    text: 'description',
    fill: fillPlaybook,
    name: STRANGE_NAME,
    nameField: 'title',
    failed: 'Failed to create playbook',
    done: 'Playbook created',
    api: '/api/playbooks',
  },
  {
    of: 'a tool',
    path: '/tools',
    open: 'Add Tool',
    send: 'Add Tool',
    first: ['name', 'Tool name must be at least 2 characters'],
    line: 'name',
    text: 'description',
    fill: fillTool,
    name: STRANGE_NAME,
    nameField: 'name',
    failed: 'Failed to create tool',
    done: 'Tool created',
    api: '/api/tools',
  },
  {
    of: 'an invitation',
    path: '/team',
    open: 'Invite Member',
    send: 'Invite',
    first: ['email', 'Please enter a valid email address'],
    line: 'email',
    text: 'message',
    fill: fillInvitation,
    name: someone(),
    nameField: 'email',
    failed: 'Failed to send invitation',
    done: 'Invitation created',
    api: '/api/invitations',
  },
  {
    of: 'a ticket',
    path: '/contact?category=technical',
    send: 'Send Message',
    first: ['subject', 'Subject must be at least 5 characters'],
    line: 'subject',
    text: 'message',
    fill: fillTicket,
    name: STRANGE_NAME,
    nameField: 'subject',
    failed: 'Failed to send message',
    done: 'Message sent successfully!',
    api: '/api/support/tickets',
    shownAt: '/support',
  },
];
