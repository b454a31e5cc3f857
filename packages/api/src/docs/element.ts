/**
 * An element of a page as data. A server writes it as HTML; a browser, which may be forbidden to
 * parse HTML, creates nodes.
 */
export interface PageElement {
  readonly tag: string;
  /** `true` is an attribute without a value, and `false` an absent one. */
  readonly attributes: Readonly<Record<string, string | boolean>>;
  readonly children: readonly PageNode[];
}

/** An element, or text. */
export type PageNode = PageElement | string;

/** Creates an element. */
export function element(
  tag: string,
  attributes: PageElement['attributes'] = {},
  ...children: readonly (PageNode | readonly PageNode[])[]
): PageElement {
  return { tag, attributes, children: children.flat() };
}

/** Writes an element as HTML, with its text and attributes escaped. */
export function toHtml(node: PageNode): string {
  if (typeof node === 'string') return escape(node);
  const { tag, attributes, children } = node;
  const given = Object.entries(attributes).map(([name, value]) =>
    value === false ? '' : value === true ? ` ${name}` : ` ${name}="${escape(value)}"`,
  );
  const start = `<${tag}${given.join('')}>`;
  return tag === 'input' || tag === 'br'
    ? start
    : `${start}${children.map(toHtml).join('')}</${tag}>`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
