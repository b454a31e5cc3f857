import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseSync } from 'vite';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');

/** A named thing of a module, as the compiler declares it to others. */
export interface Declaration {
  /** The source file of the declaration, from the root of the repository. */
  readonly file: string;
  readonly name: string;
  /** Its declaration, without comments. */
  readonly text: string;
  /** The names that its types mention. */
  readonly mentions: readonly Mention[];
  /**
   * The names that the parameters of its constructors mention: irrelevant if a class is exported as
   * a type only.
   */
  readonly constructorMentions: readonly Mention[];
}

/** A name of the same module, or of another one, imported where it is mentioned. */
type Mention = Borrowed | string;

/** An exported name of a module. */
export interface Export {
  readonly isType: boolean;
  /** Undefined when it is another package's. */
  readonly declaration: Declaration | undefined;
}

/** A name that a module imports from another one. */
interface Borrowed {
  readonly source: string;
  readonly name: string;
}

interface Module {
  readonly declarations: ReadonlyMap<string, Declaration>;
  readonly imports: ReadonlyMap<string, Borrowed>;
  /** The exports by name: a re-exported one, or the local name. */
  readonly exports: ReadonlyMap<string, { readonly target: Mention; readonly isType: boolean }>;
}

/**
 * The declarations that the sources of all packages offer to importers, from the compiler's
 * declaration files.
 */
export class Declarations {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #modules = new Map<string, Module>();

  /** @param texts declarations by the path of their source, such as `packages/core/src/index.ts` */
  constructor(texts: ReadonlyMap<string, string>) {
    this.#texts = texts;
  }

  /** Lets the compiler write the declarations of all packages. */
  static async emit(): Promise<Declarations> {
    // In the repository, where the compiler resolves the imports of the sources.
    const folder = mkdtempSync(join(root, 'node_modules/.declarations-'));
    try {
      const config = join(folder, 'tsconfig.json');
      const options = {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        noCheck: true,
        removeComments: true,
      };
      const compilerOptions = { ...options, rootDir: root, outDir: join(folder, 'out') };
      const include = [join(root, 'packages/*/src')];
      writeFileSync(
        config,
        JSON.stringify({
          extends: join(root, 'tsconfig.json'),
          compilerOptions,
          include,
          exclude: [],
        }),
      );
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const { stdout } = await run(process.execPath, [
        compiler,
        '-p',
        config,
        '--listEmittedFiles',
      ]);
      const files = Array.from(stdout.matchAll(/^TSFILE: (.*)$/gm), ([, path = '']) => path);
      return new Declarations(
        new Map(
          files.map((path) => [
            path.slice(join(folder, 'out/').length).replace(/\.d\.ts$/, '.ts'),
            readFileSync(path, 'utf8'),
          ]),
        ),
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Everything that a module exports, by name. */
  exportsOf(file: string): ReadonlyMap<string, Export> {
    const { exports } = this.#moduleOf(file);
    return new Map(
      Array.from(exports, ([name, { isType }]) => {
        const declaration = this.#find(file, name);
        // An interface is a type however it is exported.
        const isDeclaredType =
          declaration !== undefined &&
          /^(?:export )?(?:declare )?(?:interface|type) /.test(declaration.text);
        return [name, { isType: isType || isDeclaredType, declaration }];
      }),
    );
  }

  /** The declarations in the same package that one mentions in its public part. */
  mentionsOf({ isType, declaration }: Export): readonly Declaration[] {
    if (declaration === undefined) return [];
    const { file, mentions, constructorMentions } = declaration;
    const { declarations, imports } = this.#moduleOf(file);
    return [...mentions, ...(isType ? [] : constructorMentions)].flatMap((mention) => {
      const borrowed = typeof mention === 'string' ? imports.get(mention) : mention;
      if (borrowed !== undefined) return this.#follow(file, borrowed) ?? [];
      return declarations.get(mention as string) ?? [];
    });
  }

  #find(file: string, exportedName: string): Declaration | undefined {
    const { declarations, imports, exports } = this.#moduleOf(file);
    const { target } = exports.get(exportedName) ?? {};
    if (target === undefined) throw new Error(`${file} does not export ${exportedName}.`);
    if (typeof target !== 'string') return this.#follow(file, target);
    const borrowed = imports.get(target);
    return borrowed === undefined ? declarations.get(target) : this.#follow(file, borrowed);
  }

  #follow(file: string, { source, name }: Borrowed): Declaration | undefined {
    return source.startsWith('.') ? this.#find(join(file, '..', source), name) : undefined;
  }

  #moduleOf(file: string): Module {
    const known = this.#modules.get(file);
    if (known !== undefined) return known;
    const text = this.#texts.get(file);
    if (text === undefined) throw new Error(`The compiler has declared nothing of ${file}.`);
    const read = readModule(file, text);
    this.#modules.set(file, read);
    return read;
  }
}

