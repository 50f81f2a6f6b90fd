import { AnswerError } from './errors.ts';

export type ServerEvent = {
  readonly event: string;
  readonly data: string;
  readonly id: string | undefined;
};

const EVENT_CHARACTERS_MAX = 16 * 1024 * 1024;

/** Reads server-sent events from text in pieces, as the HTML standard describes them. */
export class EventParser {
  #rest = '';
  #isFirst = true;
  #event = '';
  #data: string[] = [];
  #size = 0;
  #id: string | undefined;

  /** The events that are complete with this piece. */
  *push(piece: string): Generator<ServerEvent, void, undefined> {
    let text = this.#rest + piece;
    if (this.#isFirst && text !== '') {
      this.#isFirst = false;
      text = text.replace(/^\uFEFF/, '');
    }
    let start = 0;
    for (const match of text.matchAll(/\r\n|\n|\r(?!$)/g)) {
      const event = this.#line(text.slice(start, match.index));
      start = match.index + match[0].length;
      if (event) yield event;
    }
    this.#rest = text.slice(start);
    if (this.#rest.length + this.#size > EVENT_CHARACTERS_MAX) {
      throw new AnswerError(`An event is longer than ${EVENT_CHARACTERS_MAX} characters`);
    }
  }

  #line(line: string): ServerEvent | null {
    if (line === '') return this.#dispatch();
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.#event = value;
    if (field === 'data') {
      this.#data.push(value);
      this.#size += value.length;
    }
    if (field === 'id' && !value.includes('\0')) this.#id = value;
    return null;
  }

  #dispatch(): ServerEvent | null {
    const event = { event: this.#event || 'message', data: this.#data.join('\n'), id: this.#id };
    const isEmpty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    return isEmpty ? null : event;
  }
}
