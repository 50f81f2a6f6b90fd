import type { Approval } from '@tallyhand/contracts/features/tasks/approvals.fields';
import { person } from './charges.ts';

/** A call that a person was asked about; `decidedBy` is the member's id. */
export type ApprovalRow = Omit<Approval, 'decidedBy'> & { readonly decidedBy: string | null };

/** The approvals of a JSON column, in order, with the names of those who decided. */
export const approvalsOf = (column: string) => `(select coalesce(json_agg(
    p.one || jsonb_build_object('decidedBy', case when p.one->>'decidedBy' is null then null
      else ${person("(p.one->>'decidedBy')::uuid")} end) order by p.at), '[]')
  from jsonb_array_elements(${column}) with ordinality p (one, at))`;
