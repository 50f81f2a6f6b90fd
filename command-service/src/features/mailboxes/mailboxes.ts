import type { Mailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  MailboxAccess,
  type MailboxInput,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import { AddressConnected } from '@tallyhand/contracts/features/mailboxes/mailboxes.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import { BoundSecrets } from '../../kit/bound-secrets.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { MailList } from './mail-list.ts';
import { type MailboxCommand, type MailboxState, mailboxStream } from './mailbox.decider.ts';
import { MailboxList, type PollState } from './mailbox-list.ts';

type OfMailbox = { readonly organizationId: string; readonly id: string };
type By = { readonly by: string };

/** What a member enters. */
type Wanted = By & {
  readonly organizationId: string;
  readonly agentId: string;
  readonly input: MailboxInput;
};

/** Finds an agent; null if it is deleted. */
type FindAgent = (
  id: string,
  organizationId: string,
) => Promise<{ readonly isActive: boolean } | null>;

/** The mailboxes of agents. Every call may be repeated. */
export class Mailboxes {
  readonly streams;
  readonly list: MailboxList;
  readonly mails: MailList;
  readonly #kit: Kit;
  readonly #findAgent: FindAgent;
  readonly #secrets: BoundSecrets;

  constructor(kit: Kit, findAgent: FindAgent) {
    this.streams = kit.streams.of(mailboxStream);
    this.list = new MailboxList(kit.pool);
    this.mails = new MailList(kit);
    this.#kit = kit;
    this.#findAgent = findAgent;
    this.#secrets = new BoundSecrets(kit, 'mailbox');
  }

  /** A mailbox of the organization. With `orDisconnected` it may be disconnected. */
  async find(
    id: string,
    organizationId: string,
    orDisconnected = false,
  ): Promise<MailboxState | Refusal> {
    const state = await this.streams.load(id);
    const isOwn = state.connection?.organizationId === organizationId;
    const isFound = isOwn && (orDisconnected || !state.isDisconnected);
    return isFound ? state : NotFound({ what: 'mailbox' });
  }

  /** Connects an address. The same address again, for the same agent, changes its settings. */
  async connect(context: CommandContext, wanted: Wanted): Promise<Mailbox | Refusal> {
    const { organizationId, agentId, input } = wanted;
    const place = {
      mailboxId: idFor(context, 'mailbox'),
      organizationId,
      agentId,
      addressKey: this.#kit.box.keyedHash('mailbox', input.emailAddress.toLowerCase()),
      canReply: canSend(accessOf(input)),
    };
    let taken = await this.list.take(place);
    // The mailbox of a deleted agent gives up its address.
    if (taken && taken.agentId !== agentId) {
      if (await this.#findAgent(taken.agentId, organizationId)) return AddressConnected({});
      await this.disconnect(context, { organizationId, id: taken.mailboxId, by: wanted.by });
      taken = await this.list.take(place);
    }
    if (!taken || taken.agentId !== agentId) return AddressConnected({});
    const state = await this.#write(context, taken.mailboxId, wanted);
    if (isRefusal(state)) return state;
    await this.followAgent(agentId, organizationId);
    return this.#view(state);
  }

  /** Begins the stream of a mailbox, or changes its settings. */
  async #write(
    context: CommandContext,
    id: string,
    { organizationId, agentId, by, input }: Wanted,
  ): Promise<MailboxState | Refusal> {
    const { emailAddress, syncSettings } = input;
    const credentialsId = idFor(context, 'credentials');
    const access = accessOf(input);
    const own = { ownerId: id, id: credentialsId, organizationId };
    // Servers, ports, accounts and passwords are sealed as one value: none can change alone.
    await this.#secrets.keep(own, access, null);
    const canReply = canSend(access);
    const settings = { provider: input.providerType, credentialsId, canReply, ...syncSettings };
    const { connection: before } = await this.streams.load(id);
    const address = await this.#kit.vault.encrypt(id, organizationId, emailAddress);
    const connection = { mailboxId: id, organizationId, agentId, connectedBy: by, address };
    const wanted: MailboxCommand = before
      ? { type: 'Change', data: settings }
      : { type: 'Connect', data: { ...connection, ...settings } };
    const answer = await this.streams.send(id, wanted, context);
    if (isRefusal(answer)) return answer;
    await this.#secrets.forgetOthers(id, answer.state.connection?.credentialsId ?? null);
    if (before && before.provider !== input.providerType) await this.list.forgetCursor(id);
    await this.list.activate(id, canReply, { isNew: !before });
    return answer.state;
  }

  async pause(context: CommandContext, { by, ...mailbox }: OfMailbox & By) {
    const data = { pausedBy: by, reason: 'by-person' as const };
    const state = await this.#send(context, mailbox, { type: 'Pause', data });
    if (isRefusal(state)) return state;
    await this.list.stop(mailbox.id);
    return this.#view(state);
  }

  async resume(context: CommandContext, { by, ...mailbox }: OfMailbox & By) {
    const state = await this.#send(context, mailbox, { type: 'Resume', data: { by } });
    if (isRefusal(state)) return state;
    await this.list.activate(mailbox.id, state.connection?.canReply ?? false);
    return this.#view(state);
  }

  async disconnect(
    context: CommandContext,
    { by, ...mailbox }: OfMailbox & { readonly by: string | null },
  ): Promise<Refusal | null> {
    const state = await this.#send(context, mailbox, { type: 'Disconnect', data: { by } });
    if (isRefusal(state)) return state;
    await this.forget(mailbox.id);
    return null;
  }

  /** Deletes what is stored of a disconnected mailbox. */
  async forget(mailboxId: string) {
    await this.list.remove(mailboxId);
    await this.#secrets.forgetOthers(mailboxId, null);
  }

  async sendAgain(
    context: CommandContext,
    mail: By & { readonly organizationId: string; readonly mailId: string },
  ): Promise<Refusal | null> {
    const { organizationId, by, mailId } = mail;
    const id = await this.mails.mailboxOf(mailId, organizationId);
    if (!id) return NotFound({ what: 'mail' });
    const command = { type: 'RequestReplyAgain', data: { mailId, by } } as const;
    const state = await this.#send(context, { organizationId, id }, command);
    if (isRefusal(state)) return state;
    await this.mails.again({ mailboxId: id, mailId });
    return null;
  }

  /** Suspends the mailboxes of an agent while it is paused or deleted. */
  async followAgent(agentId: string, organizationId: string) {
    // The agent is read last, so that the newest of concurrent calls decides.
    await this.list.suspend(agentId);
    const agent = await this.#findAgent(agentId, organizationId);
    if (agent?.isActive) await this.list.resume(agentId);
  }

  async readAccess(mailboxId: string, credentialsId: string): Promise<MailboxAccess> {
    const access = await this.#secrets.open({ ownerId: mailboxId, id: credentialsId }, null);
    if (access === null) throw new Error(`The credentials of mailbox ${mailboxId} are missing`);
    return MailboxAccess.parse(access);
  }

  async #send(
    context: CommandContext,
    { organizationId, id }: OfMailbox,
    command: MailboxCommand,
  ): Promise<MailboxState | Refusal> {
    // An earlier attempt of this call may have disconnected it already.
    const mayBeDone = context.isTakenUp && command.type === 'Disconnect';
    const present = await this.find(id, organizationId, mayBeDone);
    if (isRefusal(present)) return present;
    const answer = await this.streams.send(id, command, context);
    return isRefusal(answer) ? answer : answer.state;
  }

  /** A mailbox as the API shows it. */
  async #view({ connection, connectedAt, pause, failure }: MailboxState): Promise<Mailbox> {
    if (!connection) throw new Error('There is no mailbox to show');
    const { mailboxId, provider, pollInterval, autoReply, replyTemplate, markAsRead } = connection;
    const poll: PollState | null = await this.list.pollState(mailboxId);
    const reason = pause ?? (poll?.isResting ? 'agent-paused' : null);
    const working = poll?.isPolling ? 'polling' : 'connected';
    return {
      id: mailboxId,
      agentId: connection.agentId,
      providerType: provider,
      emailAddress: await this.#kit.personKeys.reveal(mailboxId, connection.address),
      status: reason ? 'paused' : failure ? 'failing' : working,
      pauseReason: reason,
      syncSettings: { pollInterval, autoReply, replyTemplate, markAsRead },
      canReply: connection.canReply,
      lastPollAt: poll?.lastPollAt?.toISOString() ?? null,
      nextPollAt: poll?.nextPollAt?.toISOString() ?? null,
      lastError: poll?.error ?? null,
      lastErrorCode: poll?.errorCode ?? null,
      createdAt: connectedAt,
    };
  }
}

/** The connection settings that a member entered. */
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

const canSend = (access: MailboxAccess) => access.provider === 'gmail' || access.smtp !== undefined;
