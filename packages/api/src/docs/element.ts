/**
 * An element of a page as data: a server writes it as HTML, and a browser, which may be forbidden
 * to parse HTML, makes nodes of it.
 */
export interface PageElement {
  readonly tag: string;
  /** `true` has no value, and `false` is absent. */
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

/** Writes an element as HTML; all of its text and attributes are escaped. */
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
