import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';

/**
 * Cycles of imports in a package, types included: between files, and between folders. Each is a
 * list of paths, in ascending order.
 *
 * A folder counts as one unit unless it contains folders. Its own files are then separate units,
 * because some are above those folders and some are below. The entry of a package, which names
 * everything, is ignored.
 */
export function cyclesOf(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const known = new Map(
    files.filter(({ path }) => !isEntry(path)).map((file) => [file.path, file]),
  );
  const targetsOf = ({ path, imports }: SourceFile): string[] =>
    imports.flatMap(({ module }) => {
      const target = posix.join(posix.dirname(path), module);
      return module.startsWith('.') && known.has(target) ? [target] : [];
    });
  const places = placesOf([...known.keys()]);
  const [betweenFiles, betweenPlaces]: [Graph, Graph] = [new Map(), new Map()];
  for (const file of known.values()) {
    for (const target of targetsOf(file)) {
      addEdge(betweenFiles, file.path, target);
      addEdge(betweenPlaces, places.get(file.path) ?? '', places.get(target) ?? '');
    }
  }
  const ofFiles = componentsOf(betweenFiles).map((cycle) =>
    [...new Set(cycle.map((path) => places.get(path) ?? ''))].toSorted(),
  );
  const all = [...ofFiles, ...componentsOf(betweenPlaces).map((cycle) => cycle.toSorted())];
  return [...new Map(all.map((cycle) => [cycle.join(), cycle])).values()];
}

type Graph = Map<string, Set<string>>;

function isEntry(path: string): boolean {
  return /^packages\/[^/]+\/src\/index\.ts$/.test(path);
}

/** Returns the unit of each file: its folder or, next to other folders, the file itself. */
function placesOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Set(paths.map((path) => posix.dirname(path)));
  const shelves = new Set([...folders].map((folder) => posix.dirname(folder)));
  return new Map(
    paths.map((path) => [path, shelves.has(posix.dirname(path)) ? path : posix.dirname(path)]),
  );
}

function addEdge(graph: Graph, from: string, to: string): void {
  if (from === to) return;
  for (const each of [from, to]) if (!graph.has(each)) graph.set(each, new Set());
  graph.get(from)?.add(to);
}

/**
 * Returns the units that reach themselves, each with those that it reaches and that reach it.
 * Packages are small, so a simple algorithm suffices.
 */
function componentsOf(graph: Graph): string[][] {
  const reached = new Map([...graph.keys()].map((each) => [each, reachedFrom(graph, each)]));
  const components = [...graph.keys()].flatMap((each) => {
    const mutual = [...(reached.get(each) ?? [])].filter(
      (other) => reached.get(other)?.has(each) === true,
    );
    return mutual.includes(each) ? [mutual.toSorted()] : [];
  });
  return [...new Map(components.map((component) => [component.join(), component])).values()];
}

function reachedFrom(graph: Graph, start: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [...(graph.get(start) ?? [])];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    pending.push(...(graph.get(next) ?? []));
  }
  return reached;
}
