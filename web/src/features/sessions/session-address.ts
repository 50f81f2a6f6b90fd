import {
  type Session,
  SessionQuery,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { ADMINS, mayCall } from '@tallyhand/contracts/kernel/access';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { type AddressFilter, addressFilter } from '../../app/address-filter.ts';
import { type AddressFilterState, useAddress, useAddressFilter } from '../../app/use-address.ts';

const { status, agentId } = SessionQuery.shape;

const sessionFilter = addressFilter({ status, agentId });
type FilterName = (typeof sessionFilter.names)[number];

export type SessionFilter = AddressFilter<FilterName>;

/** It runs, or waits for a browser. */
export const isOpen = ({ status }: Pick<Session, 'status'>) =>
  status === 'queued' || status === 'running';

/** The member who started it may end it and steer its browser, and so may Admins. */
export const mayControl = (
  { requestedBy }: Pick<Session, 'requestedBy'>,
  { id, role }: { id: string; role: Role },
) => requestedBy.id === id || mayCall(role, ADMINS);

export const useSessionFilter = () => useAddressFilter(sessionFilter);

export type SessionFilterState = AddressFilterState<FilterName>;

const NAMES = ['session', 'view', 'replay', 'start'] as const;
type Name = (typeof NAMES)[number];

/** What is open beside the list; `start` holds the agent to start with, or `new`. */
export type Opened = Partial<Record<Name, string>>;

/** Opens exactly this; filters stay. `replace`: there is nothing to go back to. */
export type Open = (wanted: Opened, how?: { replace?: boolean }) => void;

const NONE = Object.fromEntries(NAMES.map((name) => [name, undefined]));

/** `?session=ID` chooses one, `&view=browser` shows its browser, `&replay=STEP` its film. */
export function useSessionAddress(): { opened: Opened; open: Open } {
  const { search, change } = useAddress();
  const given = NAMES.map((name) => [name, search.get(name)] as const);
  const opened: Opened = Object.fromEntries(given.filter(([, value]) => value !== null));
  const open: Open = (wanted, { replace = false } = {}) =>
    change({ ...NONE, ...wanted }, replace ? 'typed' : 'chosen');
  return { opened, open };
}
