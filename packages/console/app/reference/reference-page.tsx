import {
  type ApiDocument,
  apiReference,
  type PageNode,
  referenceStyle,
  runReference,
} from '@quire/api/docs';
import { systemClock } from '@quire/core/portable';
import { type ReactNode, useEffect, useRef } from 'react';
import { useSession } from '../session.ts';
import { useResource } from '../use-resource.ts';
import { Page } from '../widgets/page.tsx';
import { Resolved } from '../widgets/states.tsx';

/** All calls of the server, each with a form to try it. */
export function ReferencePage({ chosen }: { readonly chosen: string | undefined }): ReactNode {
  const { call } = useSession();
  const api = useResource(
    'openapi',
    async (signal) => (await call('/openapi.json', { signal })) as unknown as ApiDocument,
  );
  return (
    <Page
      title="API"
      about={
        <>
          Every call of this server. Those that you try here are made as you. As a page of its own:{' '}
          <a href="/docs">the document</a>.
        </>
      }
    >
      <Resolved of={api} what="the calls">
        {(document) => <Reference of={document} chosen={chosen} />}
      </Resolved>
    </Page>
  );
}

/**
 * The same reference as `/docs`, with its own styles, which apply to no other part of the console.
 */
function Reference({
  of,
  chosen,
}: {
  readonly of: ApiDocument;
  readonly chosen: string | undefined;
}): ReactNode {
  const { fetch: send } = useSession();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const style = new CSSStyleSheet();
    style.replaceSync(referenceStyle);
    root.adoptedStyleSheets = [style];
    const reference = nodeOf(apiReference(of));
    // An address after `#` is a route of the console.
    reference.addEventListener('click', (event) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const id = link?.getAttribute('href')?.slice(1);
      if (id === undefined) return;
      event.preventDefault();
      root.getElementById(id)?.scrollIntoView();
    });
    root.replaceChildren(reference);
    runReference(root, send, () => systemClock.monotonicMs());
  }, [of, send]);
  useEffect(() => {
    const article = host.current?.shadowRoot?.getElementById(chosen ?? '');
    article?.querySelector('details')?.setAttribute('open', '');
    article?.scrollIntoView();
  }, [chosen, of]);
  return <div ref={host} />;
}

/** Creates nodes from elements: the console may not parse HTML. */
function nodeOf(node: PageNode): Node {
  if (typeof node === 'string') return document.createTextNode(node);
  const made = document.createElement(node.tag);
  for (const [name, value] of Object.entries(node.attributes)) {
    if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...node.children.map(nodeOf));
  return made;
}
