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
import { z } from 'zod';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { newWebhookSecret } from '../../kit/webhook-signature.ts';
import { auditStream } from './audit.decider.ts';

const LOOKUP_MS_MAX = 3_000;
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

/** An early check of the address. The guard checks again at each attempt. */
async function refusalOf(address: string, policy: OutboundPolicy): Promise<Refusal | null> {
  const url = new URL(address);
  try {
    await guardedLookup(url.hostname, portOf(url), policy, AbortSignal.timeout(LOOKUP_MS_MAX));
    return null;
  } catch (error) {
    // A name that can't be resolved now may be resolved later.
    if (!(error instanceof OutboundRefused)) return null;
    const { message } = error;
    return ValidationFailed({ summary: `address: ${message}` }, [{ path: 'address', message }]);
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
    { kind, address, token, certificateAuthority, from }: LogStreamInput,
  ): Promise<NewLogStream | Refusal> {
    const { pool, box } = this.#kit;
    const refused = await refusalOf(address, this.#policy);
    if (refused) return refused;
    const { protocol, host } = new URL(address);
    const origin = `${protocol}//${host}`;
    const data = { organizationId, kind, origin, from: from ?? null };
    const answer = await this.#audits.send(organizationId, { type: 'SetLogStream', data }, context);
    if (isRefusal(answer)) return answer;
    const id = idFor(context, 'log-stream');
    const secret = kind === 'webhook' ? newWebhookSecret() : null;
    const receiver: Receiver = {
      address,
      secret,
      token: token ?? null,
      certificateAuthority: certificateAuthority ?? null,
    };
    const sealed = box.seal(Buffer.from(JSON.stringify(receiver)), contextOf(id));
    // A new stream begins with the event that records it, or a little earlier.
    const { rows } = await inTenant(pool, organizationId, (client) =>
      client.query<Row>(
        `insert into operational.log_streams as s
         (organization_id, stream_id, kind, origin, receiver, sequence, checkpoint, created_at)
       select $1, $2, $3, $4, $5, b.sequence, b.sequence, $7
       from (select least($6::bigint - 1, coalesce((select h.sequence from read_model.audit_heads h
         where h.organization_id = $1), 0)) as sequence) b
       on conflict (organization_id) do update set stream_id = excluded.stream_id,
         kind = excluded.kind, origin = excluded.origin, receiver = excluded.receiver,
         sequence = case when $6 is null then s.sequence else excluded.sequence end,
         checkpoint = case when $6 is null then s.checkpoint else excluded.checkpoint end,
         failures = 0, failing_since = null, failure = null, next_at = now()
       returning kind, origin, sequence, delivered_at, created_at`,
        [organizationId, id, kind, origin, sealed, from ?? null, context.now],
      ),
    );
    return { ...shown(rows[0] as Row), secret };
  }

  async end(context: CommandContext, organizationId: string): Promise<Refusal | undefined> {
    const command = { type: 'EndLogStream', data: { organizationId } } as const;
    const answer = await this.#audits.send(organizationId, command, context);
    if (isRefusal(answer)) return answer;
    await this.#kit.pool.query('delete from operational.log_streams where organization_id = $1', [
      organizationId,
    ]);
    return undefined;
  }
}
