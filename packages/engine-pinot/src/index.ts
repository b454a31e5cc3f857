export { PinotEngine, type PinotEngineOptions } from './query/pinot-engine.ts';
