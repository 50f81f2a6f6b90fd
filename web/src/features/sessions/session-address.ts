import {
  type Session,
  SessionQuery,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { useSearchParams } from 'react-router-dom';
import { type AddressFilter, filterIn } from '../../app/address-filter.ts';
import { useAddressFilter } from '../../app/use-address.ts';

export const FILTER_NAMES = ['status', 'agentId'] as const;
type FilterName = (typeof FILTER_NAMES)[number];

export type SessionFilter = AddressFilter<FilterName>;

const { status, agentId } = SessionQuery.shape;

const filterOf = (search: URLSearchParams): SessionFilter => filterIn({ status, agentId }, search);

/** It has not come to its end: it is under way, or waits for a browser. */
export const isOpen = ({ status }: Pick<Session, 'status'>) =>
  status === 'queued' || status === 'running';

/** Who started it may end it and steer its browser, and so may Admins. */
export const isKeptBy = (
  { requestedBy }: Pick<Session, 'requestedBy'>,
  { id, role }: { id: string; role: string },
) => requestedBy.id === id || role === 'Admin';

export const useSessionFilter = () => useAddressFilter(FILTER_NAMES, filterOf);

export type SessionFilterState = ReturnType<typeof useSessionFilter>;

const NAMES = ['session', 'view', 'replay', 'start'] as const;
type Name = (typeof NAMES)[number];

/** What is open beside the list; `start` holds the agent to start with, or `new`. */
export type Opened = Partial<Record<Name, string>>;

/** `?session=ID` chooses one, `&view=browser` shows its browser, `&replay=STEP` its film. */
export function useSessionAddress() {
  const [search, setSearch] = useSearchParams();
  const opened: Opened = {};
  for (const name of NAMES) {
    const value = search.get(name);
    if (value !== null) opened[name] = value;
  }
  /** Opens exactly this; filters stay. `replace`: there is nothing to go back to. */
  const open = (wanted: Opened, { replace = false } = {}) =>
    setSearch(
      (now) => {
        const params = new URLSearchParams(now);
        for (const name of NAMES) params.delete(name);
        for (const [name, value] of Object.entries(wanted)) params.set(name, value);
        return params;
      },
      { replace },
    );
  return { opened, open };
}

export type Open = ReturnType<typeof useSessionAddress>['open'];
