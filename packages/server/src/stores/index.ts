export {
  type BackendDependencies,
  type LocationOpening,
  type LocationSettings,
  openLocation,
} from './open-store.ts';
