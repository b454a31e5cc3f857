/**
 * Returns the URL of a module beside another one, in the same form: source or built. It names the
 * modules of threads and of processes, which no import finds.
 *
 * The bundle of the command has each of them under its name, in one folder with all other modules:
 * only modules of one folder find each other in every form.
 */
export function moduleBeside(url: string, name: string): URL {
  return new URL(`./${name}${url.endsWith('.ts') ? '.ts' : '.js'}`, url);
}
