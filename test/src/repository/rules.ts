import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { cyclesOf } from './cycles.ts';
import { type WorkspacePackage, type Manifest, scope } from './workspace-packages.ts';
import {
  arrow,
  bundles,
  families,
  levels,
  linesMax,
  owners,
  packageNode,
  pluginLoaders,
  wire,
} from './plan.ts';
import type { Import, SourceFile } from './source-file.ts';

/** A rule checks one package and returns its problems as sentences. */
type Rule = (each: WorkspacePackage) => string[];

/** Every package has a level, and a package imports strictly lower levels only, by their names. */
export const importsPointDown: Rule = ({ name, files }) => {
  const level = levels[name];
  if (level === undefined) return [`${name} has no level in the plan`];
  return inEveryImport(files, (path, { module }) => {
    if (module.startsWith('.')) {
      const inside = posix.join(posix.dirname(path), module).startsWith(`packages/${name}/src/`);
      return inside ? [] : [`${path} leaves its package by ${module}`];
    }
    if (!module.startsWith(scope)) return [];
    const target = packageOf(module).slice(scope.length);
    if ((levels[target] ?? Infinity) >= level) {
      return [`${path} imports ${module}, which is not below ${name}`];
    }
    return module.endsWith('/testing') ? [`${path} imports ${module}, which is for tests`] : [];
  });
};

/**
 * Within a package too, imports of types and of values have one direction: between files, and
 * between folders.
 */
export const importsDoNotGoRound: Rule = ({ files }) =>
  cyclesOf(files).map((cycle) => `${cycle.join(', ')}: imports go round`);

/** The manifest lists exactly the imports of the sources, and their peers, where they belong. */
export const manifestMatchesImports: Rule = ({ name, manifest, peers, files }) => {
  const imported = new Set<string>();
  for (const { module } of files.flatMap((file) => file.imports)) {
    // A computed specifier is represented by `*`.
    if (module === '*' && pluginLoaders.includes(name)) continue;
    if (!module.startsWith('.') && !isBuiltin(module)) imported.add(packageOf(module));
  }
  const { dependencies, devDependencies, peerDependencies } = manifest;
  const declared = Object.keys(
    bundles.includes(name) ? { ...devDependencies } : { ...dependencies, ...peerDependencies },
  );
  return [
    ...[...imported]
      .filter((each) => !declared.includes(each))
      .map((each) => `${name} imports ${each} but does not declare it`),
    ...declared
      .filter((each) => !imported.has(each) && !peers.has(each))
      .map((each) => `${name} declares ${each} but does not import it`),
  ];
};

/** The part of a manifest that npm shows and uses is the same for all. */
export const manifestIsFitToPublish: Rule = ({ name, manifest }) => {
  const sideEffects = name === 'cli' ? ['./src/main.ts'] : false;
  const expected = {
    license: 'Apache-2.0',
    sideEffects,
    engines: { node: packageNode },
    publishConfig: { access: 'public' },
  };
  return [
    ...Object.entries(expected)
      .filter(
        ([key, value]) => JSON.stringify(manifest[key as keyof Manifest]) !== JSON.stringify(value),
      )
      .map(
        ([key, value]) => `package.json of ${name}: expected "${key}": ${JSON.stringify(value)}`,
      ),
    ...(manifest.files?.includes('CHANGELOG.md') === true
      ? []
      : [`package.json of ${name}: expected CHANGELOG.md in "files"`]),
    ...(manifest.keywords?.includes('quire') === true
      ? []
      : [`package.json of ${name}: expected "quire" in "keywords"`]),
  ];
};

/** A library that has an owner is imported by its owner only. */
export const librariesStayWithTheirOwners: Rule = ({ name, files }) =>
  inEveryImport(files, (path, { module }) => {
    const owner = Object.keys(owners).find((prefix) =>
      prefix.endsWith('/') ? module.startsWith(prefix) : packageOf(module) === prefix,
    );
    return owner === undefined || owners[owner]?.includes(name) === true
      ? []
      : [`${path} imports ${module}, which is not for ${name}`];
  });

/** Outside the packages that build and read batches, apache-arrow is two types. */
export const arrowIsTwoTypes: Rule = ({ name, files }) =>
  inEveryImport(files, (path, { module, names, typeOnly }) => {
    if (packageOf(module) !== 'apache-arrow' || arrow.packages.includes(name)) return [];
    const others = names.filter((each) => !arrow.types.includes(each));
    if (others.length > 0) return [`${path} imports ${others.join(', ')} of apache-arrow`];
    return typeOnly ? [] : [`${path} imports apache-arrow at run time`];
  });

/** The names of the HTTP interface stay at its edge. */
export const wireNamesStayAtTheEdge: Rule = ({ name, files }) => {
  if (wire.packages.includes(name)) return [];
  const others = files.filter(({ path }) => !path.startsWith(wire.folder));
  return others.flatMap(({ path, names }) =>
    wire.names.filter((each) => names.has(each)).map((each) => `${path} names ${each}`),
  );
};

/** The object that describes a member of a family defines its properties. */
export const familiesAreNotCompared: Rule = ({ files }) =>
  families.flatMap(({ family, comparedBy, members }) =>
    files.flatMap(({ path, comparisons }) =>
      comparisons
        .filter(({ name, text }) => comparedBy.includes(name) && members.includes(text))
        .map(({ line, text }) => `${path}:${line} asks for '${text}': ask the list of ${family}`),
    ),
  );

/** Files and functions are short enough to read. */
export const sourcesAreShort: Rule = ({ files }) =>
  files.flatMap(({ path, lineCount, functions }) => [
    ...(lineCount > linesMax.file ? [`${path} has ${lineCount} lines`] : []),
    ...functions
      // A suite is one function around its tests.
      .filter((each) => each.lineCount > linesMax.function && !path.includes('/conformance/'))
      .map((each) => `${path}:${each.line} is a function of ${each.lineCount} lines`),
  ]);

/** Only the system clock reads the time of the machine. */
export const timeIsInjected: Rule = ({ files }) =>
  files
    .filter(({ path }) => path !== 'packages/core/src/system-clock.ts')
    .flatMap(({ path, clockReadLines }) =>
      clockReadLines.map((line) => `${path}:${line} reads the clock`),
    );

/** Builtins are imported with `node:`, so that they are not mistaken for packages. */
export const builtinsHaveTheirPrefix: Rule = ({ files }) =>
  inEveryImport(files, (path, { module }) =>
    isBuiltin(module) && !module.startsWith('node:')
      ? [`${path} imports ${module} without node:`]
      : [],
  );

function inEveryImport(
  files: readonly SourceFile[],
  check: (path: string, each: Import) => string[],
): string[] {
  return files.flatMap(({ path, imports }) => imports.flatMap((each) => check(path, each)));
}

/** `@quire/core/testing` → `@quire/core`, `fastify/types` → `fastify`. */
function packageOf(module: string): string {
  return module
    .split('/')
    .slice(0, module.startsWith('@') ? 2 : 1)
    .join('/');
}
