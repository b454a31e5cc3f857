import type { ExposedMetrics } from './exposed-metrics.ts';

/** Labels that a scrape adds. */
const targetLabels = ['job', 'instance'];
const words = new Set('sum min max avg by on and or unless le rate increase time'.split(' '));

/** Returns the names in a PromQL expression that no server exposes, and no rule records. */
export function unknownIn(
  expr: string,
  exposed: ExposedMetrics,
  recorded: ReadonlySet<string>,
): string[] {
  const found = selectorsOf(expr);
  const unknown: string[] = [];
  const known = new Set(targetLabels);
  let areAllLabelsKnown = true;
  for (const { name, labels } of found) {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    const isKnown =
      name === 'up' ||
      recorded.has(name) ||
      exposed.types.has(name) ||
      exposed.types.get(base) === 'histogram';
    if (!isKnown) unknown.push(name);
    const own = exposed.labels.get(name);
    // A metric that was never counted has no series, so its labels are unknown.
    if (own === undefined) areAllLabelsKnown = false;
    for (const label of own ?? []) known.add(label);
    if (own === undefined) continue;
    unknown.push(
      ...labels
        .filter((label) => !own.has(label) && !targetLabels.includes(label))
        .map((label) => `${name}{${label}}`),
    );
  }
  if (areAllLabelsKnown) {
    for (const [, list = ''] of expr.matchAll(/\bby \(([^)]*)\)/g)) {
      const by = list.split(',').map((label) => label.trim());
      unknown.push(...by.filter((label) => !known.has(label)).map((label) => `by (${label})`));
    }
  }
  return unknown;
}

function selectorsOf(expr: string): { readonly name: string; readonly labels: string[] }[] {
  const withoutGroups = expr.replaceAll(/\bby \([^)]*\)/g, '');
  const withoutWindows = withoutGroups.replaceAll(/\[[^\]]*\]|\boffset \w+/g, '');
  return [...withoutWindows.matchAll(/([a-z_][a-z0-9_:]*)(\{(?:[^{}"]|"[^"]*")*\})?(?=(\s*\()?)/g)]
    .filter(([, name = '', , call]) => call === undefined && !words.has(name))
    .map(([, name = '', braces = '']) => ({
      name,
      labels: [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    }));
}
