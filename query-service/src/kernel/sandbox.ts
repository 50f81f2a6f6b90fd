/** The policy of stored files: a browser that opens one runs nothing of it. */
export const SANDBOX = "default-src 'none';frame-ancestors 'none';sandbox";
