import type { ImportReason } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

export type ImportKind = 'markdown' | 'text' | 'html' | 'pdf' | 'docx';

export type Imported = {
  /** The first heading, else the document's own title, else the file's name; 1 to 200 characters. */
  title: string;
  markdown: string;
  kind: ImportKind;
  /** Omitted or guessed parts. */
  warnings: Sentence[];
};

export type ImportLimits = {
  /** Of the file. */
  bytesMax: number;
  /** Of the resulting Markdown. */
  charactersMax: number;
  /** Of a PDF. */
  pagesMax: number;
  /** From the start of the reading; waiting for a free thread does not count. */
  timeoutMsMax: number;
  /** The memory for reading one file. */
  memoryMbMax: number;
};

export const importLimits: ImportLimits = {
  bytesMax: 10_000_000,
  charactersMax: 400_000,
  pagesMax: 500,
  timeoutMsMax: 30_000,
  memoryMbMax: 384,
};

/** A file and what is known about it. */
export type ImportSource = {
  bytes: Uint8Array;
  /** With its extension; empty when the name does not show the kind. */
  name: string;
  /** The media type, without parameters; empty when unknown. */
  type: string;
  /** From the header of a page. */
  charset: string;
  /** The base of relative links; empty for a file, whose relative links lead nowhere. */
  address: string;
  /** For a document without heading and title. */
  titleOtherwise: string;
};

/** The result of a reader of one kind of file. */
export type ReadDocument = { title: string; markdown: string; warnings: Sentence[] };

export const counted = (count: number, one: string, more: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

/** The data and the one answer of an import thread. */
export type ToImportThread = { source: ImportSource; limits: ImportLimits };
export type FromImportThread =
  | { kind: 'imported'; imported: Imported }
  | { kind: 'refused'; code: ImportReason; sentence: string };