/** A node of the syntax tree, with the members that are used here. */
interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function readModule(file: string, text: string): Module {
  const { program, errors } = parseSync(file.replace(/\.ts$/, '.d.ts'), text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const declarations = new Map<string, Declaration>();
  const imports = new Map<string, Borrowed>();
  const exports = new Map<string, { readonly target: Mention; readonly isType: boolean }>();
  for (const statement of program.body as unknown as readonly SyntaxNode[]) {
    if (statement.type === 'ImportDeclaration') {
      for (const each of statement['specifiers'] as readonly SyntaxNode[]) {
        imports.set(nameOf(each['local']), {
          source: sourceOf(statement),
          name: nameOf(each['imported']),
        });
      }
    } else if (statement.type === 'ExportAllDeclaration') {
      throw new Error(`${file}: a module lists its names, \`export *\` hides them.`);
    } else if (statement.type === 'ExportNamedDeclaration' && statement['declaration'] === null) {
      for (const each of statement['specifiers'] as readonly SyntaxNode[]) {
        const name = nameOf(each['local']);
        const isType = statement['exportKind'] === 'type' || each['exportKind'] === 'type';
        const target = statement['source'] === null ? name : { source: sourceOf(statement), name };
        exports.set(nameOf(each['exported']), { target, isType });
      }
    } else {
      const isExported = statement.type === 'ExportNamedDeclaration';
      const declared = isExported ? (statement['declaration'] as SyntaxNode) : statement;
      for (const name of namesDeclaredBy(declared)) {
        // Overloads share a name.
        const before = declarations.get(name);
        const own = text.slice(statement.start, statement.end);
        const declaration: Declaration = {
          file,
          name,
          text: before === undefined ? own : `${before.text}\n${own}`,
          mentions: [...(before?.mentions ?? []), ...mentionsIn(declared)],
          constructorMentions: mentionsIn(constructorsOf(declared)),
        };
        declarations.set(name, declaration);
        if (isExported) exports.set(name, { target: name, isType: false });
      }
    }
  }
  return { declarations, imports, exports };
}

function namesDeclaredBy(declared: SyntaxNode): readonly string[] {
  if (declared.type !== 'VariableDeclaration') return [nameOf(declared['id'])];
  return (declared['declarations'] as readonly SyntaxNode[]).map(({ id }) => nameOf(id));
}

/** Returns the constructors' parameters of a class. */
function constructorsOf({ body }: SyntaxNode): readonly unknown[] {
  const members = (body as { readonly body?: unknown } | undefined)?.body;
  if (!Array.isArray(members)) return [];
  return (members as readonly SyntaxNode[])
    .filter((member) => isConstructor(member))
    .map(({ value }) => value);
}

function isConstructor({ type, kind }: SyntaxNode): boolean {
  return type === 'MethodDefinition' && kind === 'constructor';
}

/**
 * Names in type positions, except for constructors. Callers can use the type of `typeof` without
 * the name of the value.
 */
function mentionsIn(node: unknown): readonly Mention[] {
  if (Array.isArray(node)) return node.flatMap((each: unknown) => mentionsIn(each));
  if (typeof node !== 'object' || node === null) return [];
  const members = node as SyntaxNode;
  if (isConstructor(members)) return [];
  const inside = Object.values(members).flatMap((member) => mentionsIn(member));
  const named = ['typeName', 'superClass'].map((member) => members[member]);
  if (/^(?:TSInterfaceHeritage|TSClassImplements)$/.test(members.type)) {
    named.push(members['expression']);
  }
  const names = named.flatMap((name) => firstNameOf(name));
  // `import('./units.ts').Bytes`
  if (members.type !== 'TSImportType') return [...names, ...inside];
  const [name = '*'] = firstNameOf(members['qualifier']);
  return [...names, ...inside, { source: sourceOf(members), name }];
}

/** `Arrow` of `Arrow.Schema`. */
function firstNameOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, left, object, name } = node as SyntaxNode;
  if (type === 'Identifier') return [String(name)];
  return firstNameOf(left ?? object);
}

function nameOf(node: unknown): string {
  const { name, value } = (node ?? { name: '*' }) as {
    readonly name?: string;
    readonly value?: string;
  };
  return name ?? value ?? '*';
}

function sourceOf(statement: SyntaxNode): string {
  return (statement['source'] as { readonly value: string }).value;
}
