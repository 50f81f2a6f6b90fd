import { crc32 } from 'node:zlib';

export type ForgedFile = {
  readonly name: string;
  /** As stored; `plain` is what it expands to. */
  readonly data: Buffer;
  readonly plain?: Buffer;
  readonly method?: number;
  readonly localName?: string;
  readonly localCrc32?: number;
  readonly localExtra?: Buffer;
  readonly extra?: Buffer;
  readonly comment?: string;
  readonly crc32?: number;
  /** In front of its header. */
  readonly before?: Buffer;
  /** Left out of the directory. */
  readonly isHidden?: boolean;
  /** The directory says that it is there: bytes after the start of the archive. */
  readonly offset?: number;
};

export type Forged = {
  readonly files: readonly ForgedFile[];
  readonly beforeDirectory?: Buffer;
  readonly behindDirectory?: Buffer;
  readonly comment?: string;
  readonly behind?: Buffer;
};

/** An archive as an attacker would make it: other programs read the same files in it. */
export function forgedZip(forged: Forged): Buffer {
  const { files, beforeDirectory = NONE, behindDirectory = NONE, comment = '' } = forged;
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  const put = (bytes: Buffer) => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const file of files) {
    put(file.before ?? NONE);
    if (!file.isHidden) directory.push(entryOf(file, file.offset ?? at));
    put(headerOf(file));
    put(file.data);
  }
  put(beforeDirectory);
  const entries = Buffer.concat(directory);
  const end = record([
    [4, 0x0605_4b50],
    [4, 0],
    [2, directory.length],
    [2, directory.length],
    [4, entries.length],
    [4, at],
    [2, comment.length],
  ]);
  const { behind = NONE } = forged;
  return Buffer.concat([...parts, entries, behindDirectory, end, Buffer.from(comment), behind]);
}

export const extraField = (id: number, content: Buffer) =>
  Buffer.concat([
    record([
      [2, id],
      [2, content.length],
    ]),
    content,
  ]);

const NONE = Buffer.of();
const plainOf = ({ plain, data }: ForgedFile) => plain ?? data;
const sumOf = (file: ForgedFile) => file.crc32 ?? crc32(plainOf(file));

function headerOf(file: ForgedFile): Buffer {
  const { name, localName = name, localExtra = NONE, data, method = 0 } = file;
  const head = record([
    [4, 0x0403_4b50],
    [2, 20],
    [2, 0],
    [2, method],
    [4, 0x0021_0000],
    [4, file.localCrc32 ?? sumOf(file)],
    [4, data.length],
    [4, plainOf(file).length],
    [2, localName.length],
    [2, localExtra.length],
  ]);
  return Buffer.concat([head, Buffer.from(localName), localExtra]);
}

function entryOf(file: ForgedFile, offset: number): Buffer {
  const { name, extra = NONE, comment = '', data, method = 0 } = file;
  const head = record([
    [4, 0x0201_4b50],
    [4, 0x0014_0314],
    [2, 0],
    [2, method],
    [4, 0x0021_0000],
    [4, sumOf(file)],
    [4, data.length],
    [4, plainOf(file).length],
    [2, name.length],
    [2, extra.length],
    [2, comment.length],
    [4, 0],
    [4, 0],
    [4, offset],
  ]);
  return Buffer.concat([head, Buffer.from(name), extra, Buffer.from(comment)]);
}

function record(fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}
