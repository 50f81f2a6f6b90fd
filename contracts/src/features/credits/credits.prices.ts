/** Credits that a new organization receives. */
export const SIGN_UP_CREDITS = 100;
/** Credits for one task. */
export const TASK_PRICE = 1;
/** Below these the balance is shown as low: everywhere, and on the agents page. */
export const LOW_CREDITS = 100;
export const LOW_CREDITS_AGENTS = 10;
