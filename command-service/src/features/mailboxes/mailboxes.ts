import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  MailboxAccess,
  type MailboxInput,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { AddressConnected } from '@tallyhand/contracts/features/mailboxes/mailboxes.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import { boundSecrets } from '../../kit/bound-secrets.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { mailListOf } from './mail-list.ts';
import { type MailboxCommand, type MailboxState, mailboxStream } from './mailbox.decider.ts';
import { type MailboxLooks, mailboxListOf } from './mailbox-list.ts';

type OfMailbox = { readonly organizationId: string; readonly id: string; readonly by: string };

/** The mailboxes of agents. Every call may be repeated. */
export type Mailboxes = ReturnType<typeof mailboxesOf>;

export const mailboxesOf = (kit: Kit, { findAgent }: WithAgents) => {
  const stored = storedMailboxes(kit);
  const { list } = stored;
  const changes = changesOf(stored);
  /** Lets the mailboxes of an agent rest while it is paused or deleted, and go on with it. */
  async function followAgent(agentId: string, organizationId: string) {
    // The look comes last: who looks after a change of the agent leaves what is right by then.
    await list.rest(agentId);
    const agent = await findAgent(agentId, organizationId);
    if (agent?.isActive) await list.goOn(agentId);
  }
  /** Whether an address is free because the agent of its mailbox was deleted. */
  async function giveUp(context: CommandContext, { organizationId, by }: By, taken: Taken) {
    if (await findAgent(taken.agentId, organizationId)) return false;
    await changes.disconnect(context, { organizationId, id: taken.mailboxId, by });
    return true;
  }
  return {
    ...stored,
    ...changes,
    followAgent,
    connect: connecterOf(kit, stored, { followAgent, giveUp }),
  };
};

/** How agents are looked up; null where one is deleted. */
type WithAgents = {
  readonly findAgent: (
    id: string,
    organizationId: string,
  ) => Promise<{ readonly isActive: boolean } | null>;
};
type By = { readonly organizationId: string; readonly by: string };
type Taken = { readonly mailboxId: string; readonly agentId: string };
type Holding = {
  readonly followAgent: (agentId: string, organizationId: string) => Promise<void>;
  readonly giveUp: (context: CommandContext, by: By, taken: Taken) => Promise<boolean>;
};

type Stored = ReturnType<typeof storedMailboxes>;

function storedMailboxes(kit: Kit) {
  const streams = kit.streams.of(mailboxStream);
  const list = mailboxListOf(kit.pool);
  return {
    streams,
    list,
    mails: mailListOf(kit),
    credentials: mailboxCredentials(kit),
    view: async (state: MailboxState): Promise<Mailbox> =>
      viewOf(kit, state, await list.looks(state.connection?.mailboxId ?? '')),
    /** The state of a connected mailbox of the organization, or of one that was connected. */
    async find(
      id: string,
      organizationId: string,
      orDisconnected = false,
    ): Promise<MailboxState | Refusal> {
      const state = await streams.load(id);
      const isOwn = state.connection?.organizationId === organizationId;
      return isOwn && (orDisconnected || !state.isDisconnected)
        ? state
        : NotFound({ what: 'mailbox' });
    },
  };
}

/** The same address again, for the same agent, changes credentials and settings. */
function connecterOf(
  kit: Kit,
  { streams, list, credentials, view }: Stored,
  { followAgent, giveUp }: Holding,
) {
  /** Begins the stream of a mailbox, or changes what there is. */
  async function write(
    context: CommandContext,
    { id, organizationId, agentId, by, input }: Wanted,
  ): Promise<MailboxState | Refusal> {
    const { emailAddress, syncSettings } = input;
    const credentialsId = idFor(context, 'credentials');
    const access = accessOf(input);
    await credentials.keep({ organizationId, mailboxId: id, id: credentialsId }, access);
    const canReply = canSend(access);
    const settings = { provider: input.providerType, credentialsId, canReply, ...syncSettings };
    const { connection: before } = await streams.load(id);
    const address = await kit.vault.encrypt(id, organizationId, emailAddress);
    const own = { mailboxId: id, organizationId, agentId, connectedBy: by, address };
    const wanted: MailboxCommand = before
      ? { type: 'Change', data: settings }
      : { type: 'Connect', data: { ...own, ...settings } };
    const answer = await streams.send(id, wanted, context);
    if (isRefusal(answer)) return answer;
    await credentials.forgetOthers(id, answer.state.connection?.credentialsId ?? null);
    if (before && before.provider !== input.providerType) await list.forgetCursor(id);
    await list.activate(id, canReply, { isNew: !before });
    return answer.state;
  }

  return async (
    context: CommandContext,
    wanted: Omit<Wanted, 'id'>,
  ): Promise<Mailbox | Refusal> => {
    const { organizationId, agentId, input } = wanted;
    const place = {
      mailboxId: idFor(context, 'mailbox'),
      organizationId,
      agentId,
      addressKey: kit.box.keyedHash('mailbox', input.emailAddress.toLowerCase()),
      canReply: canSend(accessOf(input)),
    };
    let taken = await list.take(place);
    const isOthers = taken && taken.agentId !== agentId;
    if (taken && isOthers && (await giveUp(context, wanted, taken))) taken = await list.take(place);
    if (!taken || taken.agentId !== agentId) return AddressConnected({});
    const state = await write(context, { ...wanted, id: taken.mailboxId });
    if (isRefusal(state)) return state;
    await followAgent(agentId, organizationId);
    return view(state);
  };
}

