import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';

const NAME_MAX = 200;

/** A picture in a result: its media type, and its bytes in base64. */
export type McpPicture = { readonly mimeType: string; readonly data: string };

/** Stores a picture and returns its address; null for one that it can't store. */
export type KeepPicture = (picture: McpPicture) => Promise<string | null>;

/** A result as text. Structured content counts where the server gives no text of it. */
export async function textOfResult(
  { content, structuredContent }: Pick<CallToolResult, 'content' | 'structuredContent'>,
  keep: KeepPicture,
): Promise<string> {
  const parts: string[] = [];
  for (const block of content) parts.push(await textOfBlock(block, keep));
  const hasText = content.some(({ type }) => type === 'text');
  if (structuredContent && !hasText) parts.unshift(JSON.stringify(structuredContent));
  return parts.filter((part) => part !== '').join('\n\n');
}

async function textOfBlock(block: ContentBlock, keep: KeepPicture): Promise<string> {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image': {
      const address = await keep(block);
      return address ? `Image: ${address}` : withoutBytes('Image', block);
    }
    case 'audio':
      return withoutBytes('Audio', block);
    case 'resource_link':
      return `${(block.title ?? block.name).slice(0, NAME_MAX)}: ${block.uri}`;
    case 'resource': {
      const { uri } = block.resource;
      if ('text' in block.resource) return `${uri}\n${block.resource.text}`;
      return withoutBytes(uri, { ...block.resource, data: block.resource.blob });
    }
    default:
      return '';
  }
}

const withoutBytes = (what: string, { mimeType, data }: { mimeType?: string; data: string }) =>
  `${what} (${mimeType ?? 'unknown type'}, ${Math.ceil((data.length * 3) / 4)} bytes), not shown.`;
