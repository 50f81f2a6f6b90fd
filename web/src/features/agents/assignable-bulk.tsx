import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import type { ResourceKind } from '@tallyhand/contracts/features/agents/agents.fields';
import { type Access, mayCall } from '@tallyhand/contracts/kernel/access';
import { Bot } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { BulkBar, type BulkState } from '../../app/bulk-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { BulkExport } from '../audit/bulk-export.tsx';
import { useBulkDelete } from '../audit/bulk-versioned.ts';
import { useCurrentUser } from '../identity/identity.api.ts';
import { AssignManyDialog } from './assign-many-dialog.tsx';

const KINDS = { knowledge: 'articles', playbooks: 'playbooks', tools: 'tools' } as const;
KINDS satisfies Record<string, ResourceKind>;

type AssignableBulkBarProps<Item> = BulkState<Item> & {
  kind: keyof typeof KINDS;
  /** The call that creates one; who may make it may delete them. */
  create: Pick<Access, 'roles'>;
  nameOf: (item: Item) => string;
};

/** What can be done with several articles, playbooks or tools. */
export function AssignableBulkBar<Item extends { id: string }>({
  kind,
  create,
  ...state
}: AssignableBulkBarProps<Item>) {
  const { t } = useTranslation('bulk');
  const { role } = useCurrentUser();
  const remove = useBulkDelete(kind);
  const [assigning, setAssigning] = useState<readonly Item[]>();
  const mayAssign = mayCall(role, assignResources);
  return (
    <>
      <BulkBar {...state} actions={mayCall(role, create) ? [remove] : []}>
        {(selected, report) => (
          <>
            <BulkExport kind={kind} selected={selected} report={report} />
            {mayAssign && (
              <Button size="sm" icon={Bot} onClick={() => setAssigning(selected)}>
                {t('assign.action')}
              </Button>
            )}
          </>
        )}
      </BulkBar>
      {assigning && (
        <AssignManyDialog
          kind={KINDS[kind]}
          ids={assigning.map(({ id }) => id)}
          onDone={state.selection.clear}
          close={() => setAssigning(undefined)}
        />
      )}
    </>
  );
}