function changesOf({ streams, list, mails, credentials, find, view }: Stored) {
  async function command(
    context: CommandContext,
    { organizationId, id }: Omit<OfMailbox, 'by'>,
    wanted: MailboxCommand,
  ): Promise<MailboxState | Refusal> {
    // An earlier attempt of this call may have disconnected it already.
    const mayBeDone = context.isTakenUp && wanted.type === 'Disconnect';
    const present = await find(id, organizationId, mayBeDone);
    if (isRefusal(present)) return present;
    const answer = await streams.send(id, wanted, context);
    return isRefusal(answer) ? answer : answer.state;
  }

  /** What is kept of a mailbox that was disconnected. May be repeated. */
  async function forget(mailboxId: string) {
    await list.remove(mailboxId);
    await credentials.forgetOthers(mailboxId, null);
  }

  return {
    async pause(context: CommandContext, { by, ...mailbox }: OfMailbox) {
      const data = { pausedBy: by, reason: 'by-person' as const };
      const state = await command(context, mailbox, { type: 'Pause', data });
      if (isRefusal(state)) return state;
      await list.stop(mailbox.id);
      return view(state);
    },
    async resume(context: CommandContext, { by, ...mailbox }: OfMailbox) {
      const state = await command(context, mailbox, { type: 'Resume', data: { by } });
      if (isRefusal(state)) return state;
      await list.activate(mailbox.id, state.connection?.canReply ?? false);
      return view(state);
    },
    async disconnect(
      context: CommandContext,
      { by, ...mailbox }: Omit<OfMailbox, 'by'> & { readonly by: string | null },
    ): Promise<Refusal | null> {
      const state = await command(context, mailbox, { type: 'Disconnect', data: { by } });
      if (isRefusal(state)) return state;
      await forget(mailbox.id);
      return null;
    },
    forget,
    async sendAgain(
      context: CommandContext,
      { organizationId, by, mailId }: Omit<OfMailbox, 'id'> & { readonly mailId: string },
    ): Promise<Refusal | null> {
      const id = await mails.mailboxOf(mailId, organizationId);
      if (!id) return NotFound({ what: 'mail' });
      const wanted = { type: 'RequestReplyAgain', data: { mailId, by } } as const;
      const state = await command(context, { organizationId, id }, wanted);
      if (isRefusal(state)) return state;
      await mails.again({ mailboxId: id, mailId });
      return null;
    },
  };
}

type Wanted = {
  readonly id: string;
  readonly organizationId: string;
  readonly agentId: string;
  readonly by: string;
  readonly input: MailboxInput;
};

/** The connection settings of the described mailbox. */
export function accessOf(input: MailboxInput): MailboxAccess {
  switch (input.providerType) {
    case 'gmail':
      return { provider: 'gmail', ...input.credentials };
    case 'pop3':
      return { provider: 'pop3', ...input.credentials };
    case 'imap':
      return { provider: 'imap', ...input.credentials };
  }
}

export const canSend = (access: MailboxAccess) =>
  access.provider === 'gmail' || access.smtp !== undefined;

type Ids = { readonly organizationId: string; readonly mailboxId: string; readonly id: string };

/**
 * What is needed to sign in to mailboxes, encrypted at rest. Servers, ports, encryption and
 * accounts are sealed in one value with their passwords: none can be changed without the others.
 */
export function mailboxCredentials(kit: Pick<Kit, 'pool' | 'box'>) {
  const secrets = boundSecrets(kit, 'mailbox');
  return {
    /** Keeps them under an id that the mailbox's event names. May be repeated. */
    keep: ({ mailboxId: ownerId, ...own }: Ids, access: MailboxAccess) =>
      secrets.keep({ ...own, ownerId }, access, null),
    forgetOthers: secrets.forgetOthers,
    async read(mailboxId: string, id: string): Promise<MailboxAccess> {
      const access = await secrets.open({ ownerId: mailboxId, id }, null);
      if (access === null) throw new Error(`The credentials of mailbox ${mailboxId} are missing`);
      return MailboxAccess.parse(access);
    },
  };
}

/** A mailbox as its API shows it. */
export async function viewOf(
  { personKeys }: Pick<Kit, 'personKeys'>,
  { connection, connectedAt, pause, failure }: MailboxState,
  looks: MailboxLooks | null,
): Promise<Mailbox> {
  if (!connection) throw new Error('There is no mailbox to show');
  const { mailboxId, provider, pollInterval, autoReply, replyTemplate, markAsRead } = connection;
  const reason = pause ?? (looks?.isResting ? 'agent-paused' : null);
  const working = looks?.isPolling ? 'polling' : 'connected';
  return {
    id: mailboxId,
    agentId: connection.agentId,
    providerType: provider,
    emailAddress: await personKeys.reveal(mailboxId, connection.address),
    status: reason ? 'paused' : failure ? 'failing' : working,
    pauseReason: reason,
    syncSettings: { pollInterval, autoReply, replyTemplate, markAsRead },
    canReply: connection.canReply,
    lastPollAt: looks?.lastPollAt?.toISOString() ?? null,
    nextPollAt: looks?.nextPollAt?.toISOString() ?? null,
    lastError: looks?.error ?? null,
    lastErrorCode: looks?.errorCode ?? null,
    createdAt: connectedAt,
  };
}
