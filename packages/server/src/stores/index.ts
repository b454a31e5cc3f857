export { type BackendDependencies, type LocationSettings, openLocation } from './open-store.ts';
