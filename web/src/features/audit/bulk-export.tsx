import { Download } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type BulkResult, runBulk } from '../../app/bulk.ts';
import { Button } from '../../ui/button.tsx';
import { useLazyGetPresentQuery, type VersionedObject } from './audit.api.ts';
import type { BulkKind } from './bulk-versioned.ts';

type Props<Item> = {
  kind: BulkKind;
  selected: readonly Item[];
  report: (result: BulkResult<Item>) => void;
};

/** Saves the selected objects, whole and as the API returns them, as one JSON file. */
export function BulkExport<Item extends { id: string }>({ kind, selected, report }: Props<Item>) {
  const { t } = useTranslation('bulk');
  const [load] = useLazyGetPresentQuery();
  const [pending, setPending] = useState(false);
  const save = async () => {
    setPending(true);
    const loaded = new Map<Item, VersionedObject | undefined>();
    const result = await runBulk(selected, async (item) => {
      const answer = await load({ kind, id: item.id });
      loaded.set(item, answer.data);
      return answer;
    });
    setPending(false);
    report(result);
    if (result.done.length === 0) return;
    const objects = result.done.map((item) => loaded.get(item));
    saveFile(`${kind}.json`, 'application/json', `${JSON.stringify(objects, null, 2)}\n`);
  };
  return (
    <Button size="sm" icon={Download} pending={pending} onClick={() => void save()}>
      {t('export.action')}
    </Button>
  );
}

/** Lets the browser save a text as a file. */
function saveFile(name: string, type: string, text: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href));
}
