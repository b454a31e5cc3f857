import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Clients that openapi-generator makes of the broker's API document, compiled together with the
 * programs of test/generated-clients.
 */

export type Language = 'go' | 'java' | 'python';

/** A command with its arguments, to which those of the program are added. */
export type Command = readonly [program: string, ...given: string[]];

interface Recipe {
  /** The arguments of the generator that select the client. */
  readonly options: readonly string[];
  /** The folder of the client. */
  readonly source: string;
  readonly program: { readonly file: string; readonly as: string };
  readonly compile: (tool: string, folder: string) => Promise<unknown>;
  readonly command: (tool: string, folder: string) => Command;
}

const run = promisify(execFile);
const programs = join(import.meta.dirname, '../../generated-clients');
/** Files that are never compiled. */
const onlyCode =
  '--global-property=apis,models,supportingFiles,apiTests=false,modelTests=false,apiDocs=false,modelDocs=false';

const recipes: Readonly<Record<Language, Recipe>> = {
  go: {
    options: ['-g', 'go', '--additional-properties=packageName=quire,withGoMod=false'],
    source: 'quire',
    program: { file: 'submit_page_delete.go', as: 'main.go' },
    compile: async (_tool, folder) => {
      await writeFile(join(folder, 'go.mod'), 'module pages\n\ngo 1.26\n');
      await run('go', ['build', '-o', 'program', '.'], { cwd: folder });
    },
    command: (_tool, folder) => [join(folder, 'program')],
  },
  java: {
    options: [
      '-g',
      'java',
      '--library=native',
      '--additional-properties=invokerPackage=quire,apiPackage=quire.api,modelPackage=quire.model',
    ],
    source: '.',
    program: { file: 'SubmitPageDelete.java', as: 'src/main/java/SubmitPageDelete.java' },
    compile: async (tool, folder) => {
      const paths = ['-cp', join(tool, 'lib/*'), '--source-path', 'src/main/java', '-d', 'classes'];
      const sources = (await readdir(join(folder, 'src/main/java'), { recursive: true })).filter(
        (path) => path.endsWith('.java'),
      );
      await run(
        'javac',
        ['-nowarn', '-proc:none', ...paths, ...sources.map((path) => join('src/main/java', path))],
        {
          cwd: folder,
        },
      );
    },
    command: (tool, folder) => [
      'java',
      '-cp',
      `${join(folder, 'classes')}:${join(tool, 'lib/*')}`,
      'SubmitPageDelete',
    ],
  },
  python: {
    options: ['-g', 'python', '--additional-properties=packageName=quire_generated'],
    source: '.',
    program: { file: 'submit_page_delete_openapi_generator.py', as: 'program.py' },
    compile: (tool, folder) =>
      run(join(tool, 'python/bin/python'), ['-m', 'compileall', '-q', folder]),
    command: (tool, folder) => [join(tool, 'python/bin/python'), join(folder, 'program.py')],
  },
};

/**
 * The command that runs the program of a language. Its client is generated and compiled unless that
 * was done before for this document; that takes a quarter of a minute.
 */
export async function clientOf(
  language: Language,
  document: string,
  tool: string,
): Promise<Command> {
  const { options, source, program, compile, command } = recipes[language];
  const parts = [
    document,
    await readFile(join(programs, program.file), 'utf8'),
    ...options,
    ...(await readdir(tool)).filter(isJar),
  ];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  const clients = join(tool, 'clients');
  const name = `${language}-${hash}`;
  await mkdir(clients, { recursive: true });
  const known = await readdir(clients);
  if (known.includes(name)) return command(tool, join(clients, name));
  const folder = await mkdtemp(join(clients, 'new-'));
  try {
    const documentPath = join(folder, 'openapi.json');
    await writeFile(documentPath, document);
    const [jar = ''] = (await readdir(tool)).filter(isJar);
    await run('java', [
      '-jar',
      join(tool, jar),
      'generate',
      '-i',
      documentPath,
      ...options,
      onlyCode,
      '-o',
      join(folder, source),
    ]);
    await cp(join(programs, program.file), join(folder, program.as));
    await compile(tool, folder);
    // Another run may have created it in between.
    if (!existsSync(join(clients, name))) await rename(folder, join(clients, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const former = known.filter((each) => each.startsWith(`${language}-`));
  await Promise.all(
    former.map((each) => rm(join(clients, each), { recursive: true, force: true })),
  );
  return command(tool, join(clients, name));
}

function isJar(name: string): boolean {
  return name.endsWith('.jar');
}
