import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { ReactNode } from 'react';
import { linesOf } from './history-rows.ts';
import { useAuditWords } from './use-audit-words.ts';

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[8rem_minmax(0,1fr)] gap-x-3">
      <dt className="text-muted">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </div>
  );
}

/** The values of what was said once, and is not changed. */
export function EntryValues({ changes }: Pick<AuditEntry, 'changes'>) {
  const words = useAuditWords();
  return (
    <dl className="flex flex-col gap-2">
      {changes.map(({ field, after }) => (
        <Fact key={field} name={words.field(field)}>
          <span className="whitespace-pre-wrap">{linesOf(after).join('\n')}</span>
        </Fact>
      ))}
    </dl>
  );
}
