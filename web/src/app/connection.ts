let isLost = false;
const listeners = new Set<() => void>();

/** Whether what is shown still follows the server. */
export const connection = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isLost: () => isLost,
  /** From whoever holds the connection, in this tab or another. */
  tell(lost: boolean) {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of listeners) listener();
  },
};
