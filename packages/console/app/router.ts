import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';

/**
 * A place in the console: its path in segments, and its parameters. All of it is behind the `#`,
 * and never sent to a server.
 */
export interface Place {
  readonly segments: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** `#/tables/flights?tab=schema` */
function parsePlace(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const segments = path.split('/').filter((segment) => segment !== '');
  return {
    segments: segments.map((segment) => decode(segment)),
    parameters: Object.fromEntries(new URLSearchParams(query)),
  };
}

function pathOf(hash: string): string {
  return parsePlace(hash).segments.join('/');
}

/** What stands in an address may have been typed by hand. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The address of a place, to be used as a link. */
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
 * Goes to a place, unless the page that wants it has been left meanwhile: nobody is taken away from
 * where they have gone.
 */
export function useGoTo(): (
  segments: readonly string[],
  parameters?: Readonly<Record<string, string | undefined>>,
) => void {
  // The address changes before the page that it names is shown: a query that ends in between must
  // not take the user back.
  const shown = useRef<string>(undefined);
  useEffect(() => {
    shown.current = pathOf(location.hash);
  });
  useEffect(
    () => () => {
      shown.current = undefined;
    },
    [],
  );
  return useCallback((segments, parameters) => {
    if (shown.current === pathOf(location.hash)) location.hash = placeOf(segments, parameters);
  }, []);
}

/** Changes the address without a step in the history: what the page shows has not changed. */
export function replacePlace(
  segments: readonly string[],
  parameters: Readonly<Record<string, string | undefined>> = {},
): void {
  history.replaceState(null, '', placeOf(segments, parameters));
}

/**
 * Has the address follow the result that the page shows. It is a step in the history, unless
 * `isStep` is false, where the page showed another one: so the way back leads there. An address that
 * brings a query is left alone until its query is opened.
 */
export function followResult(
  parameters: Readonly<Record<'id' | 'row' | 'sql', string | undefined>>,
  { isStep }: { readonly isStep: boolean },
): void {
  const { id, sql } = parsePlace(location.hash).parameters;
  if (id === undefined && sql !== undefined) return;
  if (!isStep || id === undefined || id === parameters.id) replacePlace(['query'], parameters);
  else location.hash = placeOf(['query'], parameters);
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(
    (onChange) => {
      addEventListener('hashchange', onChange);
      return () => removeEventListener('hashchange', onChange);
    },
    () => location.hash,
  );
  return parsePlace(hash);
}
