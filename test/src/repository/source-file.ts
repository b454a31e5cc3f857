import { type ESTree, parseSync, Visitor } from 'vite';

/** The properties of one source file that the rules check. */
export interface SourceFile {
  readonly path: string;
  readonly lineCount: number;
  readonly imports: readonly Import[];
  /**
   * Names that the file declares for variables, parameters, members and properties; reading
   * `batch.numRows` declares no name.
   */
  readonly names: ReadonlySet<string>;
  readonly functions: readonly { readonly line: number; readonly lineCount: number }[];
  /** Comparisons of a variable or property with a text: `engine.kind === 'pinot'`, or a case. */
  readonly comparisons: readonly Comparison[];
  /** Lines that read the wall clock with a bare `new Date()`, which lint cannot express. */
  readonly clockReadLines: readonly number[];
}

export interface Comparison {
  readonly line: number;
  /** The name of the variable or property. */
  readonly name: string;
  readonly text: string;
}

export interface Import {
  readonly module: string;
  /** Imported names; `*` if it is all of the module or unknown. */
  readonly names: readonly string[];
  readonly typeOnly: boolean;
}

/** Parses TypeScript. Throws on a syntax error. */
export function parseSourceFile(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text, { astType: 'ts' });
  if (errors.length > 0) {
    throw new Error(`${path}: ${errors.map((error) => error.message).join('; ')}`);
  }

  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  const imports: Import[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    imports.push({
      module: moduleRequest.value,
      names: entries.map(({ importName }) => importName.name ?? '*'),
      typeOnly: entries.length > 0 && entries.every(({ isType }) => isType),
    });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, isType } of entries) {
      if (moduleRequest) {
        imports.push({
          module: moduleRequest.value,
          names: [importName.name ?? '*'],
          typeOnly: isType,
        });
      }
    }
  }

  const names = new Set<string>();
  const functions: SourceFile['functions'][number][] = [];
  const clockReadLines: number[] = [];
  const comparisons: Comparison[] = [];
  const compare = (one: ESTree.Node, other: ESTree.Node): void => {
    const property = one.type === 'MemberExpression' ? one.property : one;
    const isText = other.type === 'Literal' && typeof other.value === 'string';
    if (property.type !== 'Identifier' || !isText) return;
    comparisons.push({ line: lineAt(one.start), name: property.name, text: String(other.value) });
  };
  const read = new Set<ESTree.Node>();
  const measure = (node: ESTree.Node): void => {
    const line = lineAt(node.start);
    functions.push({ line, lineCount: lineAt(node.end) - line + 1 });
  };
  new Visitor({
    ImportExpression: (node) => {
      const source = node.source.type === 'Literal' ? String(node.source.value) : '*';
      imports.push({ module: source, names: ['*'], typeOnly: false });
    },
    TSImportType: (node) =>
      imports.push({ module: node.source.value, names: ['*'], typeOnly: true }),
    MemberExpression: (node) => {
      if (!node.computed) read.add(node.property);
    },
    Identifier: (node) => {
      if (!read.has(node)) names.add(node.name);
    },
    Property: (node) => {
      if (node.key.type === 'Literal') names.add(String(node.key.value));
    },
    NewExpression: (node) => {
      const isDate = node.callee.type === 'Identifier' && node.callee.name === 'Date';
      if (isDate && node.arguments.length === 0) clockReadLines.push(lineAt(node.start));
    },
    BinaryExpression: ({ operator, left, right }) => {
      if (!/^[!=]==?$/.test(operator)) return;
      compare(left, right);
      compare(right, left);
    },
    SwitchStatement: ({ discriminant, cases }) => {
      for (const { test } of cases) if (test) compare(discriminant, test);
    },
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);

  return {
    path,
    lineCount: text.trimEnd().split('\n').length,
    imports,
    names,
    functions,
    comparisons,
    clockReadLines,
  };
}
