/** The part of the HTML parser that is used; the package's own types are for another name. */
declare module '@mixmark-io/domino' {
  export function createIncrementalHTMLParser(): {
    /** Gives the last of the text. */
    end(text: string): void;
    /** Goes on until `mayPause` says true after a token; false when all is read. */
    process(mayPause: () => boolean): boolean;
    document(): unknown;
  };
}
