import type { OpenedKit } from '@tallyhand/command-service/app/open-kit';
import { verifyLedger } from '@tallyhand/command-service/features/credits/verify-ledger';
import type { CommandContext } from '@tallyhand/command-service/kit/context';
import {
  PostAdjustment,
  RefundCharge,
} from '@tallyhand/contracts/features/credits/credits.commands';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { z } from 'zod';
import { OperatorError, type Outcome, parseCommand } from './command.ts';

export const LEDGER_USAGE = `Operator commands for ledgers, while the product runs:
  npm run ledger -- adjust --organization ID --credits N --reason TEXT --approver NAME
      corrects a balance by N credits, up or down (--id UUID makes a repeat harmless)
  npm run ledger -- refund --organization ID --task ID --reason TEXT --approver NAME
      refunds the charge of a task
  npm run ledger -- verify [--organization ID]
      verifies every link and the three balances, of one ledger or all`;

const options = {
  organization: { type: 'string' },
  credits: { type: 'string' },
  task: { type: 'string' },
  id: { type: 'string' },
  reason: { type: 'string' },
  approver: { type: 'string' },
} as const;
type Values = { readonly [K in keyof typeof options]?: string };

/** Names of the command's fields that are options under another name. */
const OPTION_OF: Readonly<Record<string, string>> = {
  organizationId: 'organization',
  amount: 'credits',
  adjustmentId: 'id',
  reservationId: 'task',
};

/** Runs an operator's command; returns the lines to print, and whether it succeeded. */
export async function runLedgerCommand(
  args: readonly string[],
  opened: OpenedKit,
): Promise<Outcome> {
  const { positionals, values } = parseCommand(args, options, LEDGER_USAGE);
  switch (positionals[0]) {
    case 'adjust':
      return { lines: [await adjust(values, opened)], isWell: true };
    case 'refund':
      return { lines: [await refund(values, opened)], isWell: true };
    case 'verify':
      return verify(values, opened);
    default:
      throw new OperatorError(LEDGER_USAGE);
  }
}

async function adjust({ id, credits, ...values }: Values, { features }: OpenedKit) {
  const data = checked(PostAdjustment.schema, {
    organizationId: values.organization,
    adjustmentId: id ?? newId(),
    amount: credits === undefined ? undefined : Number(credits),
    reason: values.reason,
    approver: values.approver,
  });
  return answer(features, data.organizationId, (context) => features.credits.adjust(context, data));
}

async function refund(values: Values, { features }: OpenedKit) {
  const data = checked(RefundCharge.schema, {
    organizationId: values.organization,
    reservationId: values.task,
    reason: values.reason,
    approver: values.approver,
  });
  return answer(features, data.organizationId, (context) =>
    features.credits.refundCharge(context, data),
  );
}

type Refused = { readonly detail: string } | null;

async function answer(
  { credits }: OpenedKit['features'],
  organizationId: string,
  work: (context: CommandContext) => Promise<Refused>,
): Promise<string> {
  const refused = await work({
    organizationId,
    actor: { kind: 'operator' },
    commandId: newId(),
    correlationId: newId(),
    causationId: null,
    now: new Date(),
  });
  if (refused) throw new OperatorError(refused.detail);
  return `Done. The balance is now ${await credits.available(organizationId)} credits.`;
}

/** Names each option that is missing or wrong. */
function checked<S extends z.ZodType>(schema: S, data: unknown): z.infer<S> {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => {
    const field = String(path[0]);
    return `--${OPTION_OF[field] ?? field}: ${message}`;
  });
  throw new OperatorError(`${[...new Set(faults)].join('\n')}\n\n${LEDGER_USAGE}`);
}

async function verify({ organization }: Values, { kit }: OpenedKit) {
  const { rows } = await kit.pool.query<{ id: string }>(
    `select distinct organization_id as id from operational.access
     where $1::text is null or organization_id::text = $1 order by 1`,
    [organization ?? null],
  );
  if (organization && rows.length === 0) throw new OperatorError('There is no such organization.');
  const lines: string[] = [];
  let isWell = true;
  for (const { id } of rows) {
    const { status, entries, brokenAt, available, debits, credits } = await verifyLedger(kit, id);
    isWell &&= status === 'passed';
    const { events, readModel, trialBalance } = available ?? {};
    const chain = brokenAt === null ? 'chain intact' : `chain broken at entry ${brokenAt}`;
    lines.push(
      `${id}: ${status}; ${entries} entries, ${chain}; available by events ${events}, ` +
        `read model ${readModel}, trial balance ${trialBalance}; debits ${debits}, credits ${credits}`,
    );
  }
  lines.push(`${rows.length} ${rows.length === 1 ? 'ledger' : 'ledgers'} verified.`);
  return { lines, isWell };
}
