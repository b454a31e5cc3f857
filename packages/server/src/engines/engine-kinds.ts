import type { Settings } from '@quire/settings';
import { embeddedEngine } from './embedded-engine.ts';
import type { EngineKind } from './engine-kind.ts';
import { pinotEngine } from './pinot-engine.ts';

/** Every kind of engine, by the value of `engine.kind`: the one list of them. */
const engineKinds: Readonly<Record<Settings['engine']['kind'], EngineKind>> = {
  embedded: embeddedEngine,
  pinot: pinotEngine,
};

/** Returns the kind of engine that the settings name. */
export function engineKindOf({ engine }: Pick<Settings, 'engine'>): EngineKind {
  return engineKinds[engine.kind];
}
