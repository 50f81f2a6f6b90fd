/** The endpoint of the Model Context Protocol (Streamable HTTP). */
export const MCP_PATH = '/mcp';
/** RFC 9728; the second one is where its section 3.1 puts it for a resource with a path. */
export const PROTECTED_RESOURCE_PATHS = [
  '/.well-known/oauth-protected-resource',
  `/.well-known/oauth-protected-resource${MCP_PATH}`,
] as const;

/** Whether command-service answers the path, whatever the method. */
export const isMcpPath = (path: string): boolean =>
  path === MCP_PATH || PROTECTED_RESOURCE_PATHS.some((each) => each === path);
