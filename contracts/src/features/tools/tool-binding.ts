import { originOfHost } from './allowed-hosts.ts';
import { type ApiKeyPlace, apiKeyPlaceIn, DEFAULT_KEY_PLACE } from './key-place.ts';
import type { ToolConfig, ToolInput } from './tools.fields.ts';

/** Everything that determines where and how credentials are sent. */
export const BOUND_PARTS = [
  'type',
  'authType',
  'origin',
  'path',
  'keyPlace',
  'script',
  'allowedHosts',
] as const;
export type BoundPart = (typeof BOUND_PARTS)[number];

/** The values that make up the binding of a tool. */
export type ToolBinding = { readonly [part in BoundPart]?: unknown };

export type BoundTool = { readonly type: ToolInput['type']; readonly config: ToolConfig };

/**
 * The binding of a tool's credentials. They may be used only while it equals the binding at the
 * time they were entered.
 */
export function bindingOf({ type, config }: BoundTool): ToolBinding {
  const { authType, baseUrl, openapi, extras, allowedHosts = [] } = config;
  switch (type) {
    case 'api': {
      const keyPlace = authType === 'apikey' ? { keyPlace: keyPlaceOf(openapi) } : {};
      return { type, authType, ...placeOf(baseUrl), ...keyPlace };
    }
    case 'custom': {
      const origins = new Set(allowedHosts.map((host) => originOfHost(host) ?? ''));
      return { type, authType, script: extras.script ?? '', allowedHosts: [...origins].sort() };
    }
    case 'mcp':
      return { type, authType, ...placeOf(baseUrl) };
    case 'browser':
      return { type, authType };
  }
}

/** A host may serve one customer per path, or per query value of the base URL. */
function placeOf(baseUrl: string): Pick<ToolBinding, 'origin' | 'path'> {
  const url = URL.parse(baseUrl);
  if (!url) return { origin: '', path: '' };
  return { origin: url.origin, path: url.pathname.replace(/\/+$/, '') + url.search };
}

/** The parts in which two bindings differ; empty if credentials of one serve the other. */
export function differingParts(one: ToolBinding, other: ToolBinding): BoundPart[] {
  return BOUND_PARTS.filter((part) => JSON.stringify(one[part]) !== JSON.stringify(other[part]));
}

/** Whether a tool that had credentials cannot work without them. */
export function needsCredentials({ type, config }: BoundTool): boolean {
  switch (type) {
    case 'api':
    case 'mcp':
      return config.authType !== 'none';
    case 'custom':
      return true;
    case 'browser':
      return false;
  }
}

/** Unreadable text is a unique place: it equals no other. */
function keyPlaceOf(openapi = ''): ApiKeyPlace | { readonly unread: string } {
  if (openapi.trim() === '') return DEFAULT_KEY_PLACE;
  try {
    const place = apiKeyPlaceIn(JSON.parse(openapi.replace(/^\ufeff/, ''))) ?? DEFAULT_KEY_PLACE;
    return { in: place.in, name: place.in === 'header' ? place.name.toLowerCase() : place.name };
  } catch {
    return { unread: openapi };
  }
}
