import type { Settings } from '@quire/settings';
import { embeddedEngine } from './embedded-engine.ts';
import type { EngineKind } from './engine-kind.ts';
import { pinotEngine } from './pinot-engine.ts';

/** The list of all engine kinds, by the value of `engine.kind`. */
const engineKinds: Readonly<Record<Settings['engine']['kind'], EngineKind>> = {
  embedded: embeddedEngine,
  pinot: pinotEngine,
};

/** Returns the kind of engine in the settings. */
export function engineKindOf({ engine }: Pick<Settings, 'engine'>): EngineKind {
  return engineKinds[engine.kind];
}
