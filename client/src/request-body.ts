/** A file to upload. A `File` of a form works as it is. */
export type FileInput =
  | File
  | {
      readonly name: string;
      readonly content: string | ArrayBuffer | Uint8Array | Blob;
      /** The media type. */
      readonly type?: string | undefined;
    };

export type RequestBody = { readonly body?: string | FormData; readonly contentType?: string };

/** JSON, or a form if the body has a file. */
export function requestBody(body: unknown): RequestBody {
  const { file } = body as { file?: FileInput };
  if (file === undefined) return { body: JSON.stringify(body), contentType: 'application/json' };
  const form = new FormData();
  // The boundary is in the content type, which `fetch` adds.
  if (file instanceof Blob) form.set('file', file);
  else
    form.set(
      'file',
      new Blob([file.content as Uint8Array<ArrayBuffer>], { type: file.type }),
      file.name,
    );
  return { body: form };
}
