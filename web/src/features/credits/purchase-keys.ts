/**
 * The idempotency keys of purchases. A click has its own key, so that each click can buy; but where
 * the answer to the last one is unknown, the next click on the same package repeats it.
 */
export function purchaseKeys(newKey: () => string) {
  let open: { purchase: string; key: string } | undefined;
  return {
    /** `purchase` names what is bought, with all that the server is told. */
    keyOf(purchase: string): string {
      if (open?.purchase !== purchase) open = { purchase, key: newKey() };
      return open.key;
    },
    /** The server has answered: the next click is a purchase of its own. */
    answered() {
      open = undefined;
    },
  };
}

const KEY_BYTES = 16;

/** Random text. Plain http beyond localhost has no `crypto.randomUUID`. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(KEY_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
