import { listLedgerGroups } from '@tallyhand/contracts/features/credits/credits.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import { Link } from '../../ui/link.tsx';
import { useCurrentUser } from '../identity/identity.api.ts';

type LedgerEntryLinkProps = {
  sequence: number;
  /** The entry, as the page calls it. */
  label: string;
};

/** Leads to an entry of the ledger, for those who may see the ledger. */
export function LedgerEntryLink({ sequence, label }: LedgerEntryLinkProps) {
  const { role } = useCurrentUser();
  if (!mayCall(role, listLedgerGroups)) return <span className="tabular">{label}</span>;
  return (
    <Link
      to={`/billing?tab=ledger&entry=${sequence}`}
      className="tabular rounded-sm text-accent underline underline-offset-4"
    >
      {label}
    </Link>
  );
}
