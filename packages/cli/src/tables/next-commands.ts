/** Calls of the controller that a restream's `next` names, and the commands that make them. */
const commands: readonly (readonly [pattern: RegExp, command: string])[] = [
  [
    /DELETE \/tables\/(\S+?)\/restream\?dropDestination=true/g,
    'quire tables restream cancel $1 --drop',
  ],
  [/DELETE \/tables\/(\S+?)\/restream/g, 'quire tables restream cancel $1'],
  [/POST \/tables\/(\S+?)\/restream\/resume/g, 'quire tables restream resume $1'],
  [/POST \/tables\/(\S+?)\/resumeConsumption/g, 'quire tables resume $1'],
  [/DELETE \/tables\/([^\s/]+?)(?=\.?(?:\s|$))/g, 'quire tables delete $1'],
];

/** Says what to do next by commands, where the server says it by HTTP calls. */
export function nextByCommands(next: string): string {
  return commands.reduce((text, [pattern, command]) => text.replace(pattern, command), next);
}
