/** A file that is read in any order. */
export type ByteSource = {
  readonly bytes: number;
  /** The bytes from `from` up to but without `to`; fewer where the file ends before. */
  read(from: number, to: number): Promise<Buffer>;
  [Symbol.dispose](): void;
};

/** A path where there are paths, otherwise what the user chose in a page. */
export type SourceFile = string | Blob;

/** What AES-256-GCM encrypted, with a tag of 16 bytes that covers `also`, too. */
export type Sealed = {
  readonly key: Buffer;
  readonly iv: Buffer;
  readonly content: Buffer;
  readonly tag: Buffer;
  readonly also: Buffer;
};

/** Of AES-256-GCM, in bytes. */
export const SEALED_LENGTHS = { key: 32, iv: 12, tag: 16 } as const;

/** Said alike wherever the verifier runs. */
export const BAD_COMPRESSION = 'its compressed data is damaged, or other bytes follow it';

/** What the verifier of audit exports needs from what it runs on: Node, or the page of a browser. */
export type Platform = {
  readonly sha256: (data: string | Uint8Array) => Buffer;
  readonly sha256Hex: (data: string | Uint8Array) => string;
  /** Of pieces; the digest is hex. */
  readonly sha256Pieces: () => { update(piece: Uint8Array): void; digest(): string };
  readonly crc32: (data: Uint8Array, before: number) => number;
  readonly isUtf8: (data: Uint8Array) => boolean;
  /** `key` is the 32 bytes of an Ed25519 key as base64. */
  readonly isSignature: (signature: Buffer, text: string, key: string) => boolean;
  /** Opens AES-256-GCM; null if the key, the tag or what it covers is another. */
  readonly opened: (sealed: Sealed) => Buffer | null;
  /** Throws errors with a `code`, as Node does. */
  readonly openSource: (file: SourceFile) => Promise<ByteSource>;
  /** Expands a raw deflate stream (RFC 1951), which has to end where its pieces end. */
  readonly inflated: (pieces: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
};
