import type { ImportReason } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';

export type ImportKind = 'markdown' | 'text' | 'html' | 'pdf' | 'docx';

export type Imported = {
  /** The first heading, else the document's own title, else the file's name; 1 to 200 characters. */
  title: string;
  markdown: string;
  kind: ImportKind;
  /** What was left out or guessed. */
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
  /** What reading one file may hold at once. */
  memoryMbMax: number;
};

export const importLimits: ImportLimits = {
  bytesMax: 10_000_000,
  charactersMax: 400_000,
  pagesMax: 500,
  timeoutMsMax: 30_000,
  memoryMbMax: 384,
};

/** A file with all that is known of it outside of its bytes. */
export type ImportSource = {
  bytes: Uint8Array;
  /** With its ending; empty when the name says nothing about the kind. */
  name: string;
  /** The media type, without parameters; empty when unknown. */
  type: string;
  /** From the header of a page. */
  charset: string;
  /** Where relative links start; empty for a file, whose relative links lead nowhere. */
  address: string;
  /** For a document without heading and title. */
  titleOtherwise: string;
};

/** What a reader of one kind finds in a file. */
export type ReadDocument = { title: string; markdown: string; warnings: Sentence[] };

export const counted = (count: number, one: string, more: string) =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : more}`;

/** What an import thread is started with, and the one message that it answers. */
export type ToImportThread = { source: ImportSource; limits: ImportLimits };
export type FromImportThread =
  | { kind: 'imported'; imported: Imported }
  | { kind: 'refused'; code: ImportReason; sentence: string };
