import { useCallback, useEffect, useLayoutEffect, useRef, useSyncExternalStore } from 'react';

/**
 * A route of the console: its path in segments, and its parameters. All of it is after the `#`, and
 * never sent to a server.
 */
export interface Route {
  readonly segments: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** Such as `#/tables/flights?tab=schema`. */
function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter((segment) => segment !== '');
  return {
    segments: segments.map((segment) => decode(segment)),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function pathOf(hash: string): string {
  return parseRoute(hash).segments.join('/');
}

/** Parses the text of an address, which may have been typed by hand. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Returns the address of a route, for a link. */
export function placeOf(
  segments: readonly string[],
  parameters: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const query = new URLSearchParams(given).toString();
  return `#/${segments.map((segment) => encodeURIComponent(segment)).join('/')}${query === '' ? '' : `?${query}`}`;
}

/**
 * The path of the page that is shown. The address changes before: what happens in between, such as
 * the end of a query, must not navigate back.
 */
let shownPath = '';

function isShown(): boolean {
  return shownPath === pathOf(location.hash);
}

/** Navigates to a route, unless the page that requests it has been left in the meantime. */
export function useGoTo(): (
  segments: readonly string[],
  parameters?: Readonly<Record<string, string | undefined>>,
) => void {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => void (isMounted.current = false);
  }, []);
  return useCallback((segments, parameters) => {
    if (isMounted.current && isShown()) location.hash = placeOf(segments, parameters);
  }, []);
}

/**
 * Changes the address of the query page without a step in the history, since the page shows the
 * same, unless the page has been left in the meantime.
 */
export function replaceQueryPlace(
  parameters: Readonly<Record<string, string | undefined>> = {},
): void {
  if (!isShown()) return;
  const place = placeOf(['query'], parameters);
  history.replaceState(null, '', place);
  shownPath = pathOf(place);
}

/**
 * Makes the address follow the result that the page shows. It is a step in the history, unless
 * `isStep` is false, if the page showed another one: so that the back button returns to that one.
 * An address with a query is unchanged until its query is opened.
 */
export function followResult(
  parameters: Readonly<Record<'id' | 'row' | 'sql', string | undefined>>,
  { isStep }: { readonly isStep: boolean },
): void {
  const { id, sql } = parseRoute(location.hash).parameters;
  if (id === undefined && sql !== undefined) return;
  if (!isStep || id === undefined || id === parameters.id) replaceQueryPlace(parameters);
  else if (isShown()) location.hash = placeOf(['query'], parameters);
}

export function useRoute(): Route {
  const hash = useSyncExternalStore(
    (onChange) => {
      addEventListener('hashchange', onChange);
      return () => removeEventListener('hashchange', onChange);
    },
    () => location.hash,
  );
  useLayoutEffect(() => {
    shownPath = pathOf(hash);
  }, [hash]);
  return parseRoute(hash);
}
