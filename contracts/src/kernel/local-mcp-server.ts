/** The address of an MCP server that the product starts, by the name that the operator gave it. */
const ADDRESS = /^stdio:([\w-]{1,64})$/;

export const LOCAL_SERVER_NAME = /^[\w-]{1,64}$/;

/** The server's name; null for any other address. */
export const localServerIn = (address: string): string | null => ADDRESS.exec(address)?.[1] ?? null;

export const localServerAddress = (name: string): string => `stdio:${name}`;
