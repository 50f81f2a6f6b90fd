import { X509Certificate } from 'node:crypto';
import { isAllowedAddress, isAllowedName } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { guardedLookup, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { OutboundRefused } from '@tallyhand/agent-runtime/guard/outbound-errors';
import type {
  LogStream,
  LogStreamInput,
  LogStreamKind,
  NewLogStream,
} from '@tallyhand/contracts/features/audit/log-stream.endpoints';
import { ValidationFailed } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import type pg from 'pg';
import { z } from 'zod';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { newWebhookSecret } from '../../kit/webhook-signature.ts';
import { auditStream } from './audit.decider.ts';

const LOOKUP_MS_MAX = 3_000;
/** Entries of one batch. */
export const BATCH_MAX = 500;
/** Of advisory locks. */
const STREAMS_LOCK = 7_261_948;
const PLAIN_TOKEN = 'A token is sent over https only';
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'tls:': 6514,
};

/** Where a stream goes, with its secrets. */
const Receiver = z.object({
  address: z.string(),
  /** Signs what a webhook gets. */
  secret: z.string().nullable(),
  token: z.string().nullable(),
  certificateAuthority: z.string().nullable(),
});
export type Receiver = z.infer<typeof Receiver>;

const contextOf = (streamId: string) => `log-stream ${streamId}`;

export const openReceiver = (box: SealedBox, streamId: string, sealed: Buffer): Receiver =>
  Receiver.parse(JSON.parse(box.open(sealed, contextOf(streamId)).toString()));

export const portOf = ({ protocol, port }: URL) => Number(port || DEFAULT_PORTS[protocol]);

type Row = {
  readonly kind: LogStreamKind;
  readonly origin: string;
  readonly sequence: string;
  readonly delivered_at: Date | null;
  readonly created_at: Date;
};

const shown = (row: Row): LogStream => ({
  kind: row.kind,
  address: row.origin,
  delivered: Number(row.sequence),
  deliveredAt: row.delivered_at?.toISOString() ?? null,
  failingSince: null,
  failure: null,
  nextAttemptAt: null,
  createdAt: row.created_at.toISOString(),
});

const wrong = (path: string, message: string): Refusal =>
  ValidationFailed({ summary: `${path}: ${message}` }, [{ path, message }]);

/** Node ignores certificates that it can't read: the receiver's would then never be trusted. */
function wrongAuthority(pem: string | undefined): Refusal | null {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    for (const block of blocks) new X509Certificate(block);
    return null;
  } catch {
    return wrong('certificateAuthority', 'One of the certificates can’t be read');
  }
}

/** An early check of the address. The guard checks again at each attempt. */
async function refusalOf(
  { address, token }: LogStreamInput,
  policy: OutboundPolicy,
): Promise<Refusal | null> {
  const url = new URL(address);
  const port = portOf(url);
  const isPlain = url.protocol === 'http:' && token !== undefined;
  try {
    const addresses = await guardedLookup(
      url.hostname,
      port,
      policy,
      AbortSignal.timeout(LOOKUP_MS_MAX),
    );
    const isAllowed = addresses.every(
      (one) =>
        isAllowedName(policy.allowedHosts, url.hostname, port) ||
        isAllowedAddress(policy.allowedHosts, one.address, port),
    );
    return isPlain && !isAllowed ? wrong('address', PLAIN_TOKEN) : null;
  } catch (error) {
    if (error instanceof OutboundRefused) return wrong('address', error.message);
    // A name that can't be resolved now may be resolved later.
    return isPlain ? wrong('address', PLAIN_TOKEN) : null;
  }
}

/** The receivers of audit logs: addresses and secrets in rows, their history in streams. */
export class LogStreams {
  readonly #kit: Pick<Kit, 'pool' | 'box'>;
  readonly #policy: OutboundPolicy;
  readonly #audits;

  constructor(kit: Pick<Kit, 'pool' | 'box' | 'streams'>, policy: OutboundPolicy) {
    this.#kit = kit;
    this.#policy = policy;
    this.#audits = kit.streams.of(auditStream);
  }

  /** The old receiver gets nothing more, and its secrets are gone. */
  async set(
    context: CommandContext,
    organizationId: string,
    input: LogStreamInput,
  ): Promise<NewLogStream | Refusal> {
    const { box } = this.#kit;
    const { kind, address, token, certificateAuthority, from } = input;
    const refused = wrongAuthority(certificateAuthority) ?? (await refusalOf(input, this.#policy));
    if (refused) return refused;
    const { protocol, host } = new URL(address);
    const origin = `${protocol}//${host}`;
    const id = idFor(context, 'log-stream');
    const secret = kind === 'webhook' ? newWebhookSecret() : null;
    const receiver: Receiver = {
      address,
      secret,
      token: token ?? null,
      certificateAuthority: certificateAuthority ?? null,
    };
    const sealed = box.seal(Buffer.from(JSON.stringify(receiver)), contextOf(id));
    return this.#inOrder(organizationId, async (client) => {
      // Before the event that records it, so that a new stream has that one too.
      const { rows: heads } = await client.query<{ sequence: string }>(
        'select sequence from read_model.audit_heads where organization_id = $1',
        [organizationId],
      );
      const head = Number(heads[0]?.sequence ?? 0);
      const data = { organizationId, kind, origin, from: from ?? null };
      const command = { type: 'SetLogStream', data } as const;
      const answer = await this.#audits.send(organizationId, command, context);
      if (isRefusal(answer)) return answer;
      const start = from === undefined ? null : Math.min(from - 1, head);
      const { rows } = await client.query<Row>(
        `insert into operational.log_streams as s (organization_id, stream_id, kind, origin,
           receiver, sequence, checkpoint, batch_max, created_at)
         values ($1, $2, $3, $4, $5, coalesce($6::bigint, $7::bigint),
           coalesce($6::bigint, $7::bigint), $8, $9)
         on conflict (organization_id) do update set stream_id = excluded.stream_id,
           kind = excluded.kind, origin = excluded.origin, receiver = excluded.receiver,
           sequence = coalesce($6::bigint, s.sequence),
           checkpoint = coalesce($6::bigint, s.checkpoint),
           batch_max = excluded.batch_max, is_troubled = false, delivered_at = null, failures = 0,
           failing_since = null, failure = null, next_at = now(), created_at = excluded.created_at
         returning kind, origin, sequence, delivered_at, created_at`,
        [organizationId, id, kind, origin, sealed, start, head, BATCH_MAX, context.now],
      );
      return { ...shown(rows[0] as Row), secret };
    });
  }

  async end(context: CommandContext, organizationId: string): Promise<Refusal | undefined> {
    return this.#inOrder(organizationId, async (client) => {
      const command = { type: 'EndLogStream', data: { organizationId } } as const;
      const answer = await this.#audits.send(organizationId, command, context);
      if (isRefusal(answer)) return answer;
      await client.query('delete from operational.log_streams where organization_id = $1', [
        organizationId,
      ]);
      return undefined;
    });
  }

  /** One call of an organization after the other: the newest event and the row agree. */
  #inOrder<T>(organizationId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    return inTenant(this.#kit.pool, organizationId, async (client) => {
      await client.query('select pg_advisory_xact_lock($1, hashtext($2))', [
        STREAMS_LOCK,
        organizationId,
      ]);
      return work(client);
    });
  }
}
