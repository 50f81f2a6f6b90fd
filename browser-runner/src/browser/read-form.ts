/** A field as a page has it. `isShown` is false for hidden fields. */
export type FormField = {
  readonly name: string;
  readonly value: string;
  readonly isSecret: boolean;
  readonly isShown: boolean;
};

/** A form that an action would send, as its page has it. */
export type PageForm = {
  readonly page: string;
  readonly address: string;
  readonly method: string;
  readonly button: string;
  readonly fields: readonly FormField[];
};

// The parts of a page's objects that are used here: no DOM types are part of this project.
type Node = {
  readonly localName: string;
  readonly id: string;
  readonly textContent: string | null;
};
type Point = { elementFromPoint(x: number, y: number): Shown | null };
type Shown = Node & { readonly shadowRoot: Point | null; readonly src?: string };
type Box = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};
type Control = Node & {
  readonly type: string;
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly disabled: boolean;
  readonly placeholder: string;
  readonly form: Node | null;
  readonly files: Iterable<{ readonly name: string }> | null;
  readonly labels: Iterable<Node> | null;
  readonly selectedOptions: Iterable<Node>;
};
declare const Element: {
  readonly prototype: {
    getAttribute(this: Node, name: string): string | null;
    closest(this: Node, selector: string): Node | null;
    getClientRects(this: Node): Iterable<Box>;
  };
};
declare const HTMLFormElement: { readonly prototype: object };
declare const document: Point & { readonly baseURI: string };
declare const location: { readonly href: string };

/**
 * The form that a click in the middle of the element would send, or Enter after `typed` was put into
 * it. Null if it sends none, or one that only reads: GET with an address of its own. A click on a
 * frame counts as a form, because what is inside it is not seen. Runs inside the page, and takes
 * nothing from the form's own properties, which its fields may replace.
 */
export function readForm(target: unknown, typed: string | null): PageForm | null {
  const DEPTH_MAX = 10;
  const attribute = (node: Node, name: string) =>
    Element.prototype.getAttribute.call(node, name)?.trim() ?? '';
  const isSubmit = ({ localName, type }: Control) =>
    (localName === 'button' && type === 'submit') ||
    (localName === 'input' && (type === 'submit' || type === 'image'));
  const textOf = (nodes: Iterable<Node> | null | undefined) =>
    Array.from(nodes ?? [], ({ textContent }) => (textContent ?? '').trim()).join(', ');

  const controlOf = (node: Node, selector: string): Control | null => {
    const label = Element.prototype.closest.call(node, 'label');
    const ofLabel = label as (Node & { readonly control: Control | null }) | null;
    return (
      (Element.prototype.closest.call(node, selector) as Control | null) ?? ofLabel?.control ?? null
    );
  };
  const element = target as Node;
  const [box] = Array.from(Element.prototype.getClientRects.call(element));
  const hitIn = (root: Point, { x, y, width, height }: Box) =>
    root.elementFromPoint(x + width / 2, y + height / 2);
  let hit = box ? hitIn(document, box) : null;
  for (let depth = 0; box && hit?.shadowRoot && depth < DEPTH_MAX; depth += 1) {
    hit = hitIn(hit.shadowRoot, box) ?? hit;
  }
  const clicked = hit && hit !== element ? [element, hit] : [element];
  const frame = clicked.find(({ localName }) => /^(iframe|frame|object|embed)$/.test(localName));
  if (typed === null && frame) {
    const address = (frame as Shown).src || location.href;
    return { page: location.href, address, method: 'unknown', button: '', fields: [] };
  }
  const control =
    typed === null
      ? clicked.map((one) => controlOf(one, 'button, input')).find((one) => one && isSubmit(one))
      : controlOf(element, 'input, textarea, select');
  const form = control?.form;
  if (!control || !form || (typed !== null && control.localName !== 'input')) return null;

  const own = Object.getOwnPropertyDescriptor(HTMLFormElement.prototype, 'elements');
  const controls: Control[] = Array.from(own?.get?.call(form) ?? []);
  const submitter = typed === null ? control : controls.find(isSubmit);
  const given = (name: string) =>
    (submitter && attribute(submitter, `form${name}`)) || attribute(form, name);
  const action = given('action');
  const method = given('method').toLowerCase();
  const isPost = method === 'post' || method === 'dialog';
  // Without an address of its own, a script may do anything with the form.
  const hasAddress = action !== '' && !/^(#|javascript:)/i.test(action);
  if (!isPost && hasAddress) return null;

  const fields = controls.flatMap((one): FormField[] => {
    const isButton = one.localName === 'button' || /^(submit|image|reset|button)$/.test(one.type);
    const isChoice = one.type === 'checkbox' || one.type === 'radio';
    const isField = /^(input|select|textarea)$/.test(one.localName);
    if (!isField || isButton || one.disabled || (isChoice && !one.checked)) return [];
    const autocomplete = attribute(one, 'autocomplete').toLowerCase();
    const name =
      one.name || attribute(one, 'aria-label') || textOf(one.labels) || one.placeholder || one.id;
    const ownValue = () => {
      if (one.localName === 'select') return textOf(one.selectedOptions);
      return one.files ? Array.from(one.files, (file) => file.name).join(', ') : one.value;
    };
    return [
      {
        name: name || one.localName,
        value: typed !== null && one === control ? typed : ownValue(),
        isSecret: one.type === 'password' || /password|one-time-code|\bcc-/.test(autocomplete),
        isShown: one.type !== 'hidden',
      },
    ];
  });
  return {
    page: location.href,
    address: new URL(hasAddress ? action : location.href, document.baseURI).href,
    method: isPost ? method.toUpperCase() : 'GET',
    button: (submitter && (textOf([submitter]) || submitter.value)) || '',
    fields,
  };
}
