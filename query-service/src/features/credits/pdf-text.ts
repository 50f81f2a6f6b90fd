import PDFDocument from 'pdfkit';
import { runsOf } from './pdf-fonts.ts';

const INK = '#111827';
export const GREY = '#5b6472';
const LINE = '#d8dce3';
export const MARGIN = 56;
/** A4 in points. */
export const WIDTH = 595.28 - 2 * MARGIN;
export const PAGE_END = 841.89 - MARGIN;
const BODY = 10;

/** A document in English of pages in A4. The same texts at the same time give the same bytes. */
export function newDocument(title: string, at: string): PDFKit.PDFDocument {
  return new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: 'en',
    displayTitle: true,
    info: {
      Title: title,
      Author: 'Tallyhand',
      CreationDate: new Date(at),
      ModDate: new Date(at),
    },
  });
}

export function rule(doc: PDFKit.PDFDocument, y: number) {
  const right = MARGIN + WIDTH;
  doc.moveTo(MARGIN, y).lineTo(right, y).lineWidth(0.75).strokeColor(LINE).stroke();
}

type Style = {
  readonly y: number;
  readonly x?: number;
  readonly size?: number;
  readonly color?: string;
  /** The right edge of a text on one line, in place of `x`. */
  readonly right?: number;
};

/** Writes a text from `x`, wrapped, or up to `right`; returns its height. */
export async function write(
  doc: PDFKit.PDFDocument,
  text: string,
  { x = 0, y, size = BODY, color = INK, right }: Style,
): Promise<number> {
  const height = size * 1.8;
  const pieces = await piecesOf(doc, text, size);
  const width = pieces.reduce((sum, piece) => sum + piece.width, 0);
  let left = right === undefined ? x : right - width;
  let line = y;
  for (const { piece, font, isThin, width: own } of pieces) {
    if (left + own > WIDTH + 0.01 && left > x) {
      left = x;
      line += height;
    }
    doc
      .font(font)
      .fontSize(size)
      .fillColor(color)
      .strokeColor(color)
      .lineWidth(size / 45);
    doc.text(piece, MARGIN + left, line, { lineBreak: false, stroke: isThin, fill: true });
    left += own;
  }
  return line - y + height;
}

/**
 * The unbreakable pieces of a text: words with their space, or characters of scripts without
 * spaces.
 */
async function piecesOf(doc: PDFKit.PDFDocument, text: string, size: number) {
  const runs = await runsOf(text);
  return runs.flatMap(({ text: part, font, name, isThin }) => {
    doc.registerFont(name, font);
    const words = isThin ? [...part] : part.split(/(?<=[\s-])/);
    return words.map((piece) => {
      const width = doc.font(name).fontSize(size).widthOfString(piece);
      return { piece, font: name, isThin, width };
    });
  });
}
