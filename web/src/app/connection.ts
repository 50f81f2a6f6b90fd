let isLost = false;
const listeners = new Set<() => void>();

/** Whether what is shown still follows the server. */
export const connection = {
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isLost: () => isLost,
  /** From the tab that holds the connection. */
  tell(lost: boolean) {
    if (lost === isLost) return;
    isLost = lost;
    for (const listener of listeners) listener();
  },
};
