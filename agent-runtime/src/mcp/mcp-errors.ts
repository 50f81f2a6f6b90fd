import {
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
} from '@modelcontextprotocol/client';
import { OutboundFailed, OutboundRefused } from '../guard/outbound-errors.ts';
import { McpFailed } from './mcp-failed.ts';

const MESSAGE_MAX = 500;

/** The HTTP status that an MCP server answered with, if that was the failure. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof SdkHttpError) return error.status;
  return error instanceof SseError ? error.code : undefined;
}

const LACKS_SCOPE =
  'The MCP server demands more rights than it was granted. Sign in again: open the tools page and choose Sign In.';

/** The failure of a call, in words. Errors of the guard have theirs. */
export function mcpFailure(error: unknown, mask: (text: string) => string): Error {
  if (error instanceof OutboundRefused || error instanceof OutboundFailed) return error;
  if (error instanceof McpFailed) return error;
  if (error instanceof InsufficientScopeError) return new McpFailed(LACKS_SCOPE);
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return new McpFailed(`The MCP server refused the credentials (status ${status}).`);
  }
  if (status !== undefined) return new McpFailed(`The MCP server answered with status ${status}.`);
  if (error instanceof ProtocolError) {
    return new McpFailed(`The MCP server refused: ${mask(error.message).slice(0, MESSAGE_MAX)}`);
  }
  const code = error instanceof SdkError ? error.code : undefined;
  if (code === SdkErrorCode.RequestTimeout) {
    return new McpFailed('The MCP server did not answer in time.');
  }
  if (code === SdkErrorCode.ConnectionClosed) {
    return new McpFailed('The MCP server closed the connection.');
  }
  if (isNotStarted(error)) return new McpFailed("The MCP server couldn't be started.");
  return new McpFailed("The MCP server's answer can't be read.");
}

const NOT_STARTED = ['ENOENT', 'EACCES', 'ENOTDIR'];

/** Of a program. */
const isNotStarted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NOT_STARTED.includes(String(error.code));
