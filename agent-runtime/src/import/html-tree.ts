import { createIncrementalHTMLParser } from '@mixmark-io/domino';
import { ImportRefused } from './import-refused.ts';

/** The used part of the DOM. `nodeName` of HTML elements is in upper case. */
export type HtmlNode = {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: HtmlElement | null;
  readonly firstChild: HtmlNode | null;
  readonly nextSibling: HtmlNode | null;
  readonly previousSibling: HtmlNode | null;
  textContent: string;
};
export type HtmlElement = HtmlNode & {
  readonly lastChild: HtmlNode | null;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  insertBefore(node: HtmlNode, before: HtmlNode | null): HtmlNode;
  removeChild(node: HtmlNode): HtmlNode;
};
export type HtmlDocument = {
  readonly documentElement: HtmlElement | null;
  readonly body: HtmlElement | null;
  createElement(name: string): HtmlElement;
  createTextNode(text: string): HtmlNode;
};

/** Far deeper than real pages, and safe for recursive walks. */
const depthMax = 300;
const tokensBetweenChecks = 2_000;

/**
 * The tree of a page. Throws ImportRefused, `bomb` when elements are nested too deeply: the
 * parser's time grows with the square of the depth, so it is checked while parsing.
 */
export function parseHtml(text: string): HtmlDocument {
  const parser = createIncrementalHTMLParser();
  parser.end(text);
  const document = () => parser.document() as HtmlDocument;
  let tokens = 0;
  const mayPause = () => {
    tokens += 1;
    return tokens % tokensBetweenChecks === 0;
  };
  while (parser.process(mayPause)) checkDepth(depthAtEnd(document().documentElement));
  const root = document().documentElement;
  if (root) for (const { depth } of walk(root)) checkDepth(depth);
  return document();
}

/**
 * All nodes below a root in document order. A visited node may be changed or emptied before the
 * next step. `depth` is 1 for children of the root.
 */
export function* walk(root: HtmlElement): Generator<{ node: HtmlNode; depth: number }> {
  let node: HtmlNode | null = root.firstChild;
  let depth = 1;
  while (node) {
    yield { node, depth };
    if (node.firstChild) {
      node = node.firstChild;
      depth += 1;
      continue;
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode;
      depth -= 1;
    }
    node = node === root ? null : (node?.nextSibling ?? null);
  }
}

export const isElement = (node: HtmlNode | null): node is HtmlElement => node?.nodeType === 1;
export const isText = (node: HtmlNode): boolean => node.nodeType === 3 || node.nodeType === 4;

export function elementsNamed(root: HtmlElement, ...names: string[]): HtmlElement[] {
  const found: HtmlElement[] = [];
  for (const { node } of walk(root)) {
    if (isElement(node) && names.includes(node.nodeName)) found.push(node);
  }
  return found;
}

/** Replaces an element by its children. */
export function unwrap(element: HtmlElement): void {
  while (element.firstChild) element.parentNode?.insertBefore(element.firstChild, element);
  element.parentNode?.removeChild(element);
}

function depthAtEnd(root: HtmlNode | null): number {
  let depth = 0;
  for (let node = root; isElement(node); node = node.lastChild) depth += 1;
  return depth;
}

function checkDepth(depth: number): void {
  if (depth <= depthMax) return;
  const sentence = `The page nests more than ${depthMax} elements in each other.`;
  throw new ImportRefused('bomb', sentence);
}
