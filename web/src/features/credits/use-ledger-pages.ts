import type { Order } from '@tallyhand/contracts/kernel/lists';
import { useState } from 'react';
import type { OpenRow } from '../../app/use-open-row.ts';
import { useListLedgerInfiniteQuery } from './credits.api.ts';
import { groupWith } from './ledger-groups.ts';

const SEQUENCE = /^[1-9]\d{0,14}$/;

/**
 * The groups of the ledger, page by page. If the first page does not have the open entry, the list
 * starts with the group of that entry, which is then `start`.
 */
export function useLedgerPages(order: Order, opened: OpenRow) {
  const [wanted, setWanted] = useState<string>();
  // Until the address no longer has it, the entry that the user left must not be looked for again.
  const [left, setLeft] = useState<string>();
  const whole = useListLedgerInfiniteQuery({ order });
  const query = { order, ...(wanted && { entry: wanted }) };
  const part = useListLedgerInfiniteQuery(query, { skip: !wanted });
  const isPart = wanted !== undefined && part.currentData?.pages[0]?.entries.length !== 0;
  const pages = isPart ? part : whole;
  const all = whole.data?.pages.flatMap(({ entries }) => entries);
  const groups = isPart ? part.currentData?.pages.flatMap(({ entries }) => entries) : all;
  const { key } = opened;
  const isElsewhere = key && SEQUENCE.test(key) && groups && !groupWith(groups, key);
  if (!key && left !== undefined) setLeft(undefined);
  if (isElsewhere && key !== left && wanted !== key)
    setWanted(all && groupWith(all, key) ? undefined : key);
  return {
    pages,
    groups,
    start: isPart ? wanted : undefined,
    showAll: () => {
      setWanted(undefined);
      setLeft(key);
      opened.close();
    },
  };
}
