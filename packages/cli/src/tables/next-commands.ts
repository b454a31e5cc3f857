/** Calls of the controller that a restream's `next` names, and the equivalent commands. */
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

/** Replaces the HTTP calls of the server's next step by commands. */
export function nextByCommands(next: string): string {
  return commands.reduce((text, [pattern, command]) => text.replace(pattern, command), next);
}
